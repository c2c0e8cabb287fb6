"""Chains of jobs that nobody interrupts: who waits, who is in service, and a door for small ones.

Most Servers First without preemption lets in whoever fits, the largest needs first. Quickswap of
two needs has a door for the small ones. It shuts once those in service are few, at most ℓ of them,
but in the way of a large job, and opens again when nobody is in the way. With exponential durations
this is a Markov chain; it is cut off at so many jobs that this changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from atlas.enumeration.counts import Jobs
from atlas.enumeration.elimination import Level, eliminate
from atlas.enumeration.fronts import Means

# The most jobs at which a chain is cut off, and what may lie beyond.
MOST, NEGLIGIBLE = 260, 1e-15


@dataclass(frozen=True, slots=True)
class State:
    """How many of each class wait and are in service, and whether small ones may start."""

    waiting: tuple[int, ...]
    serving: tuple[int, ...]
    open: bool = True

    @property
    def jobs(self) -> int:
        return sum(self.waiting) + sum(self.serving)


@dataclass(frozen=True)
class Unbroken:
    """The policy, for `jobs` of increasing need; a door only if the threshold is not 0, which is
    for two classes."""

    jobs: Jobs
    threshold: int = 0
    even_if_none_waits: bool = True

    def settle(self, state: State) -> State:
        """The state when all have gone in who may."""
        # Whoever waits behind as many as there are servers does not go in at once.
        first = tuple(min(w, self.jobs.servers) for w in state.waiting)
        waiting, serving, way = self._started(first, state.serving, state.open)
        behind = (w - a + b for w, a, b in zip(state.waiting, first, waiting, strict=True))
        return State(tuple(behind), serving, way)

    def _let_in(
        self, first: tuple[int, ...], in_service: tuple[int, ...], way: bool
    ) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
        """Who waits and who is served when the `first` of each line have gone in who may."""
        waiting, serving = list(first), list(in_service)

        def let_in(c: int) -> None:
            while waiting[c] and self.idle(serving) >= self.jobs.needs[c]:
                waiting[c] -= 1
                serving[c] += 1

        for c in range(len(waiting) - 1, 0, -1):
            let_in(c)
        way = way or not self._in_the_way(waiting, serving)
        if way:
            let_in(0)
        if way and 0 < serving[0] <= self.threshold and self._in_the_way(waiting, serving):
            way = False
        return tuple(waiting), tuple(serving), way

    def idle(self, serving: Sequence[int]) -> int:
        """The servers that nobody has."""
        return self.jobs.servers - sum(u * v for u, v in zip(serving, self.jobs.needs, strict=True))

    def _in_the_way(self, waiting: Sequence[int], serving: Sequence[int]) -> bool:
        """Whether one more large job, if there is one, would fit but for the small ones."""
        wanted = self.even_if_none_waits or waiting[-1] > 0
        return wanted and serving[0] > 0 and self.idle([0, *serving[1:]]) >= self.jobs.needs[-1]

    def steps(self, state: State, rate: float) -> Iterator[tuple[float, State]]:
        """What may come next of a state, at arrival rate λ."""
        for c, (mu, p) in enumerate(zip(self.jobs.rates, self.jobs.probabilities, strict=True)):
            yield (
                rate * p,
                self.settle(State(_plus(state.waiting, c, 1), state.serving, state.open)),
            )
            if state.serving[c]:
                left = State(state.waiting, _plus(state.serving, c, -1), state.open)
                yield state.serving[c] * mu, self.settle(left)

    @cached_property
    def _started(self) -> Callable[..., tuple[tuple[int, ...], tuple[int, ...], bool]]:
        return cache(self._let_in)

    @cached_property
    def empty(self) -> State:
        none = (0,) * len(self.jobs.needs)
        return State(none, none)


def read(jobs: Jobs, name: str, options: Mapping[str, Any]) -> Unbroken:
    """The policy of a name. Raises `ValueError` unless needs increase, of Quickswap two."""
    if list(jobs.needs) != sorted(jobs.needs) or (name == "quickswap" and len(jobs.needs) != 2):
        raise ValueError(f"{name} of needs {jobs.needs}")
    if name != "quickswap":
        return Unbroken(jobs)
    always = options.get("last_phase", "always") == "always"
    return Unbroken(jobs, int(options.get("threshold", 1)), always)


def _plus(numbers: tuple[int, ...], c: int, more: int) -> tuple[int, ...]:
    return (*numbers[:c], numbers[c] + more, *numbers[c + 1 :])


def means(policy: Unbroken, rate: float) -> Means:
    """What the law of the chain says. Raises `ArithmeticError` if the end would have to be further
    away than `MOST`."""
    most = 40
    while True:
        places, laws = _cut(policy, rate, most)
        jobs = sum(
            law @ np.array([_present(x) for x in at]) for law, at in zip(laws, places, strict=True)
        )
        # What the last level weighs in the smallest mean.
        end = laws[-1].sum() * most / jobs.min()
        if end <= NEGLIGIBLE:
            break
        ratio = (laws[-1].sum() / laws[-11].sum()) ** 0.1
        further = math.log(NEGLIGIBLE / end) / math.log(ratio) if ratio < 1 else math.inf
        if most + further > MOST:
            raise ArithmeticError(f"{most + further:.0f} jobs to the end, {MOST} at most")
        most = math.ceil(most + 1.05 * further) + 5
    serving = sum(
        law @ np.array([x.serving for x in at]) for law, at in zip(laws, places, strict=True)
    )
    levels = tuple(float(law.sum()) for law in laws)
    busy = float(serving @ np.array(policy.jobs.needs))
    return Means(tuple(jobs.tolist()), float(jobs.sum() - serving.sum()), busy, levels)


def _present(state: State) -> list[int]:
    return [a + b for a, b in zip(state.waiting, state.serving, strict=True)]


def _cut(policy: Unbroken, rate: float, most: int) -> tuple[list[list[State]], list[np.ndarray]]:
    """The states with 0, 1, …, `most` jobs that are reached, and their law."""
    found: list[dict[State, int]] = [{} for _ in range(most + 1)]
    moves: list[tuple[int, int, int, int, float]] = []
    found[0][policy.empty] = 0
    ahead = [policy.empty]
    while ahead:
        state = ahead.pop()
        level = state.jobs
        place = found[level][state]
        for speed, there in policy.steps(state, rate):
            other = there.jobs
            if other > most:
                continue
            if there not in found[other]:
                found[other][there] = len(found[other])
                ahead.append(there)
            moves.append((level, place, other, found[other][there], speed))
    sizes = [0, *map(len, found), 0]
    levels = [
        Level(np.zeros((m, above)), np.zeros((m, m)), np.zeros((m, below)))
        for below, m, above in zip(sizes, sizes[1:], sizes[2:], strict=False)
    ]
    for level, place, other, there_place, speed in moves:
        block = levels[level].up if other > level else levels[level].down
        block[place, there_place] += speed
    laws = eliminate(levels)
    total = math.fsum(float(law.sum()) for law in laws)
    return [list(at) for at in found], [law / total for law in laws]


def fills_in_the_end(policy: Unbroken) -> bool:
    """Whether all servers are at work, after a while and for ever, if jobs of one class or of both
    wait without end while none of the other come, whoever was in service before."""
    v, n = policy.jobs.needs, policy.jobs.servers
    return all(
        policy.idle(state.serving) == 0
        for waiting in ((n, 0), (0, n), (n, n))
        for state in _recurrent(
            policy,
            waiting,
            [(a, b) for a in range(n // v[0] + 1) for b in range((n - a * v[0]) // v[1] + 1)],
        )
    )


def _recurrent(
    policy: Unbroken, waiting: tuple[int, ...], serving: Sequence[tuple[int, ...]]
) -> list[State]:
    """The states that are come back to if so many always wait."""
    found = [policy.settle(State(waiting, u)) for u in serving]
    ahead = list(dict.fromkeys(State(waiting, x.serving, x.open) for x in found))
    numbers, edges = {state: k for k, state in enumerate(ahead)}, []
    for state in ahead:
        for c, u in enumerate(state.serving):
            if u:
                left = State(waiting, _plus(state.serving, c, -1), state.open)
                after = policy.settle(left)
                there = State(waiting, after.serving, after.open)
                if there not in numbers:
                    numbers[there] = len(ahead)
                    ahead.append(there)
                edges.append((state, there))
    rows, columns = ([numbers[edge[end]] for edge in edges] for end in (0, 1))
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(ahead),) * 2)
    _, parts = connected_components(graph, connection="strong")
    leaving = {parts[a] for a, b in zip(rows, columns, strict=True) if parts[a] != parts[b]}
    return [state for k, state in enumerate(ahead) if parts[k] not in leaving]
