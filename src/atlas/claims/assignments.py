"""Heterogeneous servers with exponential sizes, under any assignment of jobs to idle servers.

Servers of speeds v_1, …, v_k that sum to 1, sizes Exp(1), arrivals at rate ρ (`finite-skip`,
Section 4.3.1). With j ≤ k jobs present some set A of j servers works, at total rate v(A). A
preemptive policy picks A from j alone; a nonpreemptive one fills an idle server at each arrival and
leaves the others as they are. With k or more jobs all servers work, and the distribution of N is
geometric of ratio ρ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

ROUTE = "elimination over the sets of working servers"
CONFIRMED = "birth-and-death chains; equal speeds (tests/claims/test_finite_skip_proofs.py)"
GROUP = "finite_skip_proofs"

# Of the idle servers, those of which an arriving job takes one at random.
Chooser = Callable[[list[int]], list[int]]


def preemptive_bounds_slack(*, speeds: Sequence[float], loads: Sequence[float]) -> list[float]:
    """The least relative distance of E[T] from its lower bound, preemptive fastest first, and from
    its upper bound, preemptive slowest first, over the loads and three assignments of arriving jobs
    to idle servers (fastest, slowest, random). Both are 0 or more if the bounds hold."""
    v = sorted(speeds, reverse=True)
    below, above = [], []
    for load in loads:
        least, most = (_preemptive(order, load) for order in (v, v[::-1]))
        # Idle servers are in order of speed, the fastest first.
        for choose in (lambda idle: idle[:1], lambda idle: idle[-1:], lambda idle: idle):
            found = _nonpreemptive(v, load, choose)
            below.append(found / least - 1)
            above.append(1 - found / most)
    return [min(below), min(above)]


def front_time_slowest_first(*, speeds: Sequence[float], load: float) -> float:
    """E[T_F] under preemptive slowest first, where all jobs at the front are in service: at most
    E[S]/r_min, with r_min the speed of the slowest server (Section 4.4); E[S] = 1."""
    *weights, last = _weights(sorted(speeds), load)
    pi = np.array([*weights, last / (1 - load)])
    return float(np.arange(len(pi)) @ pi / pi.sum() / load)


def _preemptive(order: Sequence[float], load: float) -> float:
    """E[N] if the first j servers of `order` work, by the birth-and-death chain."""
    *weights, last = _weights(order, load)
    return _mean_jobs(np.array(weights), last, load)


def _weights(order: Sequence[float], load: float) -> list[float]:
    weights = [1.0]
    for j in range(1, len(order) + 1):
        weights.append(weights[-1] * load / sum(order[:j]))
    return weights


def _nonpreemptive(speeds: Sequence[float], load: float, choose: Chooser) -> float:
    """E[N] by elimination over the sets of working servers; all jobs beyond k queue."""
    k = len(speeds)
    sets = [frozenset(a) for j in range(k + 1) for a in combinations(range(k), j)]
    place = {a: i for i, a in enumerate(sets)}
    rates = np.zeros((len(sets), len(sets)))
    for a in sets:
        chosen = choose([s for s in range(k) if s not in a])
        for s in chosen:
            rates[place[a], place[a | {s}]] += load * (1 / len(chosen))
        if len(a) < k:
            for s in a:
                rates[place[a], place[a - {s}]] += speeds[s]
    # With k or more jobs no server is idle, so an excursion above k returns to the full set. It is
    # left downwards at the speed of the server that becomes idle.
    full = place[frozenset(range(k))]
    for s in range(k):
        rates[full, place[frozenset(range(k)) - {s}]] += speeds[s]
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1.0
    pi = np.linalg.solve(balance, np.eye(len(sets))[-1])
    by_jobs = np.zeros(k + 1)
    for a in sets:
        by_jobs[len(a)] += pi[place[a]]
    return _mean_jobs(by_jobs[:-1], by_jobs[-1], load)


def _mean_jobs(below: NDArray[np.float64], at_k: float, load: float) -> float:
    """E[N] from the weights of 0 … k − 1 and k jobs, geometric of ratio ρ from k on."""
    k = len(below)
    tail = at_k / (1 - load)
    total = below.sum() + tail
    return float((np.arange(k) @ below + k * tail + tail * load / (1 - load)) / total)
