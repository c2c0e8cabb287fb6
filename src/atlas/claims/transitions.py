"""The saturated two-class chain by its rule alone, and the proof of Theorem 4.1 line by line.

A state is [h, a, b] (`two-class-stability`, Section 3.2). Its transitions are found by applying the
rule: a job completes, the blocking job enters if it fits, and jobs of the infinite queue enter one
by one until one blocks or no job could enter. A transition is (class that completes, class 1 jobs
and class 2 jobs that enter from the queue, state); with f_i of Eq. (1) its probability is
f_i p1^j p2^k. Weights are those of Eq. (2), in fractions, so residuals of the proof are exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, Unpack

import numpy as np

from atlas.claims import System

ROUTE = "the rule of the saturated system, played; fractions"
CONFIRMED = "the enumerated chain (tests/claims/test_transitions.py)"

State = tuple[int, int, int]
Transition = tuple[int, int, int, State]


def transitions(servers: int, needs: Sequence[int], state: State) -> list[Transition]:
    """All transitions of a state."""
    h, a, b = state
    n1, n2 = needs
    found = []
    for completes in (1, 2):
        if (a, b)[completes - 1] == 0:
            continue
        left = (a - 1, b) if completes == 1 else (a, b - 1)
        idle = servers - left[0] * n1 - left[1] * n2
        if h and idle < n2:
            found.append((completes, 0, 0, (1, *left)))
            continue
        if h:
            left, idle = (left[0], left[1] + 1), idle - n2
        found += [(completes, *entry) for entry in _entries(left, idle, n1, n2, 0, 0)]
    return found


def states(servers: int, needs: Sequence[int]) -> list[State]:
    """All states that can be reached from the one full of class 1 jobs."""
    start = (0, servers // needs[0], 0)
    found, pending = {start}, [start]
    while pending:
        for *_, to in transitions(servers, needs, pending.pop()):
            if to not in found:
                found.add(to)
                pending.append(to)
    return sorted(found, key=lambda s: s[1])


def descriptor(
    *, servers: int, needs: Sequence[int], in_service: Sequence[int], queue: Sequence[int]
) -> list[int]:
    """[non-blocking jobs in the queue, blocking jobs, class 1 and class 2 jobs in service], from
    the jobs in service and the classes of the jobs in the `queue`, head first."""
    a, b = in_service
    idle = servers - a * needs[0] - b * needs[1]
    blocks = bool(queue) and queue[0] == 2 and needs[0] <= idle < needs[1]
    return [len(queue) - blocks, int(blocks), a, b]


def self_transitions(*, servers: int, needs: Sequence[int], state: State) -> list[list[int]]:
    """The transitions of a state to itself: [class that completes, class 1 and class 2 entries]."""
    found = transitions(servers, needs, tuple(state))
    return [[c, j, k] for c, j, k, to in found if to == tuple(state)]


def predecessors(
    *, servers: int, needs: Sequence[int], state: State, completes: int
) -> list[State]:
    """The states from which a completion of class `completes` may lead to a state."""
    moves = ((s, t) for s in states(servers, needs) for t in transitions(servers, needs, s))
    return sorted({s for s, (c, _, _, to) in moves if c == completes and to == tuple(state)})


def unblocked_per_class_2_count(*, count: int, largest: int, seed: int) -> list[int]:
    """The fewest and the most states without a blocking job that share a number of class 2 jobs in
    service, 0 … ⌊n/n2⌋, over random systems."""
    numbers = []
    for servers, needs in draw(count, largest, seed):
        free = [b for h, _, b in states(servers, needs) if h == 0]
        numbers += [free.count(b) for b in range(servers // needs[1] + 1)]
    return [min(numbers), max(numbers)]


def idle_range_after(
    *,
    count: int,
    largest: int,
    seed: int,
    blocked: bool,
    completes: Literal[1, 2],
    then: Literal["completion", "entry"],
) -> list[int]:
    """The smallest margins of the idle servers after a completion above the least and below the
    most that the proof of Lemma 5.1 allows: 0 or more.

    `then` is the time of counting. `completion`: just after the completion; `entry`: after the
    blocking job has entered or, if none blocked, after the next job, of the other class, has.
    """
    margins = []
    for servers, (n1, n2) in draw(count, largest, seed):
        allowed = {
            (False, 1, "completion"): (n1, 2 * n1 - 1),
            (False, 1, "entry"): (0, n1 - 2),
            (False, 2, "completion"): (n2, n2 + n1 - 1),
            (False, 2, "entry"): (0, n2 - 1),
            (True, 1, "completion"): (2 * n1, n1 + n2 - 1),
            (True, 1, "entry"): (0, n1 - 1),
            (True, 2, "entry"): (n1, n2 - 1),
        }[blocked, completes, then]
        for h, a, b in states(servers, (n1, n2)):
            if bool(h) != blocked or (a, b)[completes - 1] == 0:
                continue
            idle = servers - a * n1 - b * n2 + (n1, n2)[completes - 1]
            if then == "entry":
                entering = n1 if not blocked and completes == 2 else n2
                if idle < entering:
                    continue
                idle -= entering
            margins.append((idle - allowed[0], allowed[1] - idle))
    return [min(low for low, _ in margins), min(high for _, high in margins)]


def equation_residual(
    *,
    equation: Literal[5, 6, 7, 8],
    systems: Sequence[dict],
    exponent: Literal["p1", "p2"] = "p1",
    formal: bool = False,
) -> float:
    """The largest |left − right| of Eq. (5), (6), (7) or (8), over the states [0, a, b] that it is
    about, divided by p1 π of the state; `exponent` says whether the letter printed without an index
    in (7) stands for p1 or p2.

    Where i* = 1, [1, a − 1, b] and [1, a, b] of (7) and (8) are no states. Such [0, a, b] count
    only if `formal`: then Eq. (2) gives a weight to these two as well."""
    worst = Fraction(0)
    for system in systems:
        for here, left, right in _sides(equation, exponent, formal, **system):
            worst = max(worst, abs(left - right) / here)
    return float(worst)


def least_range_of_lemma_5_2(*, systems: Sequence[dict]) -> int:
    """The least r − q with which Section 5.4 applies Lemma 5.2, q = 1 and r = i* − 1, over the
    states [0, a, b] of `systems` that have a state s2(b + 1) = [0, a − i*, b + 1]."""
    ranges = []
    for system in systems:
        free = {b: a for h, a, b in states(**system) if h == 0}
        ranges += [a - free[b + 1] - 2 for b, a in free.items() if b + 1 in free]
    return min(ranges)


def decomposed_residual_at(*, state: State, systems: Sequence[dict]) -> float:
    """The largest residual of the decomposed equations (4) at one state, over p1 p2 π."""
    worst = Fraction(0)
    for system in systems:
        distribution = _Distribution(**system)
        here = distribution.weight(tuple(state))
        for i in (1, 2):
            inflow = sum(
                distribution.weight(s) * distribution.chance(s, t)
                for s in distribution.states
                for t in transitions(distribution.servers, distribution.needs, s)
                if t[0] == i and t[3] == tuple(state)
            )
            worst = max(worst, abs(distribution.p[i - 1] * here - inflow) / here)
    return float(worst)


class _Distribution:
    """Eq. (2) without its constant, and the probabilities of transitions, in fractions."""

    def __init__(
        self, servers: int, needs: Sequence[int], rates: Sequence[int], probabilities: Sequence
    ) -> None:
        self.servers, self.needs, self.rates = servers, tuple(needs), tuple(map(Fraction, rates))
        self.p = tuple(Fraction(str(p)) for p in probabilities)
        self.states = states(servers, needs)
        self.s1 = {s[1]: s for s in self.states}
        self.s2 = {s[2]: s for s in self.states if s[0] == 0}

    def f(self, i: int, state: State) -> Fraction:
        _, a, b = state
        parts = a * self.rates[0], b * self.rates[1]
        return parts[i - 1] / sum(parts)

    def weight(self, state: State) -> Fraction:
        h, a, b = state
        found = self.p[0] ** a * self.p[1] ** (b + h)
        for i in range(1, a + 1):
            found /= self.f(1, self.s1[i])
        for j in range(1, b + 1):
            found /= self.f(2, self.s2[j])
        return found

    def chance(self, state: State, move: Transition) -> Fraction:
        completes, j, k, _ = move
        return self.f(completes, state) * self.p[0] ** j * self.p[1] ** k


def _sides(
    equation: int, exponent: str, formal: bool, **system: Unpack[System]
) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """p1 π, left side and right side of the equation, state by state."""
    distribution = _Distribution(**system)
    p1, p2 = distribution.p
    for state in distribution.states:
        h, a, b = state
        if h:
            continue
        here = distribution.weight(state)
        if equation in (5, 6):
            above = distribution.s1.get(a + 1)
            if above is None:
                continue
            enters = [
                distribution.chance(above, t)
                for t in transitions(distribution.servers, distribution.needs, above)
                if t[0] == 1 and t[3] == state
            ]
            flow = distribution.weight(above) * sum(enters)
            if equation == 5:
                yield p1 * here, p1 * here, here * distribution.f(1, state) * p1 + flow
            else:
                yield p1 * here, p1 * here * distribution.f(2, state), flow
            continue
        below = distribution.s2.get(b + 1)
        if below is None or (a - below[1] == 1 and not formal):
            continue
        i, first, last = a - below[1], (1, a - 1, b), (1, below[1] + 1, b)
        freed = distribution.weight(below) * distribution.f(2, below)
        blocked = distribution.weight(last) * distribution.f(1, last)
        if equation == 8:
            yield p1 * here, freed * p1, blocked
        else:
            letter = {"p1": p1, "p2": p2}[exponent]
            right = freed * p1**i + p1 * distribution.weight(first) - letter ** (i - 1) * blocked
            yield p1 * here, p2 * here * distribution.f(1, state), right


def _entries(
    left: tuple[int, int], idle: int, n1: int, n2: int, j: int, k: int
) -> Iterator[tuple[int, int, State]]:
    if idle < n1:
        yield j, k, (0, *left)
        return
    yield from _entries((left[0] + 1, left[1]), idle - n1, n1, n2, j + 1, k)
    if idle >= n2:
        yield from _entries((left[0], left[1] + 1), idle - n2, n1, n2, j, k + 1)
    else:
        yield j, k + 1, (1, *left)


def draw(count: int, largest: int, seed: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """The servers and the needs of random systems of up to `largest` servers."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        servers = int(rng.integers(2, largest + 1))
        need_2 = int(rng.integers(2, servers + 1))
        yield servers, (int(rng.integers(1, need_2)), need_2)
