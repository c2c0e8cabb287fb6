"""Quantities of queues and networks with parallel processing (`parallel-processing`, Sections 2–6).

Gaps are relative unless stated otherwise; fractions are used if a residual should be exactly 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found
from atlas.claims.sharing_proofs import mean_rates, sequences, total_weights
from atlas.models.clusters import read_servers
from atlas.models.networks import read_network
from multiserver.sharing import balanced_fairness, product_form
from multiserver.sharing.chain import compare
from multiserver.sharing.networks import load_of
from multiserver.sharing.queue import MultiServerQueue, mask_of, over_subsets

ROUTE = "product form, in fractions or floats"
CONFIRMED = "the enumerated chain of the network"


def partial_balance_residual(*, system: Mapping[str, Any], load: float, most: int) -> float:
    """The largest |left − right| of (6) over all sequences of up to `most` jobs, in fractions."""
    queue, loads = _in_fractions(system, load)
    residuals = (
        product_form.partial_balance_residual(queue, loads, sequence, i)
        for sequence in sequences(queue, most)
        for i in range(queue.classes)
    )
    return float(max(map(abs, residuals)))


def departures_residual(*, network: Mapping[str, Any]) -> float:
    """ν − Σ λ_i p_i of Eq. (2), with λ from the traffic equations."""
    traffic = read_network(network).traffic
    return float(sum(network["arrivals"]) - traffic.rates @ traffic.leaving)


def aggregate_gap(*, system: Mapping[str, Any], load: float, most: int) -> float:
    """Theorem 2 against Theorem 1: the gap between Φ(x) ∏ λ_i^{x_i} and the sum over the orders of
    the jobs x."""
    queue, loads = _in_fractions(system, load)
    gap = 0.0
    for x, summed in total_weights(queue, loads, most).items():
        found = balanced_fairness.measure(queue, list(map(float, loads)), x)[x]
        gap = max(gap, abs(found / float(summed) - 1))
    return gap


def conditional_rate_gap(*, system: Mapping[str, Any], load: float, most: int) -> float:
    """Proposition 1: the absolute gap between φ_i(x) and the mean of μ_i(c) under π, given x."""
    queue, loads = _in_fractions(system, load)
    gap = 0.0
    for (x, _), mean in mean_rates(queue, loads, most).items():
        apart = np.array(mean, dtype=float) - balanced_fairness.rates(queue, x)
        gap = max(gap, float(np.abs(apart).max()))
    return gap


def distance_from_boundary(*, system: Mapping[str, Any], most: int) -> Found:
    """The largest excess of the rates φ(x) over the capacity μ(A) of any set of classes, or
    shortfall from that of the classes present."""
    queue, worst = read_servers(system).queue, (0.0, "")
    for x in product(range(most + 1), repeat=queue.classes):
        gap = off_boundary(queue, x, balanced_fairness.rates(queue, x))
        worst = max(worst, (gap, f"x = {x}"))
    return Found(*worst)


def largest_slack(*, system: Mapping[str, Any], most: int, absent: bool) -> Found:
    """The most by which the rate of one class can grow within the capacity set while all other
    rates φ(x) are fixed, over all states except 0 and the classes present, or all classes if
    `absent` ones count."""
    queue, worst = read_servers(system).queue, (0.0, "")
    for x in product(range(most + 1), repeat=queue.classes):
        slack = queue.ranks() - over_subsets(balanced_fairness.rates(queue, x))
        for i, count in enumerate(x):
            if any(x) and (count or absent):
                room = min(gap for a, gap in enumerate(slack) if a >> i & 1)
                worst = max(worst, (float(room), f"x = {x}"))
    return Found(*worst)


def chain_law_gap(*, network: Mapping[str, Any], most: int) -> float:
    """The product form against the chain: the largest difference of probabilities."""
    return compare(read_network(network), most).distribution


def chain_means_gap(*, network: Mapping[str, Any], most: int) -> float:
    """The product form against the chain: the largest relative difference of the E[X_i]."""
    return compare(read_network(network), most).mean_jobs


def chain_throughput_gap(*, network: Mapping[str, Any], most: int) -> float:
    """The product form against the chain: the largest relative difference of the completions of
    each class, E[φ_i(X)] if it is one queue."""
    return compare(read_network(network), most).throughput


def growth_of_measure(*, network: Mapping[str, Any], load: float, most: int) -> float:
    """The ratio of the stationary measures of `most` and of `most` − 1 jobs in an open network, at
    a `load` that need not be stable."""
    scaled = read_network(network, load / load_of(read_network(network)))
    sums = np.ones(1)
    for queue, span in zip(scaled.queues, scaled.spans(), strict=True):
        rates = scaled.traffic.rates[span]
        weights = balanced_fairness.measure(queue, rates, (most,) * queue.classes)
        jobs = np.indices(weights.shape).sum(axis=0).ravel()
        levels = np.bincount(jobs, weights.ravel())[: most + 1]
        sums = np.convolve(sums, levels)[: most + 1]
    return float(sums[-1] / sums[-2])


def off_boundary(queue: MultiServerQueue, x: tuple[int, ...], rates: NDArray[np.float64]) -> float:
    """The largest excess of rates over the capacity μ(A) of any set of classes, or their shortfall
    from that of the classes present in x."""
    used, ranks = over_subsets(rates), queue.ranks()
    present = mask_of(i for i, count in enumerate(x) if count)
    return float(max((used - ranks).max(), ranks[present] - used[present]))


def _in_fractions(
    system: Mapping[str, Any], load: float
) -> tuple[MultiServerQueue, list[Fraction]]:
    """The queue and λ of a block, as fractions of denominators up to 1000."""
    servers = read_servers(system)
    rates = tuple(Fraction(c).limit_denominator(1000) for c in servers.capacities)
    loads = [Fraction(w).limit_denominator(1000) for w in servers.work(load)]
    return MultiServerQueue(rates, servers.queue.compatible), loads
