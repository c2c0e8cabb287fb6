"""Quickswap, and nonpreemptive Most Servers First, for any two needs and exponential durations.

Small jobs need v of n servers and arrive at rate λ_v, large ones need w > v, at rate λ_w; durations
are exponential of rates μ_v and μ_w. No job is interrupted. N_c jobs of class c are present and u_c
of them in service, u_w ≤ ⌊n/w⌋. At every arrival and completion

1. large jobs start as long as they fit;
2. then small ones start as long as they fit, unless they are *held back*: small jobs in service
   keep a large one out, 0 < u_v ≤ ℓ and u_w < ⌊n/w⌋, both now and after the event before;
3. in the reading *if a large job waits* they are held back only while one does.

So (N_v, N_w, u_v, u_w) is a Markov chain. With ℓ = 0 no job is held back, which is nonpreemptive
Most Servers First. Needs 1 and n give `quickswap`; ℓ counts the jobs in service once all have
started that may.

**Levels.** One class is the level of a quasi-birth-death process (`qbd`): once N_c is at least the
number of its jobs that fit, which jobs start no longer depends on N_c. The other class, with the
lower arrival rate, is truncated to at most K jobs; further arrivals are turned away.

**What is left out.** K grows by a factor until this changes nothing. The mass beyond K falls
geometrically in K, so that changes of E[N_c] fall faster from one K to the next: if the last is a
part r of the one before, those to come are at most r/(1 − r) of it. `imprecision` is the larger of
that and the last change, plus rounding. No λ* is needed, as it may not be known: a queue is not
stable if its changes do not fade.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import qbd
from multiserver.open.quickswap import Reading

Vector = NDArray[np.float64]
# N of the class that is truncated to K, and the jobs in service, small and large.
Phase = tuple[int, int, int]

# At most so many phases of a level and entries of all blocks; K at first, and its growth.
MOST_PHASES, MOST_NUMBERS, INITIAL_JOBS, GROWTH = 1500, 8e7, 12, 1.3
# Means with larger errors are refused; smaller errors are not sought.
ROUGH, ENOUGH = 1e-5, 1e-10
# The error of E[N_c] by rounding, in parts of that of E[u_c].
ROUNDED = 10.0
# Levels below which P(N > k) is summed from the lowest on.
FAR = 10_000


class QuickswapRule(NamedTuple):
    """n, v, w, ℓ, and whether small jobs are held back though no large one waits."""

    servers: int
    small: int
    large: int
    threshold: int
    always: bool

    def holds(self, u_small: int, u_large: int, waiting: int) -> bool:
        """Whether small jobs are held back from the next event on, given the large ones waiting."""
        kept_out = 0 < u_small <= self.threshold and u_large < self.servers // self.large
        return kept_out and (self.always or waiting > 0)

    def start(
        self, present: tuple[int, int], serving: tuple[int, int], held: bool
    ) -> tuple[int, int]:
        """The jobs in service once all have started that may."""
        (small, large), (u_small, u_large) = present, serving
        idle = self.servers - u_small * self.small - u_large * self.large
        more = min(large - u_large, idle // self.large)
        u_large, idle = u_large + more, idle - more * self.large
        if not (held and self.holds(u_small, u_large, large - u_large)):
            u_small += min(small - u_small, idle // self.small)
        return u_small, u_large


@dataclass(frozen=True, eq=False)
class TwoNeedsMeans:
    """E[N_c], E[u_c] of them in service and E[Q_c] not, small before large; K `kept`, and the
    relative error of the worse of E[N_c]. `distribution` is that of the process; `others` (levels,
    phases) counts the jobs of the class that is not its level."""

    class_jobs: Vector
    class_in_service: Vector
    class_waiting: Vector
    kept: int
    imprecision: float
    distribution: qbd.StationaryDistribution
    others: tuple[Vector, ...]

    @property
    def phases(self) -> int:
        """The phases of a level."""
        return len(self.others[-1])

    def tail(self, k: int) -> float:
        """P(N > k), of both classes together."""
        if k < 0:
            return 1.0
        over, top = float(self.distribution.tail(k)), self.distribution.qbd.top
        # On levels below k − K there are too few jobs of the other class.
        first = k - self.kept if k - self.kept > FAR else 0
        for level in range(first, k + 1):
            if level == first or level <= top:
                found = self.distribution.phase_distribution(level)
            else:
                found = found @ self.distribution.rate_matrix
            over += float(found[self.others[min(level, top)] > k - level].sum())
        return over


def solve(
    system: MultiserverJobSystem,
    arrival_rate: float,
    threshold: int = 0,
    reading: Reading = "always",
    *,
    enough: float = ENOUGH,
) -> TwoNeedsMeans:
    """The means at arrival rate λ of two classes, the smaller need first, with `imprecision` at
    most `enough` if `MOST_PHASES` allow it.

    Raises `ValueError` unless v < w and ℓ is an integer with 0 ≤ ℓ < ⌊n/v⌋ or 0, `UnstableError` if
    one class alone is too much, and `TooLargeError` if the error of E[N_c] still exceeds `ROUGH`,
    as it does if the queue is not stable.
    """
    needs = system.needs
    if len(needs) != 2 or not needs[0] < needs[1]:
        raise ValueError(f"there must be two needs, the smaller first, found {needs}")
    if threshold not in range(max(1, system.servers // needs[0])):
        raise ValueError(
            f"the threshold must be an integer from 0 to ⌊n/v⌋ - 1 ="
            f" {system.servers // needs[0] - 1}, found {threshold!r}"
        )
    rule = QuickswapRule(system.servers, *needs, threshold, reading == "always")
    flows = arrival_rate * np.array(system.probabilities)
    point = _Point(rule, flows, np.array(system.rates), int(flows[1] > flows[0]))
    known = flows / np.array(system.rates)
    kept, means, changed, open_ = INITIAL_JOBS, None, np.inf, np.inf
    while (process := _process(point, kept)) is not None:
        before, means = means, _means(point, *process, kept)
        off = abs(means.class_in_service / known - 1)
        if before is not None:
            earlier = changed
            changed = float((abs(means.class_jobs - before.class_jobs) / means.class_jobs).max())
            fading = changed / (earlier - changed) if changed < earlier else np.inf
            open_ = changed * max(1.0, fading)
            # The error by rounding if rates are far apart: E[u_c] is known.
            rounding = ROUNDED * float(off.max()) + means.distribution.imprecision
            means = replace(means, imprecision=open_ + rounding)
            if means.imprecision <= enough:
                return means
        kept = math.ceil(GROWTH * kept)
    if means is None or not open_ <= max(ROUGH, enough):
        left = f"a relative error of {open_:.0e}" if open_ < np.inf else "an unknown error"
        raise TooLargeError(
            f"levels of {MOST_PHASES} phases, which hold fewer than {kept} jobs of one class, leave"
            f" {left} in a mean: the queue is not stable, or too many jobs matter"
        )
    return means


class _Point(NamedTuple):
    """The rule, λ_c and μ_c, and the class that is the level."""

    rule: QuickswapRule
    flows: Vector
    rates: Vector
    level: int

    @property
    def top(self) -> int:
        """B: from so many jobs of the level's class on nothing depends on their number."""
        need = (self.rule.small, self.rule.large)[self.level]
        return max(1, self.rule.servers // need)

    def moves(self, level: int, phase: Phase, kept: int) -> Iterator[tuple[int, Phase, float]]:
        """All transitions: the change of the level, the phase after it, and the rate."""
        other, *serving = phase
        present = [other, other]
        present[self.level] = level
        held = self.rule.holds(*serving, present[1] - serving[1])
        for c in (0, 1):
            for step, rate in ((1, self.flows[c]), (-1, serving[c] * self.rates[c])):
                if rate == 0 or (c != self.level and step > 0 and other == kept):
                    continue
                jobs, still = list(present), list(serving)
                jobs[c] += step
                still[c] -= step < 0
                u = self.rule.start((jobs[0], jobs[1]), (still[0], still[1]), held)
                there = (jobs[1 - self.level], *u)
                yield (step if c == self.level else 0), there, float(rate)


def _process(point: _Point, kept: int) -> tuple[qbd.QuasiBirthDeath, list[list[Phase]]] | None:
    """The process with at most K jobs of the other class, and the phases of each level; None if it
    does not fit."""
    top = point.top
    # Each level has a phase for every number of jobs of the other class at least.
    if 3 * top * (kept + 1) ** 2 > MOST_NUMBERS:
        return None
    places: list[dict[Phase, int]] = [{} for _ in range(top + 2)]
    reached = [(0, (0, 0, 0))]
    moves = []
    for level, phase in reached:
        if phase in places[level]:
            continue
        # Levels from B on have the same phases.
        for alike in (top, top + 1) if level >= top else (level,):
            places[alike][phase] = len(places[alike])
            for step, there, rate in point.moves(alike, phase, kept):
                moves.append((alike, step, phase, there, rate))
                reached.append((min(alike + step, top + 1), there))
        if len(places[level]) > MOST_PHASES:
            return None
    sizes = [len(of) for of in places] + [len(places[-1])]
    below = [0, *sizes]
    numbers = sum(m * (below[k] + m + sizes[k + 1]) for k, m in enumerate(sizes[:-1]))
    if numbers > MOST_NUMBERS:
        return None
    blocks = [
        {
            step: np.zeros((sizes[k], m))
            for step, m in ((-1, below[k]), (0, sizes[k]), (1, sizes[k + 1]))
        }
        for k in range(top + 2)
    ]
    for level, step, phase, there, rate in moves:
        to = places[min(level + step, top + 1)][there]
        blocks[level][step][places[level][phase], to] += rate
    phases = [list(of) for of in places]
    serving = [np.array([phase[1 + point.level] for phase in of], float) for of in phases]
    levels = [qbd.Level(of[1], of[0], of[-1], u) for of, u in zip(blocks, serving, strict=True)]
    flow = float(point.flows[point.level])
    return qbd.QuasiBirthDeath(flow, tuple(levels[:-1]), levels[-1]), phases


def _means(
    point: _Point, process: qbd.QuasiBirthDeath, phases: list[list[Phase]], kept: int
) -> TwoNeedsMeans:
    try:
        distribution = qbd.solve(process)
    except UnstableError as error:
        need = (point.rule.small, point.rule.large)[point.level]
        raise UnstableError(
            f"not stable: jobs of need {need} arrive at rate {process.arrival_rate!r}, faster than"
            f" they can leave even where no more than {kept} of the others are let in",
            arrival_rate=float(point.flows.sum()),
        ) from error
    if not distribution.boundary[0].sum() > 0:
        raise TooLargeError("a threshold that is hardly ever reached: empty systems have no float")
    counts = [np.array(of, float) for of in phases]
    parts = list(zip((*distribution.boundary, distribution.above), counts, strict=True))
    other, *serving = sum(pi @ values for pi, values in parts).tolist()
    # E[N_c] − E[u_c] would have no digit left where jobs hardly ever wait.
    held_back = sum(pi @ (values[:, 0] - values[:, 2 - point.level]) for pi, values in parts)
    of_both = (distribution.mean_jobs, distribution.mean_waiting), (other, held_back)
    jobs, waiting = np.array(of_both if point.level == 0 else of_both[::-1]).T
    others = tuple(x[:, 0] for x in counts)
    return TwoNeedsMeans(jobs, np.array(serving), waiting, kept, np.inf, distribution, others)
