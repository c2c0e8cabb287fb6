"""The three formulations of the saturated system, job by job.

k servers; jobs of class c need v_c servers and complete at rate μ_c; classes are drawn i.i.d. The
jobs present are in order of arrival; the longest prefix whose total need is at most k is in
service. The formulations differ in how many jobs are present (`product-form-saturated`, Section 2):

- I: always exactly k;
- II: just enough that their total need is at least k;
- III: infinitely many.

Since every job needs a server, the first k jobs determine the prefix in service, and so do the jobs
of formulation II. With the same jobs in the same order and the same completions, all three serve
the same jobs at all times (`couple`). The chains embedded at completions are small enough to be
enumerated for a handful of servers (`embedded_distribution`), as a check on all else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from multiserver.model import MultiserverJobSystem

Classes = tuple[int, ...]
Fill = Callable[[MultiserverJobSystem, Classes], bool]


def exactly_k(system: MultiserverJobSystem, present: Classes) -> bool:
    """Whether formulation I needs another job."""
    return len(present) < system.servers


def just_enough(system: MultiserverJobSystem, present: Classes) -> bool:
    """Whether formulation II needs another job."""
    return sum(system.needs[c] for c in present) < system.servers


def in_service(system: MultiserverJobSystem, present: Classes) -> int:
    """σ: how many of the jobs present, oldest first, are in service."""
    total = np.cumsum([system.needs[c] for c in present])
    return int(np.searchsorted(total, system.servers, side="right"))


def embedded_distribution(system: MultiserverJobSystem, needs_more: Fill) -> dict[Classes, float]:
    """The distribution embedded at completions of formulation I or II, over the ordered classes
    present.

    By a dense solution of all balance equations; formulation I has d^k states for d classes.
    """
    states = list(_fill(system, (), needs_more))
    number = {state: i for i, (state, _) in enumerate(states)}
    balance = np.zeros((len(states) + 1, len(states)))
    for i, (state, _) in enumerate(states):
        rates = np.array([system.rates[c] for c in state[: in_service(system, state)]])
        for j, chance in enumerate(rates / rates.sum()):
            left = state[:j] + state[j + 1 :]
            for after, drawn in _fill(system, left, needs_more):
                balance[number[after], i] += chance * drawn
    balance[:-1] -= np.eye(len(states))
    balance[-1] = 1
    distribution = np.linalg.lstsq(balance, np.eye(len(states) + 1)[-1], rcond=None)[0]
    return {state: float(distribution[i]) for state, i in number.items()}


def service_distribution(
    system: MultiserverJobSystem, distribution: dict[Classes, float]
) -> dict[tuple[int, ...], float]:
    """The distribution of the numbers in service, class by class, under a distribution of ordered
    classes."""
    served: dict[tuple[int, ...], float] = {}
    for state, chance in distribution.items():
        prefix = state[: in_service(system, state)]
        counts = tuple(prefix.count(c) for c in range(len(system.classes)))
        served[counts] = served.get(counts, 0.0) + chance
    return served


def distribution_gap(one: Mapping[Classes, float], other: Mapping[Classes, float]) -> float:
    """The largest difference between the chances that two distributions give a state."""
    return max(abs(one.get(state, 0.0) - other.get(state, 0.0)) for state in one.keys() | other)


def couple(system: MultiserverJobSystem, completions: int, rng: np.random.Generator) -> bool:
    """Whether the three formulations serve the same jobs through a random run.

    They get the same sequence of classes, and the same job completes in all three. Formulation III
    holds every job that the run could reach.
    """
    n = system.servers
    draws = rng.choice(len(system.classes), p=system.probabilities, size=completions + n)
    needs, rates = np.array(system.needs)[draws].tolist(), np.array(system.rates)[draws]
    exact, endless = list(range(n)), list(range(len(draws)))
    enough, following = _draw_enough(needs, [], 0, n)
    for step in range(completions):
        served = _serve(needs, exact, n)
        if not served == _serve(needs, enough, n) == _serve(needs, endless, n):
            return False
        done = int(rng.choice(served, p=rates[served] / rates[served].sum()))
        for jobs in (exact, enough, endless):
            jobs.remove(done)
        exact.append(n + step)
        enough, following = _draw_enough(needs, enough, following, n)
    return True


def _fill(
    system: MultiserverJobSystem, present: Classes, needs_more: Fill
) -> Iterator[tuple[Classes, float]]:
    """All ways to draw jobs until there are enough, with their probabilities."""
    if not needs_more(system, present):
        yield present, 1.0
        return
    for c, p in enumerate(system.probabilities):
        for state, chance in _fill(system, (*present, c), needs_more):
            yield state, p * chance


def _serve(needs: list[int], jobs: list[int], servers: int) -> list[int]:
    total, served = 0, []
    for job in jobs:
        total += needs[job]
        if total > servers:
            break
        served.append(job)
    return served


def _draw_enough(
    needs: list[int], jobs: list[int], following: int, servers: int
) -> tuple[list[int], int]:
    total = sum(needs[job] for job in jobs)
    while total < servers:
        jobs = [*jobs, following]
        total += needs[following]
        following += 1
    return jobs, following
