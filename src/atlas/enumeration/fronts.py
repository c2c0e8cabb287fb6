"""Chains of a front and a queue: the classes of jobs behind the front are not drawn yet.

If a policy depends only on the oldest jobs, these are its *front*. The next job moves into the
front while it is *open*. Behind a *closed* front only the number of jobs counts, and each is of
class c with probability p_c. The state is therefore the front and the number of jobs behind it, and
the level is the number of jobs. `enumeration.policies` has the fronts of all policies.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from atlas.enumeration.elimination import Level, eliminate, repeat, stationary

Front = Hashable
Array = NDArray[np.float64]


class FrontRule(Protocol):
    """The behaviour of a front. `admit` gives (probability, front) with one job more; `events`
    gives (rate, front, whether a job left); `jobs` counts by class; `in_service` counts jobs in
    service and `busy` counts busy servers (or their speed)."""

    empty: Front
    probabilities: Sequence[float]

    def is_open(self, front: Front) -> bool: ...
    def admit(self, front: Front) -> Iterable[tuple[float, Front]]: ...
    def events(self, front: Front) -> Iterable[tuple[float, Front, bool]]: ...
    def jobs(self, front: Front) -> Sequence[int]: ...
    def in_service(self, front: Front) -> int: ...
    def busy(self, front: Front) -> float: ...
    def without_holes(self, front: Front) -> Front: ...


@dataclass(frozen=True)
class Means:
    """E[N] by class, E[Q], the mean number of busy servers and P(N = n) for n = 0, 1, …; `behind`
    is the mean number of jobs behind the front, `flows` the completion rate of each class, if that
    is not obvious."""

    class_jobs: tuple[float, ...]
    waiting: float | None
    busy: float
    levels: tuple[float, ...]
    behind: float | None = None
    flows: tuple[float, ...] | None = None

    @property
    def jobs(self) -> float:
        return float(sum(self.class_jobs))

    def tail(self, k: int) -> float:
        """P(N > k), summed from the smallest terms."""
        return float(sum(reversed(self.levels[k + 1 :])))


class FrontChain:
    """The chain of a front rule."""

    def __init__(self, rule: FrontRule) -> None:
        self.rule = rule
        self._advanced: dict[tuple[Front, int], dict[tuple[Front, int], float]] = {}
        self.fronts = self._explore()
        self.closed = [f for f in self.fronts if not rule.is_open(f)]
        self.largest = max(sum(rule.jobs(f)) for f in self.fronts)

    def advance_queue(self, front: Front, behind: int) -> dict[tuple[Front, int], float]:
        """The states (front, jobs behind) after jobs have moved up, with their probabilities."""
        if not behind or not self.rule.is_open(front):
            return {(self.rule.without_holes(front), behind): 1.0}
        key = front, behind
        if key not in self._advanced:
            states: dict[tuple[Front, int], float] = {}
            for p, grown in self.rule.admit(front):
                for state, q in self.advance_queue(grown, behind - 1).items():
                    states[state] = states.get(state, 0.0) + p * q
            self._advanced[key] = states
        return self._advanced[key]

    def _explore(self) -> list[Front]:
        indices = {self.rule.empty: 0}
        pending = [self.rule.empty]
        while pending:
            front = pending.pop()
            after = [f for _, f, _ in self.rule.events(front)]
            growing = [f for f in (front, *after) if self.rule.is_open(f)]
            grown = [f for one in growing for _, f in self.rule.admit(one)]
            for one in (*map(self.rule.without_holes, after), *grown):
                if one not in indices:
                    indices[one] = len(indices)
                    pending.append(one)
        return list(indices)

    @cached_property
    def uniform(self) -> int:
        """The level from which on all blocks are equal."""
        return 2 * self.largest + 2

    def states(self, n: int) -> list[Front]:
        """The fronts at level n."""
        if n > self.largest:
            return self.closed
        size = [sum(self.rule.jobs(f)) for f in self.fronts]
        pairs = zip(self.fronts, size, strict=True)
        return [f for f, m in pairs if m == n or (m < n and not self.rule.is_open(f))]

    def level(self, n: int, rate: float) -> Level:
        """The rates out of level n at arrival rate λ."""
        here, above = self.states(n), self.states(n + 1)
        below = self.states(n - 1) if n else []
        index = [{f: i for i, f in enumerate(part)} for part in (below, here, above)]
        blocks = [np.zeros((len(here), len(part))) for part in (below, here, above)]
        for i, front in enumerate(here):
            behind = n - sum(self.rule.jobs(front))
            for (grown, _), p in self.advance_queue(front, behind + 1).items():
                blocks[2][i, index[2][grown]] += rate * p
            for speed, after, left in self.rule.events(front):
                for (grown, _), p in self.advance_queue(after, behind).items():
                    k = 0 if left else 1
                    blocks[k][i, index[k][grown]] += speed * p
        np.fill_diagonal(blocks[1], 0.0)
        return Level(blocks[2], blocks[1], blocks[0])

    @cached_property
    def limit(self) -> float:
        """λ*: the departure rate while there are always jobs behind the front."""
        level = self.level(self.uniform, 1.0)
        rates = level.within + level.down
        np.fill_diagonal(rates, 0.0)
        # Transient fronts are left out.
        _, parts = connected_components(rates > 0, connection="strong")
        leaves = {parts[i] for i, j in zip(*np.nonzero(rates), strict=True) if parts[i] != parts[j]}
        (stays,) = set(parts.tolist()) - leaves
        kept = np.flatnonzero(parts == stays)
        rows = (self.rule.events(self.closed[i]) for i in kept)
        departures = [sum(speed for speed, _, left in row if left) for row in rows]
        return float(stationary(rates[np.ix_(kept, kept)]) @ np.array(departures))

    def level_weights(self, rate: float) -> tuple[list[Array], Array]:
        """The stationary probabilities of the levels up to `uniform`, not normalised, and R:
        beyond, those of level n + 1 are those of level n times R.

        Raises `ArithmeticError` unless λ < λ*.
        """
        if rate >= (limit := self.limit):
            raise ArithmeticError(f"λ = {rate:.6g} is not below λ* = {limit:.6g}")
        levels = [self.level(n, rate) for n in range(self.uniform + 1)]
        ratio = repeat(levels[-1])
        return eliminate(levels, ratio), ratio[1]

    def means(self, rate: float, most: int = 0) -> Means:
        """Means under the stationary distribution at λ, and P(N = n) up to `most` or further.

        Raises `ArithmeticError` unless λ < λ*.
        """
        base = self.uniform
        levels, R = self.level_weights(rate)
        # Sums over the levels from `base` on, with Σ_k R^k and Σ_k k R^k.
        inverse = np.linalg.inv(np.eye(len(R)) - R)
        total = levels[base] @ inverse
        further = total @ R @ inverse
        mass = sum(float(weights.sum()) for weights in levels[:base]) + float(total.sum())
        p = np.array(self.rule.probabilities)
        jobs, waiting, busy, behind = np.zeros(len(p)), 0.0, 0.0, 0.0
        for n in range(base + 1):
            here = self.states(n)
            weights = levels[n] if n < base else total
            for i, front in enumerate(here):
                own = np.array(self.rule.jobs(front), dtype=float)
                more = n - own.sum()
                unseen = weights[i] * more + (further[i] if n == base else 0.0)
                jobs += weights[i] * own + unseen * p
                behind += unseen
                waiting += weights[i] * (own.sum() - self.rule.in_service(front)) + unseen
                busy += weights[i] * self.rule.busy(front)
        masses = [float(weights.sum()) for weights in levels[:base]]
        weights = levels[base]
        while len(masses) < most or weights.sum() > 1e-30 * mass:
            masses.append(float(weights.sum()))
            weights = weights @ R
        return Means(
            tuple((jobs / mass).tolist()),
            waiting / mass,
            busy / mass,
            tuple(m / mass for m in masses),
            behind / mass,
        )
