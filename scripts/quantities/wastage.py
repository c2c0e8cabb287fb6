"""Quantities of the wasted servers of two-class systems, from the product form.

Parameters are `servers`, `needs`, and `rates` where p2 is free or `probability_2` where the ratio
μ2/μ1 is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.saturated import limits, stationary, two_class
from multiserver.saturated.peak import PeakWastage, find_peak_wastage
from quantities.systems import read_system

Parameters = Mapping[str, Any]

# Ratios at which the two ends of the axis have been reached for every system of the paper.
RATIOS = np.geomspace(1e-6, 1e8, 14001)


def gap_minus_wastage(parameters: Parameters) -> float:
    """(λ_naive − λ*) E[S] − E[N_idle]."""
    system = read_system(parameters)
    law = stationary.solve(system)
    return (system.naive_throughput - law.throughput) * system.mean_demand - law.wastage


def peak_share_of_jobs(parameters: Parameters) -> float:
    """The p2 at which most servers are wasted."""
    return _peak(parameters).probability_2


def peak_share_of_load(parameters: Parameters) -> float:
    """Class 2's share of the server-seconds demanded where most servers are wasted."""
    return _peak(parameters).load_share_2


def peak(parameters: Parameters) -> float:
    """The most servers that any p2 wastes."""
    return _peak(parameters).wastage


def peak_utilisation(parameters: Parameters) -> float:
    """The utilisation where most servers are wasted."""
    return _peak(parameters).utilisation


def loses_half_at_peak(parameters: Parameters) -> bool:
    """Whether half of the naive stability region or more is lost at some p2."""
    return _peak(parameters).utilisation <= 0.5


def peak_has_few_but_heavy_class_2_jobs(parameters: Parameters) -> bool:
    """Whether most jobs are of class 1 but most server-seconds of class 2 at the peak."""
    found = _peak(parameters)
    return found.probability_2 < 0.5 < found.load_share_2


def worst_need(parameters: Parameters) -> int:
    """The need n2 at which the worst mix wastes most servers, for needs n1 < n2 ≤ n."""
    servers, need_1 = parameters["servers"], parameters["needs"][0]
    needs = range(need_1 + 1, servers + 1)
    peaks = [
        find_peak_wastage(servers, (need_1, need_2), parameters["rates"], 501).wastage
        for need_2 in needs
    ]
    return needs[int(np.argmax(peaks))]


def one_class_only(parameters: Parameters) -> list[float]:
    """Wastage when all jobs are of class 1, and when all are of class 2."""
    servers, needs, rates = (parameters[key] for key in ("servers", "needs", "rates"))
    return two_class.sweep(servers, needs, rates, np.array([0.0, 1.0])).wastage.tolist()


def scale_dependence(parameters: Parameters) -> float:
    """The largest relative change of wastage when both rates are scaled by 1e-6 … 1e6."""
    scale = np.geomspace(1e-6, 1e6, 25)
    rates = tuple(rate * scale for rate in parameters["rates"])
    swept = two_class.sweep(
        parameters["servers"], parameters["needs"], rates, parameters["probability_2"]
    )
    return float(np.ptp(swept.wastage) / swept.wastage[0])


def at_ratio(parameters: Parameters) -> float:
    """Wastage at μ2/μ1 = `rate_ratio`."""
    return float(_by_ratio(parameters, parameters["at"]))


def per_need_at_ratio_1(parameters: Parameters) -> float:
    """Wastage at μ2/μ1 = 1, as a share of n2."""
    return float(_by_ratio(parameters, 1.0)) / parameters["needs"][1]


def fast_limit(parameters: Parameters) -> float:
    """The exact limit of wastage as μ2/μ1 → ∞."""
    return limits.fast_class_2_wastage(*_keys(parameters))


def likeliest_class_1_jobs_in_fast_limit(parameters: Parameters) -> int:
    """The most likely number of class 1 jobs in service as μ2/μ1 → ∞."""
    jobs, chance = limits.fast_class_2_law(*_keys(parameters))
    return int(jobs[np.argmax(chance)])


def class_2_only_in_slow_limit(parameters: Parameters) -> float:
    """The share of time in s1(0) at μ2/μ1 = 1e-12."""
    p2 = parameters["probability_2"]
    block = parameters | {"rates": (1.0, 1e-12), "probabilities": (1 - p2, p2)}
    return float(two_class.law(read_system(block)).time[0])


def divides_class_1_need(parameters: Parameters) -> bool:
    """Whether n2 divides n1."""
    need_1, need_2 = parameters["needs"]
    return need_1 % need_2 == 0


def lower_where_small_jobs_are_quick(parameters: Parameters) -> bool:
    """Whether fewer servers are wasted at μ1 = 10 μ2 than at μ1 = μ2 and at μ1 = μ2 / 10."""
    quick, equal, slow = _by_ratio(parameters, np.array([0.1, 1.0, 10.0]))
    return bool(quick < min(equal, slow))


def interior_maxima(parameters: Parameters) -> int:
    """How many local maxima wastage has in μ2/μ1."""
    return len(_maxima(parameters))


def has_interior_extrema_above_1(parameters: Parameters) -> bool:
    """Whether wastage has local maxima and minima at ratios μ2/μ1 above 1."""
    curve = _by_ratio(parameters, RATIOS)
    return all((_local_maxima(side) > 1).any() for side in (curve, -curve))


def is_monotone(parameters: Parameters) -> bool:
    """Whether wastage never falls as μ2/μ1 rises, but for rounding."""
    curve = _by_ratio(parameters, RATIOS)
    return bool(np.diff(curve).min() > -1e-11 * parameters["servers"])


def dips_deepen(parameters: Parameters) -> bool:
    """Whether the deepest dip, as a share of n2, at least doubles when n2 and n are ten times as
    large."""
    return _deepest_dip(_enlarge(parameters)) >= 2 * _deepest_dip(parameters)


def last_peak_moves(parameters: Parameters) -> float:
    """By what factor the last maximum's μ2/μ1 grows when n2 and n are ten times as large."""
    return float(_maxima(_enlarge(parameters))[-1] / _maxima(parameters)[-1])


def is_monotone_in_servers(parameters: Parameters) -> bool:
    """Whether wastage at μ1 = μ2 never falls as n grows from n2 to `servers`."""
    needs, p2 = parameters["needs"], parameters["probability_2"]
    sizes = range(needs[1], parameters["servers"] + 1)
    curve = [float(two_class.sweep(n, needs, (1.0, 1.0), p2).wastage) for n in sizes]
    return bool(np.diff(curve).min() >= 0)


def is_monotone_in_mix(parameters: Parameters) -> bool:
    """Whether wastage never falls as p2 grows from 0 to 1."""
    p2 = np.linspace(0, 1, 1001)
    swept = two_class.sweep(parameters["servers"], parameters["needs"], parameters["rates"], p2)
    return bool(np.diff(swept.wastage).min() >= 0)


def _peak(parameters: Parameters) -> PeakWastage:
    return find_peak_wastage(parameters["servers"], parameters["needs"], parameters["rates"])


def _keys(parameters: Parameters) -> tuple[int, list[int], float]:
    return parameters["servers"], parameters["needs"], parameters["probability_2"]


def _by_ratio(parameters: Parameters, ratio: float | NDArray) -> NDArray[np.float64]:
    servers, needs, p2 = _keys(parameters)
    return two_class.sweep(servers, needs, (1.0, ratio), p2).wastage


def _enlarge(parameters: Parameters) -> Parameters:
    (need_1, need_2), servers = parameters["needs"], parameters["servers"]
    return {**parameters, "servers": 10 * servers, "needs": (need_1, 10 * need_2)}


def _deepest_dip(parameters: Parameters) -> float:
    """The deepest fall of wastage from a maximum to a later minimum, as a share of n2."""
    curve = _by_ratio(parameters, RATIOS)
    return float((np.maximum.accumulate(curve) - curve).max()) / parameters["needs"][1]


def _maxima(parameters: Parameters) -> NDArray[np.float64]:
    return _local_maxima(_by_ratio(parameters, RATIOS))


def _local_maxima(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratios at which a curve over `RATIOS` is higher than on both sides."""
    rises = np.diff(curve) > 0
    return RATIOS[1:-1][rises[:-1] & (np.diff(curve)[1:] < 0)]
