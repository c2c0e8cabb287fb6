"""Quantities of the front itself: its size, its service, and bounds on the time spent there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

from atlas.claims import Found, Queue
from atlas.claims.filling import full_fronts
from atlas.models.finite_skip import read_model, read_server_filling
from atlas.models.sizes import read_sizes
from multiserver.wcfs import models

ROUTE = "closed form, or enumeration of all fronts"
CONFIRMED = "simulation of the front (tests/simulation/test_front.py)"
GROUP = "finite_skip_proofs"


def described_over_naive(*, load: float, at_most_one: bool, **model: Unpack[Queue]) -> float:
    """The bound on E[T_F] described in the text, over k E[S], at a `load`.

    It is E[X] + Σ_v (v − 1) P_v/λ. P_v is the probability that the last job of the front needs v
    servers; it is at most λ E[X; V = v], and the P_v add up to at most 1 if `at_most_one`.
    """
    block = model["system"]["multiserver-jobs"]
    durations, p = read_sizes(block["durations"]), block["probabilities"]
    shares = [q * X.mean for q, X in zip(p, durations, strict=True)]
    naive = block["servers"] * read_model(model).mean_size
    arrival_rate = load * block["servers"] / naive
    left = 1.0 if at_most_one else math.inf
    waiting = 0.0
    for v, share in sorted(zip(block["needs"], shares, strict=True), reverse=True):
        chance = min(arrival_rate * share, left)
        left -= chance
        waiting += (v - 1) * chance / arrival_rate
    # Both are sums of the same products: where they are equal, rounding must not make them differ.
    return round((sum(shares) + waiting) / naive, 12)


def largest_front(**model: Unpack[Queue]) -> int:
    """The most jobs at the front in any state."""
    blocks = read_model(model).blocks()
    return max(sum(blocks.model.counts(f)) for fronts in blocks.fronts for f in fronts)


def front_size_over_divisor_sum(*, largest: int) -> Found:
    """The largest c(k, supp V)/σ(k) over all k from 2 to `largest`, if all divisors of k are
    needs."""
    ratios = {}
    for k in range(2, largest + 1):
        divisors = [d for d in range(1, k + 1) if k % d == 0]
        ratios[k] = models.divisible_front_size(k, divisors) / sum(divisors)
    worst = max(ratios, key=ratios.__getitem__)
    return Found(ratios[worst], f"k = {worst}")


def fewest_servers_filled(*, servers: int, needs: Sequence[int]) -> int:
    """The fewest servers that ServerFilling fills from jobs whose needs add up to k or more."""
    policy = read_server_filling(servers, needs)
    return min(
        sum(v for v, rate in zip(jobs, policy.serve(jobs, servers), strict=True) if rate > 0)
        for jobs in full_fronts(needs, servers)
    )


def fastest_first_ratio(**model: Unpack[Queue]) -> float:
    """The least ratio of service rate to number of jobs on the fastest servers."""
    speeds = sorted(model["system"]["heterogeneous"]["speeds"], reverse=True)
    return min(math.fsum(speeds[:j]) / j for j in range(1, len(speeds) + 1))
