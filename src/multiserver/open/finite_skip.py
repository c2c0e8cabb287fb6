"""The blocks of any finite-skip model with phase-type sizes.

In a finite-skip model (`finite-skip`, Section 2) jobs move from the queue to the *front* in order
of arrival, and what happens at the front depends on the front alone. The classes and phases of the
jobs in the queue are drawn as they move, so that with N jobs in the system the state is the front:
it holds all N jobs if it would take another one, and at most N if it is *full*. Levels are values
of N. A front holds at most n jobs, and all levels from B = n on have the same fronts, the full
ones: after a departure from more than n jobs the queue never runs empty before the front is full
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.errors import TooLargeError
from multiserver.open.qbd import Level, QuasiBirthDeath, StationaryDistribution
from multiserver.phase_type import exit_rate
from multiserver.sizes import Size

MAX_FRONTS = 3000  # Blocks are dense: each takes 72 MB then.
MAX_BLOCK_ENTRIES = 100_000_000  # Entries of all blocks of one kind, of three.
MOST_STEPS = 10_000_000  # Jobs of every front, counted once for each of its events.
Front = Hashable


class FiniteSkipModel(Protocol):
    """A front's dynamics, which with λ define a finite-skip model with phase-type sizes."""

    __slots__ = ()

    @property
    def probabilities(self) -> tuple[float, ...]:
        """p_c, the probability that a job is of class c."""

    @property
    def empty(self) -> Front:
        """The front without jobs, which is not full."""

    def is_full(self, front: Front) -> bool:
        """Whether the front takes no more jobs."""

    def counts(self, front: Front) -> tuple[int, ...]:
        """Jobs at the front, class by class."""

    def in_service(self, front: Front) -> int:
        """Jobs in service."""

    def served(self, front: Front) -> tuple[int, ...] | None:
        """Jobs in service, class by class; None if the model does not tell."""
        return None

    def admissions(self, front: Front) -> Iterable[tuple[float, Front]]:
        """The fronts that the next job may lead to, with their probabilities, if not full."""

    def events(self, front: Front) -> Iterable[tuple[float, Front, bool]]:
        """The rate of every event, the front after it, and whether a job has completed."""

    def at_rest(self, front: Front) -> Front:
        """The front that results if, after a completion, no other job joins this one."""
        return front


@dataclass(frozen=True, slots=True)
class FrontBlocks:
    """The levels 0 … B of a finite-skip model and the repeating one, without the arrival rate.

    `fronts[k]` are the m_k phases of level k, `entries[k]` (m_k, m_{k+1}) the probabilities that an
    arrival leads to a phase of level k + 1, `moves[k]` (m_k, m_k) and `completions[k]`
    (m_k, m_{k−1}) the rates within the level and to the one below. The last of each describes all
    levels above B; its fronts are those of level B.
    """

    model: FiniteSkipModel
    fronts: tuple[tuple[Front, ...], ...]
    entries: tuple[NDArray[np.float64], ...]
    moves: tuple[NDArray[np.float64], ...]
    completions: tuple[NDArray[np.float64], ...]

    def at(self, arrival_rate: float) -> QuasiBirthDeath:
        """The process at arrival rate λ (jobs per unit of time)."""
        levels = []
        rates = zip(self.entries, self.moves, self.completions, strict=True)
        for fronts, (entries, moves, down) in zip(self.fronts, rates, strict=True):
            served = np.array([self.model.in_service(front) for front in fronts], dtype=float)
            levels.append(Level(arrival_rate * entries, moves, down, served))
        return QuasiBirthDeath(arrival_rate, tuple(levels[:-1]), levels[-1])

    def mean(
        self, distribution: StationaryDistribution, of: Callable[[Front], ArrayLike]
    ) -> NDArray[np.float64]:
        """The mean of a function of the front under the distribution."""
        parts = zip((*distribution.boundary, distribution.above), self.fronts, strict=True)
        return sum(mass @ np.array([*map(of, fronts)], dtype=float) for mass, fronts in parts)

    def response_times(self, distribution: StationaryDistribution) -> NDArray[np.float64]:
        """E[T] of every class (C,), under the distribution of this model at some arrival rate.

        Jobs in the queue are of class c with probability p_c, whatever the front.
        """
        at_front = self.mean(distribution, self.model.counts)
        return self._times(distribution, at_front)

    def waiting_times(self, distribution: StationaryDistribution) -> NDArray[np.float64] | None:
        """E[W] of every class (C,) without a subtraction, so that short waits keep their digits;
        None if the model does not tell which jobs are served."""
        model = self.model
        if model.served(model.empty) is None:
            return None

        def idle(front: Front) -> NDArray[np.int64]:
            return np.subtract(model.counts(front), model.served(front))

        return self._times(distribution, self.mean(distribution, idle))

    def _times(
        self, distribution: StationaryDistribution, at_front: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The mean times in the queue and, by Little's law, as one of `at_front` (C,) jobs."""
        queueing = distribution.mean_above
        parts = zip((*distribution.boundary, distribution.above), self.fronts, strict=True)
        for k, (mass, fronts) in enumerate(parts):
            queueing += float(mass @ [k - sum(self.model.counts(front)) for front in fronts])
        p = np.array(self.model.probabilities)
        return (at_front / p + queueing) / distribution.qbd.arrival_rate


def prepare(model: FiniteSkipModel) -> FrontBlocks:
    """Enumerate the levels of a model, once for all arrival rates.

    Raises `TooLargeError` if it has more than `MAX_FRONTS` fronts, if these take more than
    `MOST_STEPS` steps to list, or if Σ_k m_k² exceeds `MAX_BLOCK_ENTRIES`: the blocks are dense.
    """
    fronts, jobs = _levels(model)
    top = len(fronts) - 1
    places = [{front: i for i, front in enumerate(level)} for level in fronts]

    @cache
    def refilled(front: Front, waiting: int) -> dict[Front, float]:
        """Distribution of the front once it is full or has taken all jobs that waited."""
        if not waiting or model.is_full(front):
            return {model.at_rest(front): 1.0}
        distribution: dict[Front, float] = defaultdict(float)
        for p, larger in model.admissions(front):
            for after, q in refilled(larger, waiting - 1).items():
                distribution[after] += p * q
        return distribution

    def down(k: int, below: int) -> NDArray[np.float64]:
        rates = np.zeros((len(fronts[min(k, top)]), len(fronts[below])))
        for row, front in zip(rates, fronts[min(k, top)], strict=True):
            for rate, left, completes in model.events(front):
                if completes:
                    for after, p in refilled(left, k - jobs[front]).items():
                        row[places[below][after]] += rate * p
        return rates

    def up(k: int) -> NDArray[np.float64]:
        chances = np.zeros((len(fronts[k]), len(fronts[k + 1])))
        for row, front in zip(chances, fronts[k], strict=True):
            for after, p in refilled(front, 1).items():
                row[places[k + 1][after]] += p
        return chances

    def stay(k: int) -> NDArray[np.float64]:
        rates = np.zeros((len(fronts[k]), len(fronts[k])))
        for row, front in zip(rates, fronts[k], strict=True):
            for rate, after, completes in model.events(front):
                if not completes:
                    row[places[k][after]] += rate
        return rates

    within = [stay(k) for k in range(top + 1)]
    return FrontBlocks(
        model,
        (*fronts, fronts[top]),
        (*(up(k) for k in range(top)), *[np.eye(len(fronts[top]))] * 2),
        (*within, within[top]),
        (np.zeros((1, 0)), *(down(k, k - 1) for k in range(1, top + 1)), down(top + 1, top)),
    )


def blocks(model: FiniteSkipModel, arrival_rate: float) -> QuasiBirthDeath:
    """The process of a model at arrival rate λ; for many rates, `prepare` it once."""
    return prepare(model).at(arrival_rate)


def require_fits(model: FiniteSkipModel) -> None:
    """Raise `TooLargeError` as `prepare` would, without building a block."""
    _levels(model)


def _levels(model: FiniteSkipModel) -> tuple[list[tuple[Front, ...]], dict[Front, int]]:
    """The fronts of every level up to the repeating one, and the jobs of every front."""
    jobs = {front: sum(model.counts(front)) for front in _reachable(model)}
    top = max(jobs.values())
    exact, full = [0] * (top + 1), [0] * (top + 1)
    for front, k in jobs.items():
        exact[k] += 1
        full[k] += model.is_full(front)
    sizes = (own + sum(full[:k]) for k, own in enumerate(exact))
    entries = sum(m**2 for m in sizes)
    if entries > MAX_BLOCK_ENTRIES:
        raise TooLargeError(
            f"{len(jobs)} fronts of up to {top} jobs make matrices of {entries:.2g} numbers,"
            f" more than {MAX_BLOCK_ENTRIES:.2g}"
        )
    levels = [
        tuple(f for f in jobs if jobs[f] == k or (jobs[f] < k and model.is_full(f)))
        for k in range(top + 1)
    ]
    return levels, jobs


def _reachable(model: FiniteSkipModel) -> list[Front]:
    found, pending, steps = {model.empty: None}, [model.empty], 0
    while pending:
        front = pending.pop()
        fronts = [front, *(left for _, left, _ in model.events(front))]
        steps += (len(fronts) - 1) * sum(model.counts(front))
        after = [model.at_rest(left) for left in fronts[1:]]
        for open_front in (f for f in fronts if not model.is_full(f)):
            after += [larger for _, larger in model.admissions(open_front)]
        pending += (new := [other for other in dict.fromkeys(after) if other not in found])
        found.update(dict.fromkeys(new))
        if len(found) > MAX_FRONTS:
            raise TooLargeError(f"the model has more than {MAX_FRONTS} fronts")
        if steps > MOST_STEPS:
            raise TooLargeError("the fronts of the model hold more than some hundred jobs each")
    return list(found)


class PhaseRates(NamedTuple):
    """(α_i, i); for every phase i (T_ij, j) with j ≠ i; −(T 1)_i. Zeros of α and T are left out."""

    starts: tuple[tuple[float, int], ...]
    moves: tuple[tuple[tuple[float, int], ...], ...]
    exits: tuple[float, ...]


@cache
def phase_rates(size: Size) -> PhaseRates:
    """The `PhaseRates` of a size; raises `ValueError` unless it is phase-type."""
    alpha, T = size.phases()
    moves = T - np.diag(np.diagonal(T))
    exits = [exit_rate(row, i) for i, row in enumerate(T.tolist())]
    return PhaseRates(
        tuple((float(p), i) for i, p in enumerate(alpha) if p > 0),
        tuple(tuple((float(r), j) for j, r in enumerate(row) if r > 0) for row in moves),
        tuple(exits),
    )


def shifted(counts: tuple[int, ...], i: int, by: int) -> tuple[int, ...]:
    """The counts with `by` more of kind i."""
    return (*counts[:i], counts[i] + by, *counts[i + 1 :])
