"""Quantities of the front itself: its size, what it serves, the bounds on the time there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from multiserver.wcfs import models
from quantities.finite_skip_models import read_model
from sizing import read_size, read_sizes
from studies.front_state import compute

Parameters = Mapping[str, Any]


def described_is_better(parameters: Parameters) -> bool:
    """Whether E[X] + Σ_v (v − 1) E[X; V = v] is less than k E[S]."""
    block = parameters["system"]["multiserver-jobs"]
    durations, p = read_sizes(block["durations"]), block["probabilities"]
    shares = [q * X.mean for q, X in zip(p, durations, strict=True)]
    described = sum(shares) + sum(
        (v - 1) * share for v, share in zip(block["needs"], shares, strict=True)
    )
    return described < (1 - 1e-12) * block["servers"] * read_model(parameters).mean_size


def largest_front(parameters: Parameters) -> int:
    """The most jobs at the front in any state."""
    blocks = read_model(parameters).blocks()
    return max(sum(blocks.model.counts(f)) for fronts in blocks.fronts for f in fronts)


def front_sizes_below_divisor_sums(parameters: Parameters) -> bool:
    """Whether c(k, supp V) ≤ σ(k) for all k up to `largest` and all needs that divide k."""
    for k in range(1, parameters["largest"] + 1):
        divisors = [d for d in range(1, k + 1) if k % d == 0]
        if models.divisible_front_size(k, divisors) > sum(divisors):
            return False
    return True


def fronts_fill_servers(parameters: Parameters) -> bool:
    """Whether ServerFilling fills all k servers from any jobs that need k or more together."""
    k = parameters["servers"]
    for needs in _fronts(parameters["needs"], k):
        state = compute({"servers": k, "jobs-present": needs})
        if state.loc[state["place"] == "service", "need"].sum() != k:
            return False
    return True


def slowest_first_ratio(parameters: Parameters) -> float:
    """The least ratio of service rate to number of jobs if each job may be on any server."""
    return min(parameters["system"]["heterogeneous"]["speeds"])


def fastest_first_ratio(parameters: Parameters) -> float:
    """The least ratio of service rate to number of jobs on the fastest servers."""
    speeds = sorted(parameters["system"]["heterogeneous"]["speeds"], reverse=True)
    return min(math.fsum(speeds[:j]) / j for j in range(1, len(speeds) + 1))


def finite_remaining(parameters: Parameters) -> bool:
    """Whether rem_max is finite."""
    return read_size(parameters["size"]).largest_remaining < math.inf


def within_second_moment_bound(parameters: Parameters) -> bool:
    """Whether E[S²] ≤ 2 E[S] rem_max."""
    size = read_size(parameters["size"])
    return size.second_moment <= 2 * size.mean * size.largest_remaining


def _fronts(needs: list[int], room: int) -> Iterator[list[int]]:
    """All orders of jobs of which no fewer of the oldest need `room` servers together."""
    if room <= 0:
        yield []
        return
    for v in needs:
        for rest in _fronts(needs, room - v):
            yield [v, *rest]
