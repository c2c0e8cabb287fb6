"""Wastage as μ2/μ1 varies: its extrema, its falls, and the class 1 jobs as μ2/μ1 → ∞.

Parameters are `servers`, `needs` and `probability_2`, as in Section 9 of `two-class-stability`.
Unless a function says otherwise, wastage is computed from the product form on a grid of ratios that
reaches both ends of the axis. Extrema are those of the grid, whose neighbours differ by 0.2 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import limits, stationary, two_class

ROUTE = "product form on a grid of ratios, or its limit"
CONFIRMED = "sparse solution of the enumerated chain (tests/theory/test_two_class.py)"

# Ratios that reach the limits at both ends of the axis for every system of the paper.
RATIOS = np.geomspace(1e-6, 1e8, 14001)
# Below this share of the servers a rise or fall is rounding.
ROUNDING = 1e-11


def extrema_above_1(*, servers: int, needs: Sequence[int], probability_2: float) -> list[int]:
    """The numbers of local maxima and minima of wastage at ratios above 1."""
    curve = wastage_over(servers, needs, probability_2)
    return [int(np.count_nonzero(maxima(side) > 1)) for side in (curve, -curve)]


def deepest_fall(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """The deepest fall of wastage, in servers, as μ2/μ1 rises; 0 if it is monotonic."""
    deepest = fall(wastage_over(servers, needs, probability_2))
    return deepest if deepest > ROUNDING * servers else 0.0


def largest_fall_where_comparable(
    *, largest: int, multiple: int, probability_2: float, least: float, most: float
) -> Found:
    """The deepest fall of wastage, as a share of n2, over all systems with n = `multiple` n2, n2 up
    to `largest`, and n1/(p2 n2) from `least` to `most`."""
    worst = (0.0, 0, 0)
    for need_2 in range(2, largest + 1):
        for need_1 in range(1, need_2):
            if least <= need_1 / probability_2 / need_2 <= most:
                servers = multiple * need_2
                curve = wastage_over(servers, (need_1, need_2), probability_2, RATIOS[::20])
                worst = max(worst, (fall(curve) / need_2, need_1, need_2))
    share, need_1, need_2 = worst
    return Found(share, f"{need_1}-{need_2}-{multiple * need_2}")


def share_not_monotonic(*, servers: int, probability_2: float) -> Found:
    """The share of the systems of all needs n1 < n2 ≤ n whose wastage both rises and falls as μ2/μ1
    rises."""
    turns = [
        rises_and_falls(wastage_over(servers, needs, probability_2, RATIOS[::20]), servers)
        for needs in combinations(range(1, servers + 1), 2)
    ]
    return Found(sum(turns) / len(turns), f"{sum(turns)} of {len(turns)} systems")


def displaced_in_dips(*, servers: int, needs: Sequence[int], probability_2: float) -> list[float]:
    """The fall of the mean number of class 2 jobs in service from a maximum of wastage to the next
    minimum, dip by dip."""
    curve = wastage_over(servers, needs, probability_2)
    lows = maxima(-curve)
    pairs = [(high, lows[lows > high]) for high in maxima(curve)]
    jobs = partial(_mean_class_2, servers, needs, probability_2)
    return [jobs(high) - jobs(after[0]) for high, after in pairs if len(after)]


def class_1_only(*, systems: Sequence[Mapping[str, Any]], ratio: float) -> float:
    """The least share of time in states with class 1 jobs only, over `systems` at μ2/μ1 = `ratio`,
    by elimination in the chain."""
    results = [stationary.solve(two_classes(**system, ratio=ratio)) for system in systems]
    return min(float(r.time[r.chain.in_service[:, 1] == 0].sum()) for r in results)


def distance_to_geometric(*, systems: Sequence[Mapping[str, Any]]) -> float:
    """The largest total variation distance, over `systems`, between the limiting distribution as
    μ2/μ1 → ∞ of the class 1 jobs beyond the fewest and the geometric distribution p2 p1^i, i = 0,
    1, …"""
    distances = []
    for s in systems:
        jobs, chance = limits.fast_class_2_distribution(**s)
        p1 = 1 - s["probability_2"]
        geometric = (1 - p1) * p1 ** (jobs - jobs[0])
        tail = p1 ** len(jobs)
        distances.append((np.abs(chance - geometric).sum() + tail) / 2)
    return float(max(distances))


def deviation_of_class_1_jobs(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """p2 times the standard deviation of the class 1 jobs in service as μ2/μ1 → ∞."""
    jobs, chance = limits.fast_class_2_distribution(servers, needs, probability_2)
    mean = float(chance @ jobs)
    return probability_2 * math.sqrt(float(chance @ (jobs - mean) ** 2))


def mean_of_class_1_jobs(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """p2 (1 + m), where m is the mean number of class 1 jobs in service beyond the fewest as
    μ2/μ1 → ∞; 1 + m is the mean of the geometric number of Section 9.2."""
    jobs, chance = limits.fast_class_2_distribution(servers, needs, probability_2)
    return probability_2 * float(chance @ jobs - jobs[0] + 1)


def wastage_over(
    servers: int, needs: Sequence[int], probability_2: float, ratios: float | NDArray = RATIOS
) -> NDArray[np.float64]:
    """Wastage at each ratio μ2/μ1."""
    return two_class.sweep(servers, needs, (1.0, ratios), probability_2).wastage


def two_classes(
    servers: int, needs: Sequence[int], probability_2: float, ratio: float
) -> MultiserverJobSystem:
    """The system with μ1 = 1 and μ2 = `ratio`."""
    p = (1 - probability_2, probability_2)
    return MultiserverJobSystem.of(servers, needs, (1.0, ratio), p)


def fall(curve: NDArray[np.float64]) -> float:
    """The deepest fall of a curve below an earlier value."""
    return float((np.maximum.accumulate(curve) - curve).max())


def rises_and_falls(curve: NDArray[np.float64], servers: int) -> bool:
    """Whether a curve of wastage is neither rising nor falling throughout."""
    return min(fall(curve), fall(-curve)) > ROUNDING * servers


def maxima(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratios at which a curve over `RATIOS` is higher than on both sides."""
    steps = np.diff(curve)
    return RATIOS[1:-1][(steps[:-1] > 0) & (steps[1:] < 0)]


def _mean_class_2(servers: int, needs: Sequence[int], probability_2: float, ratio: float) -> float:
    result = two_class.distribution(two_classes(servers, needs, probability_2, ratio))
    return float(result.time @ result.states.class_2)
