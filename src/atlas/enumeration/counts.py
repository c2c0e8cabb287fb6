"""Chains of numbers of jobs, for policies that depend only on the number of jobs of each class.

With exponential durations these counts are a Markov chain, whatever the order of service within a
class. It is truncated at a number of jobs so large that this changes no digit. For needs other than
1 and n there is no other exact method for these policies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import le, mul

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from atlas.enumeration.elimination import stationary_sparse
from atlas.enumeration.fronts import Means

Counts = tuple[int, ...]
# The most jobs of a truncated chain, by the number of classes, and the truncation error allowed.
MOST = {1: 5000, 2: 400, 3: 45}
NEGLIGIBLE = 1e-15
# The servers of each class, as a function of the jobs present, needs and servers.
Rule = Callable[[Counts, Sequence[int], int], Sequence[int]]


def smallest_first(present: Counts, needs: Sequence[int], servers: int) -> Sequence[int]:
    """Rigid jobs, the smallest needs first."""
    return in_order(present, needs, servers, sorted(range(len(needs)), key=lambda c: needs[c]))


def largest_first(present: Counts, needs: Sequence[int], servers: int) -> Sequence[int]:
    """Rigid jobs, the largest needs first."""
    return in_order(present, needs, servers, sorted(range(len(needs)), key=lambda c: -needs[c]))


def in_order(
    present: Counts, needs: Sequence[int], servers: int, order: Sequence[int]
) -> Sequence[int]:
    """Rigid jobs, with the classes in order of priority."""
    taken, idle = [0] * len(needs), servers
    for c in order:
        taken[c] = min(present[c], idle // needs[c]) * needs[c]
        idle -= taken[c]
    return taken


def elastic(largest: bool) -> Rule:
    """Threshold parallelism, the largest or the smallest thresholds first."""

    def rule(present: Counts, needs: Sequence[int], servers: int) -> Sequence[int]:
        taken, idle = [0] * len(needs), servers
        for c in sorted(range(len(needs)), key=lambda c: needs[c], reverse=largest):
            taken[c] = min(present[c] * needs[c], idle)
            idle -= taken[c]
        return taken

    return rule


# Rules by the names of the policies.
ORDERS: dict[str, Rule] = {
    "least-servers-first": smallest_first,
    "most-servers-first": largest_first,
    "elastic-first": elastic(True),
    "inelastic-first": elastic(False),
}


def max_weight(ties: str = "larger", packings: str = "present") -> Rule:
    """MaxWeight: the packing u with the largest Σ u_c N_c. Ties go to the packing with most jobs of
    the largest need, then the second largest, …, or of the smallest need. Packings are of jobs that
    are `present`, or `all` that fit the servers; jobs of it that are present are served."""

    def rule(present: Counts, needs: Sequence[int], servers: int) -> Sequence[int]:
        competing = fit(servers, tuple(needs), ties == "larger")
        if packings != "all":
            competing = [u for u in competing if all(map(le, u, present))]
        best = max(competing, key=lambda u: sum(map(mul, u, present)))
        return [min(a, m) * v for a, m, v in zip(best, present, needs, strict=True)]

    return rule


@cache
def fit(servers: int, needs: tuple[int, ...], larger: bool = True) -> list[Counts]:
    """All packings (numbers of jobs that fit the servers); of equal weights the first wins."""
    numbers = itertools.product(*(range(servers // v + 1) for v in needs))
    order = sorted(range(len(needs)), key=lambda c: needs[c], reverse=larger)
    packings = [u for u in numbers if sum(map(mul, u, needs)) <= servers]
    return sorted(packings, key=lambda u: [u[c] for c in order], reverse=True)


@dataclass(frozen=True)
class Jobs:
    """Servers, and needs, rates and probabilities of the classes; a job on as many servers as it
    needs completes at its rate of `rates`."""

    servers: int
    needs: Sequence[int]
    rates: Sequence[float]
    probabilities: Sequence[float]

    def some(self, classes: Sequence[int]) -> Jobs:
        """The jobs of some classes, with their probabilities unchanged."""
        parts = self.needs, self.rates, self.probabilities
        return Jobs(self.servers, *([part[c] for c in classes] for part in parts))


@dataclass(frozen=True)
class Distribution:
    """The stationary distribution of the counts, level by level: the counts, the servers of each
    class, and the probabilities."""

    states: list[list[Counts]]
    servers: list[NDArray[np.int64]]
    probabilities: list[NDArray[np.float64]]

    @property
    def levels(self) -> list[float]:
        return [float(part.sum()) for part in self.probabilities]

    def mean(self, values: Sequence[ArrayLike]) -> NDArray[np.float64]:
        """The mean of `values`, which are given for each state, level by level."""
        pairs = zip(self.probabilities, values, strict=True)
        return sum(p @ np.array(part, dtype=float) for p, part in pairs)


def means(rule: Rule, jobs: Jobs, arrival_rate: float) -> Means:
    """Means under the stationary distribution of the counts; raises `ArithmeticError` as `solve`
    does."""
    distribution = solve(rule, jobs, arrival_rate)
    present, at_work = (
        distribution.mean(distribution.states),
        distribution.mean(distribution.servers),
    )
    waiting = float(present.sum()) - float((at_work / np.array(jobs.needs)).sum())
    return Means(tuple(present.tolist()), waiting, float(at_work.sum()), tuple(distribution.levels))


def solve(rule: Rule, jobs: Jobs, arrival_rate: float) -> Distribution:
    """The stationary distribution of the counts.

    Raises `ArithmeticError` if the truncation would need more jobs than `MOST` allows.
    """
    farthest = MOST.get(len(jobs.needs), 30)
    most = min(20, farthest)
    while True:
        distribution = _truncate(rule, jobs, arrival_rate, most)
        levels = distribution.levels
        # The share of the last level in the smallest mean.
        end = levels[-1] * most / float(distribution.mean(distribution.states).min())
        if end <= NEGLIGIBLE:
            return distribution
        ratio = (levels[-1] / levels[-11]) ** 0.1
        further = math.log(NEGLIGIBLE / end) / math.log(ratio) if ratio < 1 else math.inf
        if most == farthest or most + further > 1.1 * farthest:
            raise ArithmeticError(f"{most + further:.0f} jobs to the end, {farthest} at most")
        most = min(math.ceil(1.1 * (most + further)) + 5, farthest)


def _truncate(rule: Rule, jobs: Jobs, arrival_rate: float, most: int) -> Distribution:
    """The stationary distribution with at most `most` jobs present."""
    needs, rates, classes = jobs.needs, jobs.rates, len(jobs.needs)
    states = [_level(n, classes) for n in range(most + 1)]
    servers = [np.array([rule(x, needs, jobs.servers) for x in level]) for level in states]
    ends = np.cumsum([0, *map(len, states)])
    rows, columns, speeds = [], [], []
    for n, taken in enumerate(servers[1:]):
        for c, p in enumerate(jobs.probabilities):
            here, above = ends[n] + np.arange(len(states[n])), _next(n, classes)[:, c]
            rows += [here, ends[n + 1] + above]
            columns += [ends[n + 1] + above, here]
            speeds += [np.full(len(here), arrival_rate * p), taken[above, c] / needs[c] * rates[c]]
    pairs = np.concatenate(rows), np.concatenate(columns)
    moves = csr_array((np.concatenate(speeds), pairs), shape=(ends[-1], ends[-1]))
    return Distribution(states, servers, np.split(stationary_sparse(moves), ends[1:-1]))


@cache
def _level(total: int, classes: int) -> list[Counts]:
    """The states with `total` jobs."""
    return list(compositions(total, classes))


@cache
def _next(total: int, classes: int) -> NDArray[np.int64]:
    """For each state with `total` jobs, the indices on the level above of the states with one more
    job of each class."""
    index = {x: i for i, x in enumerate(_level(total + 1, classes))}
    return np.array(
        [
            [index[(*x[:c], x[c] + 1, *x[c + 1 :])] for c in range(classes)]
            for x in _level(total, classes)
        ]
    )


def compositions(total: int, parts: int) -> Iterator[Counts]:
    """All ways to write `total` as an ordered sum of `parts` numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1))
