"""Quantities of computer clusters that share their servers (`parallel-processing`, Sections 7–8).

Gaps are relative; sizes have mean 1 unless said otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from multiserver.sharing import balanced_fairness, symmetric
from multiserver.sharing.networks import Network, solve
from multiserver.sharing.queue import MultiServerQueue, over_subsets
from multiserver.sharing.two_class import shared_server_queue
from quantities.sharing_models import read_servers
from sizing import read_size
from studies.sharing_allocation import run

Parameters = Mapping[str, Any]


def allocations(parameters: Parameters) -> list[list[int | None]]:
    """The job that each server serves after each event, numbered from 1."""
    return [[None if job is None else job + 1 for job in found.served] for found in run(parameters)]


def interruption_gap(parameters: Parameters) -> float:
    """E[X_i] with exponential sizes and m interruptions, over that of balanced fairness, less 1.

    An interruption is a service after which the job comes back: the queue has rates (m + 1) μ_s and
    jobs re-enter with probability m/(m + 1). The largest gap over the `interruptions`.
    """
    servers, load = read_servers(parameters["system"]), parameters["load"]
    exact = balanced_fairness.solve(servers.queue, servers.work(load)).mean_jobs
    classes, gap = exact.size, 0.0
    for m in parameters["interruptions"]:
        faster = MultiServerQueue(
            tuple((m + 1) * c for c in servers.capacities), servers.queue.compatible
        )
        network = Network((faster,), servers.work(load), m / (m + 1) * np.eye(classes))
        gap = max(gap, float(np.abs(solve(network).mean_jobs / exact - 1).max()))
    return gap


def phase_type_gap(parameters: Parameters) -> float:
    """E[X] of one server with sizes of i phases with probability q_i, over ρ/(1 − ρ), less 1.

    Every phase ends with an interruption, and q = `phases`: the Kelly network of Section 7, whose
    classes are the numbers of phases to go.
    """
    q, load = parameters["phases"], parameters["load"]
    n, mean = len(q), sum(i * p for i, p in enumerate(q, start=1))
    queue = MultiServerQueue((mean,), (frozenset({0}),) * n)
    found = solve(Network((queue,), load * np.array(q), np.eye(n, k=-1)))
    return abs(float(found.mean_jobs.sum()) / (load / (1 - load)) - 1)


def fcfs_exceeds(parameters: Parameters) -> bool:
    """Whether E[X] of one server is, under FCFS, over `factor` times that of processor sharing.

    They are the limits m → 0 and m → ∞; for exponential sizes both are ρ/(1 − ρ).
    """
    size, load = read_size(parameters["size"]), parameters["load"]
    waiting = load**2 * size.second_moment / size.mean**2 / (2 * (1 - load))
    return load + waiting > parameters["factor"] * load / (1 - load)


def mean_size(parameters: Parameters) -> float:
    """σ."""
    return read_size(parameters["size"]).mean


def standard_deviation(parameters: Parameters) -> float:
    """That of the size of a job."""
    return math.sqrt(read_size(parameters["size"]).variance)


def service_rates_at_no_load(parameters: Parameters) -> list[float]:
    """γ_i under balanced fairness as ρ → 0: what a class's servers can do at most."""
    return read_servers(parameters["system"]).service_rates(0.0).tolist()


def stability_conditions_agree(parameters: Parameters) -> bool:
    """Whether (7) is the three conditions of Section 8, over a grid of arrival rates."""
    queue = read_servers(parameters["system"]).queue
    c1, c2, c3 = queue.rates
    ranks, (first, second, both) = queue.ranks()[1:], (c1 + c3, c2 + c3, c1 + c2 + c3)
    grid = np.linspace(0, both, 41)
    return all(
        bool((over_subsets(np.array([a, b]))[1:] < ranks).all())
        == (a < first and b < second and a + b < both)
        for a, b in product(grid, repeat=2)
    )


def classes_of_random_assignment(parameters: Parameters) -> int:
    """N, the number of sets of d of S servers."""
    return math.comb(parameters["servers"], parameters["degree"])


def recursion_gap(parameters: Parameters) -> float:
    """γ by the recursion over the union of servers against the closed form, at the `loads`."""
    servers, degree = parameters["servers"], parameters["degree"]
    gap = 0.0
    for load in parameters["loads"]:
        jobs = symmetric.JobType(load * servers, (degree,))
        found = symmetric.solve((symmetric.ServerPool(servers),), (jobs,)).mean_rates[0]
        exact = symmetric.random_assignment(servers, degree, load * servers).mean_rate
        gap = max(gap, abs(float(found / exact) - 1))
    return gap


def is_within_servers_times_classes(parameters: Parameters) -> bool:
    """Whether the closed form of E[X] has at most S N terms: one for each size of the union."""
    servers, degree = parameters["servers"], parameters["degree"]
    return servers - degree + 1 <= servers * math.comb(servers, degree)


def printed_rate_gap(parameters: Parameters) -> float:
    """Eqs (15) and (16) as printed, class `class`, against the exact γ: the largest relative gap.

    At the loads `loads` with λ_1 = λ_2; servers 1 and 2 are dedicated, server 3 is shared.
    """
    return max(
        abs(printed / exact - 1)
        for printed, exact in (_printed_and_exact(parameters, load) for load in parameters["loads"])
    )


def exact_rate(parameters: Parameters) -> float:
    """γ of the class at the load `load`, exact."""
    return _printed_and_exact(parameters, parameters["load"])[1]


def _printed_and_exact(parameters: Parameters, load: float) -> tuple[float, float]:
    i = parameters["class"] - 1
    capacities = parameters["capacities"]
    arrival = load * sum(capacities) / 2
    total, shared, mine, other = sum(capacities), capacities[2], capacities[i], capacities[1 - i]
    rho = 2 * arrival / total
    rho_mine, rho_other = arrival / (mine + shared), arrival / (other + shared)
    printed = 1 / (
        1 / (total * (1 - rho))
        + 1 / ((mine + shared) * (1 - rho_mine))
        - (1 - rho_other * shared / total) / (total * (1 - rho) + shared * rho_mine * rho_other)
    )
    queue = shared_server_queue(tuple(capacities))
    return printed, float(balanced_fairness.solve(queue, [arrival] * 2).mean_rates[i])
