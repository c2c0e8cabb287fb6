"""The theorems of `parallel-processing` over random queues and networks, against their chains.

A queue has 1 to 3 servers and 1 to 3 classes with random sets of servers, rates and routing. Kinds
are `open`, `closed` and `mixed`: jobs are transient, permanent or both. The chain is built from the
rule of Section 2 alone and solved by elimination. It is truncated at `most` transient jobs, which
preserves the product form on the remaining states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found
from atlas.claims.sharing import off_boundary
from multiserver.sharing import balanced_fairness
from multiserver.sharing.chain import compare, rates_in_service, stationary_distribution
from multiserver.sharing.networks import Network, load_of
from multiserver.sharing.queue import MultiServerQueue

ROUTE = "product form"
CONFIRMED = "the chain of the rule, by elimination"
GROUP = "sharing"

LOAD = 0.8
Kind = Literal["open", "closed", "mixed"]
Jobs = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """A queue, its λ, and P(x) and E[μ_i(c) | x] (N,) of the chain, keyed by the numbers x of
    jobs."""

    queue: MultiServerQueue
    arrival_rates: NDArray[np.float64]
    distribution: dict[Jobs, float]
    rates: dict[Jobs, NDArray[np.float64]]


def law_gap(*, kind: Kind, queues: int, count: int, most: int, seed: int) -> Found:
    """The largest difference between the probabilities of the product form and of the chain, over
    `count` random networks of one `kind` with as many `queues`."""
    found = [compare(network, most) for network in _draw(kind, queues, count, seed)]
    states = sum(gaps.states for gaps in found)
    return Found(max(gaps.distribution for gaps in found), f"{count} networks, {states} states")


def aggregate_gap(*, kind: Kind, count: int, most: int, seed: int) -> float:
    """The largest relative gap between Φ(x) ∏ λ_i^{x_i} of Theorem 2, normalised, and the
    distribution of the numbers x of jobs in the chain, over random queues."""
    worst = 0.0
    for found in _aggregates(kind, count, most, seed):
        most_each = tuple(max(x[i] for x in found.distribution) for i in range(found.queue.classes))
        weights = balanced_fairness.measure(found.queue, found.arrival_rates.tolist(), most_each)
        total = sum(weights[x] for x in found.distribution)
        gaps = (abs(weights[x] / total / p - 1) for x, p in found.distribution.items())
        worst = max(worst, *gaps)
    return worst


def conditional_rate_gap(*, kind: Kind, count: int, most: int, seed: int) -> float:
    """The largest difference between φ_i(x) and the mean rate of the first job of class i in the
    chain, given x, over random queues (Proposition 1)."""
    return max(
        float(np.abs(balanced_fairness.rates(found.queue, x) - rates).max())
        for found in _aggregates(kind, count, most, seed)
        for x, rates in found.rates.items()
    )


def distance_from_boundary(*, kind: Kind, count: int, most: int, seed: int) -> float:
    """The largest excess of the mean rates in the chain, given x, over the capacity μ(A) of any set
    of classes, or shortfall from that of the classes present, over random queues."""
    return max(
        off_boundary(found.queue, x, rates)
        for found in _aggregates(kind, count, most, seed)
        for x, rates in found.rates.items()
    )


def _aggregates(kind: Kind, count: int, most: int, seed: int) -> Iterator[_Aggregate]:
    for network in _draw(kind, 1, count, seed):
        (queue,), N = network.queues, network.queues[0].classes
        distribution: dict[Jobs, float] = {}
        rates: dict[Jobs, NDArray[np.float64]] = {}
        for (sequence,), p in stationary_distribution(network, most).items():
            x = tuple(sequence.count(i) for i in range(N))
            served = np.zeros(N)
            for i, rate in zip(sequence, rates_in_service(queue, sequence), strict=True):
                served[i] += rate
            distribution[x] = distribution.get(x, 0.0) + p
            rates[x] = rates.get(x, np.zeros(N)) + p * served
        mean = {x: total / distribution[x] for x, total in rates.items()}
        yield _Aggregate(queue, np.asarray(network.traffic.rates), distribution, mean)


def _draw(kind: Kind, queues: int, count: int, seed: int) -> Iterator[Network]:
    """Random networks with at most six classes; open and mixed ones are at the load `LOAD`."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        built = tuple(_queue(rng) for _ in range(queues))
        N = sum(queue.classes for queue in built)
        permanent = {"open": np.zeros(N, bool), "closed": np.ones(N, bool)}.get(kind)
        if permanent is None:
            permanent = rng.permutation(np.arange(N) < max(1, N // 2))
        if kind == "mixed" and N == 1:
            built, permanent = (*built[:-1], _queue(rng, classes=2)), np.array([True, False])
            N = 2
        routing = np.zeros((N, N))
        for i in range(N):
            same = np.flatnonzero(permanent == permanent[i])
            stays = 1.0 if permanent[i] else rng.uniform(0, 0.8)
            routing[i, same] = stays * rng.dirichlet(np.ones(len(same)))
        arrivals = np.where(permanent, 0.0, rng.uniform(0.1, 1.0, N))
        populations = (int(rng.integers(1, 4)),) if permanent.any() else ()
        network = Network(built, arrivals, routing, populations)
        if not permanent.all():
            scale = LOAD / load_of(network)
            network = Network(built, scale * arrivals, routing, populations)
        yield network


def _queue(rng: np.random.Generator, classes: int = 0) -> MultiServerQueue:
    S = int(rng.integers(1, 4))
    sets = []
    for _ in range(classes or int(rng.integers(1, 4))):
        size = int(rng.integers(1, S + 1))
        sets.append(frozenset(rng.choice(S, size=size, replace=False).tolist()))
    return MultiServerQueue(tuple(rng.uniform(0.2, 2.0, S).tolist()), tuple(sets))
