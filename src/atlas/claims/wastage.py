"""Quantities of the wasted servers of two-class systems, from the product form.

Parameters are `servers`, `needs`, and `rates` if p2 varies or `probability_2` if the ratio μ2/μ1
varies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from atlas.claims import Found, Parameters, takes
from atlas.claims.rate_ratio import fall, maxima, wastage_over
from atlas.claims.scaling_limits import share_idle_limit
from atlas.models.systems import read_system
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import limits, stationary, two_class
from multiserver.saturated.agreement import draw_system
from multiserver.saturated.peak import PeakWastage, find_peak_wastage

ROUTE = "product form"
CONFIRMED = "sparse solution of the enumerated chain (tests/theory/test_two_class.py)"

# Mixes p2 dense enough that the highest is nearly a peak: the relative error is far below MISSED.
MIXES, MISSED = expit(np.linspace(-27.6, 27.6, 501)), 0.02


@takes("servers", "needs", "rates", "probabilities")
def gap_minus_wastage(parameters: Parameters) -> float:
    """(λ_naive − λ*) E[S] − E[N_idle]."""
    system = read_system(parameters)
    result = stationary.solve(system)
    return (system.naive_throughput - result.throughput) * system.mean_demand - result.wastage


@takes("servers", "needs", "rates")
def peak_utilisation(parameters: Parameters) -> float:
    """The utilisation where most servers are wasted."""
    return _peak(parameters).utilisation


@takes("servers", "needs", "rates")
def smaller_majority(parameters: Parameters) -> Found:
    """The smaller of class 1's share of the jobs and class 2's share of the server-seconds, at the
    peak of wastage."""
    found = _peak(parameters)
    return Found(
        min(1 - found.probability_2, found.load_share_2), f"p2 = {found.probability_2:.4f}"
    )


@takes(
    "exponent",
    route="closed form, extrapolated to the limit",
    confirmed="the enumerated chain at finite n (tests/theory/test_one_or_n.py)",
)
def share_of_largest_need(parameters: Parameters) -> float:
    """E[N_idle]/n2 as n → ∞, for n1 = 1, n2 = n and p2 = n^−α."""
    return share_idle_limit(exponent=parameters["exponent"])


@takes("servers", "needs", "rates")
def worst_need(parameters: Parameters) -> int:
    """The need n2 at which the worst mix wastes the most servers, for needs n1 < n2 ≤ n."""
    servers, need_1 = parameters["servers"], parameters["needs"][0]
    needs = range(need_1 + 1, servers + 1)
    tops = {
        need_2: two_class.sweep(servers, (need_1, need_2), parameters["rates"], MIXES).wastage.max()
        for need_2 in needs
    }
    near = [need_2 for need_2 in needs if tops[need_2] > (1 - MISSED) * max(tops.values())]
    peaks = [
        find_peak_wastage(servers, (need_1, need_2), parameters["rates"], len(MIXES)).wastage
        for need_2 in near
    ]
    return near[int(np.argmax(peaks))]


@takes("servers", "needs", "rates")
def one_class_only(parameters: Parameters) -> list[float]:
    """Wastage when all jobs are of class 1, and when all are of class 2."""
    servers, needs, rates = (parameters[key] for key in ("servers", "needs", "rates"))
    return two_class.sweep(servers, needs, rates, np.array([0.0, 1.0])).wastage.tolist()


@takes(
    "count",
    "largest",
    "seed",
    route="elimination in the enumerated chain",
    confirmed="product form at the same rates (tests/theory/test_two_class.py)",
)
def scale_dependence(parameters: Parameters) -> Found:
    """The largest change of wastage, in servers, over `count` random systems when both rates are
    scaled by 1e-6, 1e-3, 1e3 and 1e6."""
    rng = np.random.default_rng(parameters["seed"])
    worst = (0.0, "")
    for _ in range(parameters["count"]):
        s = draw_system(rng, parameters["largest"])
        wasted = [
            stationary.solve(
                MultiserverJobSystem.of(
                    s.servers, s.needs, [rate * scale for rate in s.rates], s.probabilities
                )
            ).wastage
            for scale in (1.0, 1e-6, 1e-3, 1e3, 1e6)
        ]
        at = f"{s.needs[0]}-{s.needs[1]}-{s.servers}, wastage {wasted[0]:.3g}"
        worst = max(worst, (float(np.ptp(wasted)), at))
    return Found(*worst)


@takes("servers", "needs", "at", "probability_2")
def at_ratio(parameters: Parameters) -> float:
    """Wastage at μ2/μ1 = `at`."""
    return float(wastage_over(*_keys(parameters), parameters["at"]))


@takes("servers", "needs", "probability_2", "at")
def share_at_ratio(parameters: Parameters) -> float:
    """Wastage at μ2/μ1 = `at` as a share of n2."""
    return at_ratio(parameters) / parameters["needs"][1]


@takes("servers", "needs", "probability_2")
def likeliest_class_1_jobs_in_fast_limit(parameters: Parameters) -> int:
    """The most likely number of class 1 jobs in service as μ2/μ1 → ∞."""
    jobs, chance = limits.fast_class_2_distribution(*_keys(parameters))
    return int(jobs[np.argmax(chance)])


@takes("servers", "needs", "probability_2")
def likeliest_at_completions_in_fast_limit(parameters: Parameters) -> int:
    """The most likely number of class 1 jobs in service at completions as μ2/μ1 → ∞."""
    jobs, chance = limits.fast_class_2_distribution(*_keys(parameters))
    return int(jobs[np.argmax(chance * jobs)])


@takes("servers", "needs", "probability_2")
def class_2_only_in_slow_limit(parameters: Parameters) -> float:
    """The share of time in s1(0) at μ2/μ1 = 1e-12."""
    p2 = parameters["probability_2"]
    block = parameters | {"rates": (1.0, 1e-12), "probabilities": (1 - p2, p2)}
    return float(two_class.distribution(read_system(block)).time[0])


@takes("largest")
def least_remainder_of_class_1_need(parameters: Parameters) -> Found:
    """The least n1 mod n2 over all needs n1 < n2 up to `largest`: 0 where n2 divides n1."""
    pairs = [(a % b, a, b) for b in range(2, parameters["largest"] + 1) for a in range(1, b)]
    least, need_1, need_2 = min(pairs)
    return Found(least, f"n1 = {need_1}, n2 = {need_2}, of {len(pairs)} pairs")


@takes("servers", "needs", "probability_2")
def quick_over_slow(parameters: Parameters) -> float:
    """Wastage at μ1 = 10 μ2, over the smaller of its values at μ1 = μ2 and at μ1 = μ2/10."""
    quick, equal, slow = wastage_over(*_keys(parameters), np.array([0.1, 1.0, 10.0]))
    return float(quick / min(equal, slow))


@takes("servers", "needs", "probability_2")
def dip_when_enlarged(parameters: Parameters) -> float:
    """The deepest dip, as a share of n2, when n2 and n are ten times as large, over that of the
    original system."""
    return _deepest_dip(_enlarge(parameters)) / _deepest_dip(parameters)


@takes("servers", "needs", "probability_2")
def interior_maxima(parameters: Parameters) -> int:
    """The number of local maxima of wastage in μ2/μ1."""
    return len(_maxima(parameters))


@takes("servers", "needs", "probability_2")
def last_peak_moves(parameters: Parameters) -> float:
    """The factor by which the last maximum's μ2/μ1 grows when n2 and n are ten times as large."""
    return float(_maxima(_enlarge(parameters))[-1] / _maxima(parameters)[-1])


@takes("servers", "needs", "probability_2")
def turn_in_servers(parameters: Parameters) -> float:
    """The smaller of the deepest fall and the highest rise of wastage at μ1 = μ2 as n grows from n2
    to `servers`: 0 if it is monotonic."""
    needs, p2 = parameters["needs"], parameters["probability_2"]
    sizes = range(needs[1], parameters["servers"] + 1)
    curve = np.array([two_class.sweep(n, needs, (1.0, 1.0), p2).wastage for n in sizes])
    return min(fall(curve), fall(-curve))


@takes("servers", "needs", "rates")
def deepest_fall_in_mix(parameters: Parameters) -> Found:
    """The deepest fall of wastage as p2 grows from 0 to 1."""
    p2 = np.linspace(0, 1, 1001)
    swept = two_class.sweep(parameters["servers"], parameters["needs"], parameters["rates"], p2)
    falls = np.maximum.accumulate(swept.wastage) - swept.wastage
    return Found(float(falls.max()), f"p2 = {p2[falls.argmax()]:.3f}")


def _peak(parameters: Parameters) -> PeakWastage:
    return find_peak_wastage(parameters["servers"], parameters["needs"], parameters["rates"])


def _keys(parameters: Parameters) -> tuple[int, list[int], float]:
    return parameters["servers"], parameters["needs"], parameters["probability_2"]


def _enlarge(parameters: Parameters) -> Parameters:
    (need_1, need_2), servers = parameters["needs"], parameters["servers"]
    return {**parameters, "servers": 10 * servers, "needs": (need_1, 10 * need_2)}


def _deepest_dip(parameters: Parameters) -> float:
    """The deepest fall of wastage from a maximum to a later minimum, as a share of n2."""
    return fall(wastage_over(*_keys(parameters))) / parameters["needs"][1]


def _maxima(parameters: Parameters) -> NDArray[np.float64]:
    return maxima(wastage_over(*_keys(parameters)))
