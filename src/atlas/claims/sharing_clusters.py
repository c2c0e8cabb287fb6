"""Quantities of computer clusters that share their servers (`parallel-processing`, Sections 7–8).

Gaps are relative; sizes have mean 1 unless stated otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from atlas.claims import Found, Parameters, by, takes
from atlas.models.clusters import read_allocations, read_servers
from atlas.models.sizes import read_size
from multiserver.sharing import symmetric
from multiserver.sharing.networks import Network, solve
from multiserver.sharing.queue import MultiServerQueue, over_subsets

ROUTE = "balanced fairness"
CONFIRMED = "product form of the network; recursion against closed form"
of_sizes = by(
    route="moments of the mixture",
    confirmed="variances within and between the kinds (tests/claims/test_sharing_proofs.py)",
)


@by(
    route="the rule of the virtual queue, event by event",
    confirmed="Algorithm 1 as printed (tests/simulation/test_interruptions.py)",
)
@takes("capacities", "arrivals", "interruptions", "until")
def allocations(parameters: Parameters) -> list[list[int | None]]:
    """The job that each server serves after each event, numbered from 1."""
    return [
        [None if job is None else job + 1 for job in found.served]
        for found in read_allocations(parameters)
    ]


def phase_type_gap(*, phases: Sequence[float], load: float) -> float:
    """E[X] of one server with sizes of i phases with probability q_i, over ρ/(1 − ρ), minus 1.

    Every phase ends with an interruption, and q = `phases`: the Kelly network of Section 7, whose
    classes are the numbers of phases to go.
    """
    n, mean = len(phases), sum(i * q for i, q in enumerate(phases, start=1))
    queue = MultiServerQueue((mean,), (frozenset({0}),) * n)
    found = solve(Network((queue,), load * np.array(phases), np.eye(n, k=-1)))
    return abs(float(found.mean_jobs.sum()) / (load / (1 - load)) - 1)


@by(
    route="closed forms of one server",
    confirmed="exponential sizes, for which both are equal (tests/claims/test_sharing_proofs.py)",
)
def processor_sharing_over_fcfs(*, size: Mapping[str, Any], load: float) -> float:
    """E[X] of one server under processor sharing, over that of FCFS, by Pollaczek and Khinchine.

    They are the limits m → ∞ and m → 0; for exponential sizes both are ρ/(1 − ρ).
    """
    S = read_size(size)
    waiting = load**2 * S.second_moment / S.mean**2 / (2 * (1 - load))
    return load / (1 - load) / (load + waiting)


@of_sizes
def mean_size(*, size: Mapping[str, Any]) -> float:
    """σ."""
    return read_size(size).mean


@of_sizes
def standard_deviation(*, size: Mapping[str, Any]) -> float:
    """The standard deviation of the size of a job."""
    return math.sqrt(read_size(size).variance)


def service_rates_at_no_load(*, system: Mapping[str, Any]) -> list[float]:
    """γ_i under balanced fairness as ρ → 0: the capacity of a class's servers."""
    return read_servers(system).service_rates(0.0).tolist()


@of_sizes
def root_mean_square(*, size: Mapping[str, Any]) -> float:
    """√E[S²]."""
    return math.sqrt(read_size(size).second_moment)


@of_sizes
def deviation_between_kinds(*, size: Mapping[str, Any]) -> float:
    """The standard deviation of the mean size of a randomly drawn kind of job."""
    block = size["hyperexponential"]
    kinds = zip(block["rates"], block["probabilities"], strict=True)
    return math.sqrt(sum(p / rate**2 for rate, p in kinds) - mean_size(size=size) ** 2)


def stability_mismatches(*, system: Mapping[str, Any]) -> Found:
    """The number of points of a grid of arrival rates at which (7) differs from the three
    conditions of Section 8."""
    queue = read_servers(system).queue
    c1, c2, c3 = queue.rates
    ranks, (first, second, both) = queue.ranks()[1:], (c1 + c3, c2 + c3, c1 + c2 + c3)
    grid = np.linspace(0, both, 41)
    wrong = sum(
        bool((over_subsets(np.array([a, b]))[1:] < ranks).all())
        != (a < first and b < second and a + b < both)
        for a, b in product(grid, repeat=2)
    )
    return Found(int(wrong), f"{len(grid) ** 2} points")


@by(
    route="all assignments listed",
    confirmed="what random draws of d servers come to (tests/claims/test_sharing_proofs.py)",
)
def classes_of_random_assignment(*, servers: int, degree: int) -> int:
    """The number of different sets of d servers drawn one after the other from S."""
    sets = {frozenset()}
    for _ in range(degree):
        sets = {drawn | {s} for drawn in sets for s in range(servers)} - sets
    return sum(len(drawn) == degree for drawn in sets)


def recursion_gap(*, servers: int, degree: int, loads: Sequence[float]) -> float:
    """γ by the recursion over the union of servers against the closed form, at the `loads`."""
    gap = 0.0
    for load in loads:
        jobs = symmetric.JobType(load * servers, (degree,))
        found = symmetric.solve((symmetric.ServerPool(servers),), (jobs,)).mean_rates[0]
        exact = symmetric.random_assignment(servers, degree, load * servers).mean_rate
        gap = max(gap, abs(float(found / exact) - 1))
    return gap
