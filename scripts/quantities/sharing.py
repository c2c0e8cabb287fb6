"""Quantities of queues and networks with parallel processing (`parallel-processing`, Sections 2–6).

Gaps are relative unless said otherwise; fractions are used where a residual should be 0 exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from multiserver.sharing import balanced_fairness, product_form
from multiserver.sharing.networks import solve
from multiserver.sharing.queue import MultiServerQueue, UnstableError, over_subsets
from quantities.sharing_models import read_servers
from quantities.sharing_networks import load_of, read_network
from studies.sharing_check import compare

Parameters = Mapping[str, Any]


def partial_balance_residual(parameters: Parameters) -> float:
    """The largest |left − right| of (6) over all sequences of up to `most` jobs, in fractions."""
    queue, loads = _in_fractions(parameters)
    classes = range(queue.classes)
    sequences = (c for n in range(parameters["most"] + 1) for c in product(classes, repeat=n))
    residuals = (
        product_form.partial_balance_residual(queue, loads, sequence, i)
        for sequence in sequences
        for i in classes
    )
    return float(max(map(abs, residuals)))


def departures_residual(parameters: Parameters) -> float:
    """ν − Σ λ_i p_i of Eq. (2), with λ from the traffic equations."""
    traffic = read_network(parameters["network"]).traffic()
    return float(sum(parameters["network"]["arrivals"]) - traffic.rates @ traffic.leaving)


def aggregate_gap(parameters: Parameters) -> float:
    """Theorem 2 against Theorem 1: Φ(x) ∏ λ_i^{x_i} and the sum over the orders of the jobs x."""
    queue, loads = _in_fractions(parameters)
    gap = 0.0
    for x, sequences in _orders(queue, parameters["most"]).items():
        summed = sum(product_form.weight(queue, loads, c) for c in sequences)
        found = balanced_fairness.measure(queue, list(map(float, loads)), x)[x]
        gap = max(gap, abs(found / float(summed) - 1))
    return gap


def conditional_rate_gap(parameters: Parameters) -> float:
    """Proposition 1: φ_i(x) against the mean of μ_i(c) under π, given x; absolute."""
    queue, loads = _in_fractions(parameters)
    gap = 0.0
    for x, sequences in _orders(queue, parameters["most"]).items():
        weights = [product_form.weight(queue, loads, c) for c in sequences]
        served = np.array([product_form.class_rates(queue, c) for c in sequences], dtype=object)
        mean = (np.array(weights) @ served / sum(weights)).astype(float)
        gap = max(gap, float(np.abs(mean - balanced_fairness.rates(queue, x)).max()))
    return gap


def rates_are_efficient(parameters: Parameters) -> bool:
    """Proposition 2: whether all φ(x) lie in the capacity set and use all that they can."""
    queue = read_servers(parameters["system"]).queue
    ranks = queue.ranks()
    for x in product(range(parameters["most"] + 1), repeat=queue.classes):
        used = over_subsets(balanced_fairness.rates(queue, x))
        present = sum(1 << i for i, count in enumerate(x) if count)
        if (used > ranks + 1e-12).any() or abs(used[present] - ranks[present]) > 1e-12:
            return False
    return True


def condition_holds_as_printed(parameters: Parameters) -> bool:
    """Whether a stable queue meets (7) for every A ⊂ I, the empty set included, as printed."""
    servers = read_servers(parameters["system"])
    arriving = over_subsets(servers.work(parameters["load"]))
    return bool((arriving < servers.queue.ranks()).all())


def recursion_is_defined(parameters: Parameters) -> bool:
    """Whether (17) divides by no μ(A) = 0 over the A ⊂ I, the empty set included, as printed."""
    return bool((read_servers(parameters["system"]).queue.ranks() > 0).all())


def chain_law_gap(parameters: Parameters) -> float:
    """The product form against the chain: the largest difference of probabilities."""
    return compare(read_network(parameters["network"]), parameters["most"])["law_gap"]


def chain_means_gap(parameters: Parameters) -> float:
    """The same for E[X_i]: the largest relative difference."""
    return compare(read_network(parameters["network"]), parameters["most"])["mean_jobs_gap"]


def chain_throughput_gap(parameters: Parameters) -> float:
    """The same for the completions of each class, E[φ_i(X)] if it is one queue."""
    return compare(read_network(parameters["network"]), parameters["most"])["throughput_gap"]


def stable_at(parameters: Parameters) -> list[bool]:
    """Whether a network has a stationary law at each of the `loads` of its transient classes."""
    block, found = parameters["network"], []
    full = load_of(read_network(block))
    for load in parameters["loads"]:
        try:
            solve(read_network(block, load / full))
        except UnstableError:
            found.append(False)
        else:
            found.append(True)
    return found


def _in_fractions(parameters: Parameters) -> tuple[MultiServerQueue, list[Fraction]]:
    """The queue and λ of a block, as fractions of denominators up to 1000."""
    servers = read_servers(parameters["system"])
    rates = tuple(Fraction(c).limit_denominator(1000) for c in servers.capacities)
    loads = [Fraction(w).limit_denominator(1000) for w in servers.work(parameters["load"])]
    return MultiServerQueue(rates, servers.queue.compatible), loads


def _orders(queue: MultiServerQueue, most: int) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    """The sequences of 1 to `most` jobs, by how many there are of each class."""
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for n in range(1, most + 1):
        for sequence in product(range(queue.classes), repeat=n):
            x = tuple(sequence.count(i) for i in range(queue.classes))
            found.setdefault(x, []).append(sequence)
    return found
