"""Mean service rates γ_i under balanced fairness in closed form (`parallel-processing`, Section 8).

Two classes: servers 1 and 2 are dedicated, server 3 is shared. Loads are ρ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np

from atlas.models.clusters import read_servers
from multiserver.sharing import balanced_fairness
from multiserver.sharing.two_class import shared_server, shared_server_queue

ROUTE = "closed form against the recursion over sets of classes"
CONFIRMED = "sum over states by the recursion for Φ"


def corrected_gap(
    *, capacities: Sequence[Sequence[float]], loads: Sequence[float], shares: Sequence[float]
) -> float:
    """The largest relative gap between (15), (16) with the fractions C3/(C1 + C3), C3/(C2 + C3)
    and γ by the recursion over sets of classes; over capacities, loads and shares of class 1."""
    gaps = []
    for found in _two_ways(capacities, loads, shares):
        exact = balanced_fairness.solve(*found).mean_rates
        closed = shared_server(found[0].rates, tuple(found[1])).mean_rates
        gaps.append(np.abs(np.array(closed) / exact - 1).max())
    return float(max(gaps))


def corrected_gap_to_states(
    *,
    capacities: Sequence[Sequence[float]],
    loads: Sequence[float],
    shares: Sequence[float],
    most: int,
) -> float:
    """The same against E[X_i] summed over the states x with |x| ≤ `most`, by the recursion for Φ:
    the largest relative distance of the closed form outside the bounds from the truncated sum."""
    worst = 0.0
    for queue, arrivals in _two_ways(capacities, loads, shares):
        closed = np.array(shared_server(queue.rates, tuple(arrivals)).mean_jobs)
        states = balanced_fairness.truncated_means(queue, arrivals, most)
        outside = np.maximum(states.lower - closed, closed - states.upper) / closed
        width = (states.upper - states.lower) / closed
        worst = max(worst, float(outside.max()), float(width.max()))
    return worst


def printed_gap(
    *,
    capacities: Sequence[float],
    loads: Sequence[float],
    shares: Sequence[float],
    last: Literal["other", "own", "total"] = "other",
) -> list[float]:
    """The largest relative gap of (15) and that of (16), as printed, to the exact γ.

    The `last` numerators are 1 − ρ_j C3/C, with the load of the `other` class j as printed, of the
    `own` class, or the share λ_j/C of the `total` for ρ_j.
    """
    gaps = []
    for queue, (l1, l2) in _two_ways([capacities], loads, shares):
        c1, c2, c3 = queue.rates
        exact = balanced_fairness.solve(queue, [l1, l2]).mean_rates
        total = c1 + c2 + c3
        rho, rho1, rho2 = (l1 + l2) / total, l1 / (c1 + c3), l2 / (c2 + c3)
        denominator = total * (1 - rho) + c3 * rho1 * rho2
        printed = []
        for own, mine, other, arriving in ((c1 + c3, rho1, rho2, l2), (c2 + c3, rho2, rho1, l1)):
            load = {"other": other, "own": mine, "total": arriving / total}[last]
            inverse = 1 / (total * (1 - rho)) + 1 / (own * (1 - mine))
            printed.append(1 / (inverse - (1 - load * c3 / total) / denominator))
        gaps.append(np.abs(np.array(printed) / exact - 1))
    return np.max(gaps, axis=0).tolist()


def largest_rate_over_capacity(*, system: Mapping[str, Any], loads: Sequence[float]) -> list[float]:
    """The largest ratio of γ_i to the capacity of class i's servers over the loads, class by class:
    at most 1, its limit as ρ → 0."""
    servers = read_servers(system)
    most = np.array([servers.queue.rank(1 << i) for i in range(servers.queue.classes)])
    return np.max([servers.service_rates(load) / most for load in loads], axis=0).tolist()


def _two_ways(
    capacities: Sequence[Sequence[float]], loads: Sequence[float], shares: Sequence[float]
) -> list[tuple[Any, list[float]]]:
    """Pairs of a queue with a shared server and the arrival rates of its classes, if stable."""
    pairs = []
    for c, load, share in product(capacities, loads, shares):
        arrivals = [load * sum(c) * share, load * sum(c) * (1 - share)]
        if arrivals[0] < c[0] + c[2] and arrivals[1] < c[1] + c[2]:
            pairs.append((shared_server_queue(tuple(map(float, c))), arrivals))
    return pairs
