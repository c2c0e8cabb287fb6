"""Quantities of the wasted servers of two-class systems, from the product form.

Parameters are `servers`, `needs`, and `rates` if p2 varies or `probability_2` if the ratio μ2/μ1
varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from atlas.claims import Found, System, by
from atlas.claims.product_form import draw_systems
from atlas.claims.rate_ratio import fall, maxima, rises_and_falls, two_classes, wastage_over
from atlas.claims.scaling_limits import share_idle_limit
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import limits, stationary, two_class
from multiserver.saturated.peak import find_peak_wastage

ROUTE = "product form"
CONFIRMED = "sparse solution of the enumerated chain (tests/theory/test_two_class.py)"
by_elimination = by(
    route="elimination in the enumerated chain",
    confirmed="product form at the same rates (tests/theory/test_two_class.py)",
)

# Mixes p2 dense enough that the highest is nearly a peak: the relative error is far below MISSED.
MIXES, MISSED = expit(np.linspace(-27.6, 27.6, 501)), 0.02


def gap_minus_wastage(**system: Unpack[System]) -> float:
    """(λ_naive − λ*) E[S] − E[N_idle]."""
    system = MultiserverJobSystem.of(**system)
    result = stationary.solve(system)
    return (system.naive_throughput - result.throughput) * system.mean_demand - result.wastage


@by_elimination
def least_over_most(*, systems: Sequence[System]) -> Found:
    """The least wastage over the greatest of some systems."""
    found = [stationary.solve(MultiserverJobSystem.of(**system)) for system in systems]
    wasted = [result.wastage for result in found]
    stable = " and ".join(f"{result.throughput:.4g}" for result in found)
    return Found(min(wasted) / max(wasted), f"λ* = {stable}")


def peak_utilisation(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> float:
    """The utilisation where most servers are wasted."""
    return find_peak_wastage(servers, needs, rates).utilisation


def smaller_majority(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> Found:
    """The smaller of class 1's share of the jobs and class 2's share of the server-seconds, at the
    peak of wastage."""
    found = find_peak_wastage(servers, needs, rates)
    return Found(
        min(1 - found.probability_2, found.load_share_2), f"p2 = {found.probability_2:.4f}"
    )


@by(
    route="closed form, extrapolated to the limit",
    confirmed="the enumerated chain at finite n (tests/theory/test_one_or_n.py)",
)
def share_of_largest_need(*, exponent: float) -> float:
    """E[N_idle]/n2 as n → ∞, for n1 = 1, n2 = n and p2 = n^−α."""
    return share_idle_limit(exponent=exponent)


def worst_need(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> int:
    """The need n2 at which the worst mix wastes the most servers, for needs n1 < n2 ≤ n."""
    need_1, *_ = needs
    larger = range(need_1 + 1, servers + 1)
    tops = {
        need_2: two_class.sweep(servers, (need_1, need_2), rates, MIXES).wastage.max()
        for need_2 in larger
    }
    near = [need_2 for need_2 in larger if tops[need_2] > (1 - MISSED) * max(tops.values())]
    peaks = [
        find_peak_wastage(servers, (need_1, need_2), rates, len(MIXES)).wastage for need_2 in near
    ]
    return near[int(np.argmax(peaks))]


def one_class_only(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> list[float]:
    """Wastage when all jobs are of class 1, and when all are of class 2."""
    return two_class.sweep(servers, needs, rates, np.array([0.0, 1.0])).wastage.tolist()


@by_elimination
def scale_dependence(*, count: int, largest: int, seed: int) -> Found:
    """The largest change of wastage, in servers, over `count` random systems when both rates are
    scaled by 1e-6, 1e-3, 1e3 and 1e6."""
    worst = (0.0, "")
    for s in draw_systems(count, largest, seed):
        scaled = (
            MultiserverJobSystem.of(s.servers, s.needs, np.multiply(s.rates, x), s.probabilities)
            for x in (1.0, 1e-6, 1e-3, 1e3, 1e6)
        )
        wasted = [stationary.solve(system).wastage for system in scaled]
        at = f"{s.needs[0]}-{s.needs[1]}-{s.servers}, wastage {wasted[0]:.3g}"
        worst = max(worst, (float(np.ptp(wasted)), at))
    return Found(*worst)


def at_ratio(*, servers: int, needs: Sequence[int], at: float, probability_2: float) -> float:
    """Wastage at μ2/μ1 = `at`."""
    return float(wastage_over(servers, needs, probability_2, at))


def share_at_ratio(*, servers: int, needs: Sequence[int], probability_2: float, at: float) -> float:
    """Wastage at μ2/μ1 = `at` as a share of n2."""
    return float(wastage_over(servers, needs, probability_2, at)) / needs[1]


def likeliest_class_1_jobs_in_fast_limit(
    *,
    servers: int,
    needs: Sequence[int],
    probability_2: float,
    law: Literal["time", "embedded"] = "time",
) -> int:
    """The most likely number of class 1 jobs in service as μ2/μ1 → ∞, `embedded` at completions or
    in `time`."""
    jobs, chance = limits.fast_class_2_distribution(servers, needs, probability_2)
    return int(jobs[np.argmax({"time": chance, "embedded": chance * jobs}[law])])


def class_2_only_in_slow_limit(
    *, servers: int, needs: Sequence[int], probability_2: float
) -> float:
    """The share of time in s1(0) at μ2/μ1 = 1e-12."""
    system = two_classes(servers, needs, probability_2, 1e-12)
    return float(two_class.distribution(system).time[0])


@by(
    route="all pairs of needs",
    confirmed="the smallest need, as n1 mod n2 is n1 (tests/claims/test_transitions.py)",
)
def least_remainder_of_class_1_need(*, largest: int) -> Found:
    """The least n1 mod n2 over all needs n1 < n2 up to `largest`: 0 where n2 divides n1."""
    pairs = [(a % b, a, b) for b in range(2, largest + 1) for a in range(1, b)]
    least, need_1, need_2 = min(pairs)
    return Found(least, f"n1 = {need_1}, n2 = {need_2}, of {len(pairs)} pairs")


def quick_over_slow(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """Wastage at μ1 = 10 μ2, over the smaller of its values at μ1 = μ2 and at μ1 = μ2/10."""
    ratios = np.array([0.1, 1.0, 10.0])
    quick, equal, slow = wastage_over(servers, needs, probability_2, ratios)
    return float(quick / min(equal, slow))


def dip_when_enlarged(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """The deepest dip, as a share of n2, when n2 and n are ten times as large, over that of the
    original system."""
    small, large = _and_enlarged(servers, needs, probability_2)
    return fall(large) / (10 * needs[1]) / (fall(small) / needs[1])


def interior_maxima(*, servers: int, needs: Sequence[int], probability_2: float) -> int:
    """The number of local maxima of wastage in μ2/μ1."""
    return len(maxima(wastage_over(servers, needs, probability_2)))


def last_peak_moves(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """The factor by which the last maximum's μ2/μ1 grows when n2 and n are ten times as large."""
    small, large = _and_enlarged(servers, needs, probability_2)
    return float(maxima(large)[-1] / maxima(small)[-1])


def turn_in_servers(*, servers: int, needs: Sequence[int], probability_2: float) -> float:
    """The smaller of the deepest fall and the highest rise of wastage at μ1 = μ2 as n grows from n2
    to `servers`: 0 if it is monotonic."""
    sizes, rates = range(needs[1], servers + 1), (1.0, 1.0)
    curve = np.array([two_class.sweep(n, needs, rates, probability_2).wastage for n in sizes])
    return min(fall(curve), fall(-curve))


def share_not_monotonic_in_mix(*, servers: int, rates: Sequence[float]) -> Found:
    """The share of the systems of all needs n1 < n2 ≤ n whose wastage both rises and falls as p2
    rises."""
    p2 = np.linspace(0, 1, 201)
    turns = [
        rises_and_falls(two_class.sweep(servers, needs, rates, p2).wastage, servers)
        for needs in combinations(range(1, servers + 1), 2)
    ]
    return Found(sum(turns) / len(turns), f"{sum(turns)} of {len(turns)} systems")


def deepest_fall_in_mix(*, servers: int, needs: Sequence[int], rates: Sequence[float]) -> Found:
    """The deepest fall of wastage as p2 grows from 0 to 1."""
    p2 = np.linspace(0, 1, 1001)
    swept = two_class.sweep(servers, needs, rates, p2)
    falls = np.maximum.accumulate(swept.wastage) - swept.wastage
    return Found(float(falls.max()), f"p2 = {p2[falls.argmax()]:.3f}")


def _and_enlarged(servers: int, needs: Sequence[int], probability_2: float) -> list[NDArray]:
    """Wastage over the ratios, and that with ten times as many servers and as large a need n2."""
    enlarged = (10 * servers, (needs[0], 10 * needs[1]))
    return [wastage_over(*system, probability_2) for system in ((servers, needs), enlarged)]
