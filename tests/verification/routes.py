"""Exact means by routes that share nothing with the simulators or the exact solvers.

`words` and `orders` build the Markov chain of a policy from its definition for exponential
durations. The state is the classes of all jobs in order of arrival. The chain is truncated at a
number of jobs above which the rest has no weight. `pollaczek` is for any duration: all jobs use all
servers, first come, first served, and E[W] = λ E[S²]/(2 (1 − ρ)) (Pollaczek and Khinchine).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tests.theory.sparse_chains import explore

from multiserver.sizes import Size

# More than this the chance must not be that the chain is where it was cut off.
EDGE = 1e-7


def pollaczek(arrival_rate: float, size: Size) -> float:
    """E[T] of M/G/1 first come, first served."""
    return size.mean + arrival_rate * size.second_moment / (2 * (1 - arrival_rate * size.mean))


def words(
    start: Callable[[tuple, tuple], tuple[tuple, tuple]],
    rates: Sequence[float],
    arrivals: Sequence[float],
    most: int,
) -> list[float]:
    """E[T_c] where order counts: a state is the classes in service and those waiting, oldest first.

    `start(serving, waiting)` is the state in which these are left once all that may start have.
    Arrivals at `most` waiting jobs are lost.
    """

    def successors(state: tuple[tuple, tuple]) -> Iterator[tuple[tuple[tuple, tuple], float]]:
        serving, waiting = state
        if len(waiting) < most:
            yield from ((start(serving, (*waiting, c)), rate) for c, rate in enumerate(arrivals))
        for c, rate in enumerate(rates):
            if c in serving:
                at = serving.index(c)
                left = serving[:at] + serving[at + 1 :]
                yield start(left, waiting), serving.count(c) * rate

    distribution = explore(((), ()), successors)
    edge = sum(mass for (_, waiting), mass in distribution.items() if len(waiting) == most)
    assert edge < EDGE, edge
    return [
        sum(mass * (s + w).count(c) for (s, w), mass in distribution.items()) / rate
        for c, rate in enumerate(arrivals)
    ]


def orders(
    serve: Callable[[tuple[int, ...]], list[int]],
    rates: Sequence[float],
    arrivals: Sequence[float],
    most: int,
) -> list[float]:
    """E[T_c] under preemption: a state is the classes of all jobs, oldest first, of which those in
    the places `serve(state)` are at work. Arrivals at `most` jobs are lost."""

    def successors(state: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], float]]:
        yield from ((state[:i] + state[i + 1 :], rates[state[i]]) for i in serve(state))
        if len(state) < most:
            yield from (((*state, c), rate) for c, rate in enumerate(arrivals))

    distribution = explore((), successors)
    assert sum(mass for state, mass in distribution.items() if len(state) == most) < EDGE
    return [
        sum(mass * state.count(c) for state, mass in distribution.items()) / rate
        for c, rate in enumerate(arrivals)
    ]


def oldest_that_fit(servers: int, needs: Sequence[int]) -> Callable[[tuple[int, ...]], list[int]]:
    """Jobs at work, oldest first, as they fit."""

    def serve(state: tuple[int, ...]) -> list[int]:
        idle, at_work = servers, []
        for i, c in enumerate(state):
            if needs[c] <= idle:
                idle -= needs[c]
                at_work.append(i)
        return at_work

    return serve


def first_fit(servers: int, needs: Sequence[int]) -> Callable[[tuple, tuple], tuple[tuple, tuple]]:
    """Jobs start, oldest first, once they fit, and are never interrupted."""

    def start(serving: tuple, waiting: tuple) -> tuple[tuple, tuple]:
        idle, left = servers - sum(needs[c] for c in serving), []
        for c in waiting:
            if needs[c] <= idle:
                idle -= needs[c]
                serving = (*serving, c)
            else:
                left.append(c)
        return tuple(sorted(serving)), tuple(left)

    return start
