"""Chains of nonpreemptive policies: jobs waiting, jobs in service, and a door for small ones.

Nonpreemptive Most Servers First starts every job that fits, the largest needs first. Quickswap of
two needs has a door for small jobs. It closes when few of them, at most ℓ, are in service but still
block a large job, and opens again when they block none. With exponential durations this is a Markov
chain; it is truncated at a number of jobs so large that this changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from atlas.enumeration.counts import Jobs
from atlas.enumeration.elimination import stationary_sparse
from atlas.enumeration.fronts import Means

# Rows (m, 2C + 1): the numbers waiting by class, the numbers in service by class, and whether small
# jobs may start, 1 or 0.
States = NDArray[np.int64]
Numbers = NDArray[np.int64]
# The most jobs of a truncated chain, and the truncation error allowed.
MOST, NEGLIGIBLE = 260, 1e-15


@dataclass(frozen=True)
class Nonpreemptive:
    """The policy, for `jobs` of increasing need. It has a door only if the threshold is not 0,
    which requires two classes."""

    jobs: Jobs
    threshold: int = 0
    even_if_none_waits: bool = True

    @property
    def classes(self) -> int:
        """C."""
        return len(self.jobs.needs)

    def parts(self, states: States) -> tuple[Numbers, Numbers, Numbers]:
        """The numbers waiting (m, C) and in service (m, C), and the door (m,)."""
        C = self.classes
        return states[:, :C], states[:, C : 2 * C], states[:, 2 * C]

    def start_jobs(self, states: States) -> States:
        """The states after all jobs that may start have started."""
        there = states.copy()
        waiting, serving, door = self.parts(there)
        for c in range(self.classes - 1, 0, -1):
            self._start(waiting, serving, c)
        door |= ~self._block_large(waiting, serving)
        self._start(waiting, serving, 0, door)
        few = (serving[:, 0] > 0) & (serving[:, 0] <= self.threshold)
        door &= ~(few & self._block_large(waiting, serving))
        return there

    def idle(self, serving: Numbers) -> Numbers:
        """The numbers of idle servers."""
        return self.jobs.servers - serving @ np.array(self.jobs.needs)

    def _start(self, waiting: Numbers, serving: Numbers, c: int, door: Numbers | int = 1) -> None:
        go = np.minimum(waiting[:, c], self.idle(serving) // self.jobs.needs[c]) * door
        waiting[:, c] -= go
        serving[:, c] += go

    def _block_large(self, waiting: Numbers, serving: Numbers) -> NDArray[np.bool_]:
        """Whether one more large job would fit if the small ones were not there. A large job must
        wait unless `even_if_none_waits`."""
        considered = self.even_if_none_waits | (waiting[:, -1] > 0)
        beside_large = self.idle(serving) + serving[:, 0] * self.jobs.needs[0]
        return considered & (serving[:, 0] > 0) & (beside_large >= self.jobs.needs[-1])

    def arrive(self, states: States, c: int) -> States:
        """The states after an arrival of class c."""
        there = states.copy()
        there[:, c] += 1
        return self.start_jobs(there)

    def depart(self, states: States, c: int) -> States:
        """The states after a departure of class c, which must be in service in each of them."""
        there = states.copy()
        there[:, self.classes + c] -= 1
        return self.start_jobs(there)

    def served(self, states: States, c: int) -> NDArray[np.bool_]:
        """Where jobs of class c are in service."""
        return states[:, self.classes + c] > 0

    def steps(self, states: States, rate: float) -> Iterator[tuple[Numbers, NDArray, States]]:
        """The transitions at arrival rate λ, by kind: indices of the states before, rates, and the
        states after."""
        pairs = zip(self.jobs.rates, self.jobs.probabilities, strict=True)
        for c, (mu, p) in enumerate(pairs):
            yield np.arange(len(states)), np.full(len(states), rate * p), self.arrive(states, c)
            at = np.flatnonzero(self.served(states, c))
            yield at, states[at, self.classes + c] * mu, self.depart(states[at], c)


class _Codes:
    """Integer codes of the states with at most `most` jobs."""

    def __init__(self, policy: Nonpreemptive, most: int) -> None:
        C, n = policy.classes, policy.jobs.servers
        self._shape = (most + 2,) * C + (n + 1,) * C + (2,)

    def of(self, states: States) -> Numbers:
        return np.ravel_multi_index(tuple(states.T), self._shape)

    def states(self, codes: Numbers) -> States:
        return np.column_stack(np.unravel_index(codes, self._shape))

    def reached(self, first: States, onward: Callable[[States], list[States]]) -> Numbers:
        """The codes, in increasing order, of all states that can be reached from `first`."""
        codes: set[int] = set()
        ahead = set(self.of(first).tolist())
        while ahead:
            codes |= ahead
            there = onward(self.states(np.array(list(ahead))))
            ahead = set(np.concatenate([self.of(states) for states in there]).tolist()) - codes
        return np.array(sorted(codes))


def read(jobs: Jobs, name: str, options: Mapping[str, Any]) -> Nonpreemptive:
    """The policy of this name. Raises `ValueError` unless needs increase, and for Quickswap unless
    there are two."""
    if list(jobs.needs) != sorted(jobs.needs) or (name == "quickswap" and len(jobs.needs) != 2):
        raise ValueError(f"{name} of needs {jobs.needs}")
    if name != "quickswap":
        return Nonpreemptive(jobs)
    always = options.get("last_phase", "always") == "always"
    return Nonpreemptive(jobs, int(options.get("threshold", 1)), always)


def means(policy: Nonpreemptive, rate: float) -> Means:
    """Means under the stationary distribution. Raises `ArithmeticError` if the truncation would
    need more than `MOST` jobs."""
    most = 40
    while True:
        states, probabilities = _truncate(policy, rate, most)
        parts = [policy.parts(at) for at in states]
        jobs = sum(p @ (w + u) for p, (w, u, _) in zip(probabilities, parts, strict=True))
        # The share of the last level in the smallest mean.
        end = probabilities[-1].sum() * most / jobs.min()
        if end <= NEGLIGIBLE:
            break
        ratio = (probabilities[-1].sum() / probabilities[-11].sum()) ** 0.1
        further = math.log(NEGLIGIBLE / end) / math.log(ratio) if ratio < 1 else math.inf
        if most + further > MOST:
            raise ArithmeticError(f"{most + further:.0f} jobs to the end, {MOST} at most")
        most = math.ceil(most + 1.05 * further) + 5
    serving = sum(p @ u for p, (_, u, _) in zip(probabilities, parts, strict=True))
    levels = tuple(float(p.sum()) for p in probabilities)
    busy = float(serving @ np.array(policy.jobs.needs))
    return Means(tuple(jobs.tolist()), float(jobs.sum() - serving.sum()), busy, levels)


def _truncate(
    policy: Nonpreemptive, rate: float, most: int
) -> tuple[list[States], list[np.ndarray]]:
    """The states with 0, 1, …, `most` jobs that can be reached, and their stationary
    probabilities."""
    coded = _Codes(policy, most)

    def jobs(states: States) -> Numbers:
        return states[:, :-1].sum(axis=1)

    def onward(states: States) -> list[States]:
        there = [there for _, _, there in policy.steps(states, rate)]
        return [states[jobs(states) <= most] for states in there]

    empty = np.array([[0] * (2 * policy.classes) + [1]])
    codes = coded.reached(empty, onward)
    states = coded.states(codes)
    order = np.argsort(jobs(states), kind="stable")
    places = np.argsort(order)
    rows, columns, speeds = [], [], []
    for at, speed, there in policy.steps(states, rate):
        kept = jobs(there) <= most
        rows.append(places[at[kept]])
        columns.append(places[np.searchsorted(codes, coded.of(there[kept]))])
        speeds.append(speed[kept])
    shape = (len(codes), len(codes))
    pairs = np.concatenate(rows), np.concatenate(columns)
    moves = csr_array((np.concatenate(speeds), pairs), shape)
    states, probabilities = states[order], stationary_sparse(moves)
    ends = np.searchsorted(jobs(states), np.arange(1, most + 1))
    return np.split(states, ends), np.split(probabilities, ends)


def is_eventually_always_busy(policy: Nonpreemptive) -> bool:
    """Whether all servers are eventually always busy if jobs of one class or of both always wait
    while none of the other arrive, from any initial jobs in service."""
    v, n = policy.jobs.needs, policy.jobs.servers
    packings = [(a, b) for a in range(n // v[0] + 1) for b in range((n - a * v[0]) // v[1] + 1)]
    return all(
        (policy.idle(policy.parts(_recurrent(policy, waiting, packings))[1]) == 0).all()
        for waiting in ((n, 0), (0, n), (n, n))
    )


def _recurrent(
    policy: Nonpreemptive, waiting: tuple[int, ...], serving: list[tuple[int, int]]
) -> States:
    """The recurrent states if `waiting` jobs always wait."""
    coded = _Codes(policy, policy.jobs.servers)

    def still(states: States) -> States:
        states[:, : policy.classes] = waiting
        return states

    def departures(states: States) -> list[tuple[Numbers, States]]:
        busy = [np.flatnonzero(policy.served(states, c)) for c in range(policy.classes)]
        return [(at, still(policy.depart(states[at], c))) for c, at in enumerate(busy)]

    first = still(policy.start_jobs(np.array([[*waiting, *u, 1] for u in serving])))
    codes = coded.reached(first, lambda states: [there for _, there in departures(states)])
    states = coded.states(codes)
    rows = np.concatenate([at for at, _ in departures(states)])
    columns = np.concatenate(
        [np.searchsorted(codes, coded.of(there)) for _, there in departures(states)]
    )
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(codes),) * 2)
    _, parts = connected_components(graph, connection="strong")
    return states[~np.isin(parts, parts[rows[parts[rows] != parts[columns]]])]
