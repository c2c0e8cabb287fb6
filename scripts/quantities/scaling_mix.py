"""Quantities of the saturated system as the mix of jobs changes, large jobs being n^−α of all.

The `sizes` of the jobs name the system: `n` is server needs 1 and n, `half` is 1 and n/2, and
`three` is 1, n/2 and n, where the two large ones share n^−α equally. All rates are 1, except that
`n` may have `rates` (μ_1, μ_n). With α the *worst mix* is the one that can use the smallest share
of capacity, f = λ E[S]/n at λ = μ: there the stability region of all mixes ends
(`multilevel-scaling`, Section 10, where Figs 6, 8(b) and 9 hold f constant).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multiserver import JobClass, MultiserverJobSystem
from multiserver.saturated import single_duration, stationary, two_class
from multiserver.saturated.chain import enumerate_chain
from multiserver.saturated.one_or_n import OneOrNMeans, one_or_n
from quantities.scaling import read_rates
from studies.scaling_peaks import find_highest

Parameters = Mapping[str, Any]

GRID = np.linspace(0.0, 4.0, 201)


def worst_exponent(parameters: Parameters) -> float:
    """The α of the worst mix."""
    return find_highest(lambda alpha: -_means(parameters, alpha).utilisation, GRID)


def worst_share(parameters: Parameters) -> float:
    """The share of capacity that the worst mix can use."""
    return _means(parameters, worst_exponent(parameters)).utilisation


def peak_exponent(parameters: Parameters) -> float:
    """The α at which E[Δ(Y_d)] is largest."""
    return find_highest(lambda alpha: _one_or_n(parameters, alpha).relative_completions, GRID)


def peak_over_balanced(parameters: Parameters) -> float:
    """The largest E[Δ(Y_d)], over n/2."""
    peak = _one_or_n(parameters, peak_exponent(parameters)).relative_completions
    return peak / (parameters["servers"] / 2)


def share_of_load_at_peak(parameters: Parameters) -> float:
    """The one-server jobs' share of the load where E[Δ(Y_d)] is largest."""
    return _share_of_load(parameters, peak_exponent(parameters))


def share_of_load_at_inflection(parameters: Parameters) -> float:
    """The same where the throughput has its inflection."""
    return _share_of_load(parameters, inflection_exponent(parameters))


def balance_exponent(parameters: Parameters) -> float:
    """The α at which both sizes of job are half of the load."""
    n, (rate_1, rate_n) = parameters["servers"], read_rates(parameters)
    return math.log(1 + n * rate_1 / rate_n) / math.log(n)


def asymmetry(parameters: Parameters) -> float:
    """The largest difference of E[Δ(Y_d)] at `centre` ± x, 0 ≤ x ≤ `centre`, over its peak."""
    centre = parameters["centre"]
    sides = [
        [_one_or_n(parameters, centre + sign * x).relative_completions for sign in (-1, 1)]
        for x in np.linspace(0, centre, 101)
    ]
    return max(abs(left - right) for left, right in sides) / max(map(max, sides))


def is_bell_curve(parameters: Parameters) -> bool:
    """Whether E[Δ(Y_d)] rises with α up to one peak and falls from there on."""
    curve = [_one_or_n(parameters, alpha).relative_completions for alpha in GRID]
    return _turns_once(curve)


def share_is_bell_curve(parameters: Parameters) -> bool:
    """Whether the share of capacity that can be used falls with α to the worst mix and then
    rises."""
    return _turns_once([-_means(parameters, alpha).utilisation for alpha in GRID])


def relative_completions_at(parameters: Parameters) -> float:
    """E[Δ(Y_d)]/n at α = `exponent`."""
    found = _one_or_n(parameters, parameters["exponent"])
    return found.relative_completions / parameters["servers"]


def throughput_rises(parameters: Parameters) -> bool:
    """Whether the throughput never falls as α rises, but for rounding."""
    curve = [_means(parameters, alpha).throughput for alpha in GRID]
    return bool(np.diff(curve).min() > -1e-12 * max(curve))


def inflection_exponent(parameters: Parameters) -> float:
    """The α at which the throughput rises fastest."""
    step = 1e-3

    def slope(alpha: float) -> float:
        below, above = (_means(parameters, alpha + s).throughput for s in (-step, step))
        return above - below

    return find_highest(slope, GRID[1:])


def worst_is_at_inflection(parameters: Parameters) -> bool:
    """Whether the α of the worst mix and that of the inflection are within 0.1 of each other."""
    return abs(inflection_exponent(parameters) - worst_exponent(parameters)) <= 0.1


def most_idle(parameters: Parameters) -> int:
    """The most servers idle in any saturated state."""
    return int(enumerate_chain(build_mix(parameters, 1.0)).idle.max())


def worst_shares_in_order(parameters: Parameters) -> bool:
    """Whether the share that the worst mix can use grows from `n` to `three` to `half`."""
    shares = [worst_share({**parameters, "sizes": sizes}) for sizes in ("n", "three", "half")]
    return shares == sorted(shares)


def closed_form_gap(parameters: Parameters) -> float:
    """The relative gap between the closed form of the throughput at α = `exponent` and the
    enumerated chain."""
    alpha = parameters["exponent"]
    chain = stationary.solve(build_mix(parameters, alpha))
    return _means(parameters, alpha).throughput / chain.throughput - 1


def product_form_gap(parameters: Parameters) -> float:
    """The same for the product form of two classes, and sizes `half`."""
    alpha = parameters["exponent"]
    product = two_class.law(build_mix(parameters, alpha)).throughput
    return _means(parameters, alpha).throughput / product - 1


def large_job_probability(parameters: Parameters) -> float:
    """n^{`sign` α}/2 at α = `exponent`."""
    return parameters["servers"] ** (parameters["sign"] * parameters["exponent"]) / 2


def build_mix(parameters: Parameters, alpha: float) -> MultiserverJobSystem:
    """The system at one α; classes of probability 0 are left out."""
    n, large = parameters["servers"], parameters["servers"] ** -alpha
    needs = {"n": [n], "half": [n // 2], "three": [n // 2, n]}[parameters["sizes"]]
    rates = read_rates(parameters) if len(needs) == 1 else (1.0, 1.0, 1.0)
    chances = [1 - large, *[large / len(needs)] * len(needs)]
    columns = zip([1, *needs], rates, chances, strict=False)
    return MultiserverJobSystem(n, tuple(JobClass(*c) for c in columns if c[2] > 0))


def _means(
    parameters: Parameters, alpha: float
) -> OneOrNMeans | single_duration.SingleDurationMeans:
    n, large = parameters["servers"], parameters["servers"] ** -alpha
    if parameters["sizes"] == "n":
        return _one_or_n(parameters, alpha)
    half, alls = (large, 0.0) if parameters["sizes"] == "half" else (large / 2, large / 2)
    return single_duration.one_half_all(n, half, alls)


def _one_or_n(parameters: Parameters, alpha: float) -> OneOrNMeans:
    n = parameters["servers"]
    return one_or_n(n, min(float(n) ** -alpha, 1.0), *read_rates(parameters))


def _share_of_load(parameters: Parameters, alpha: float) -> float:
    n, (rate_1, rate_n) = parameters["servers"], read_rates(parameters)
    ones, alls = (1 - n**-alpha) / rate_1, n ** (1 - alpha) / rate_n
    return ones / (ones + alls)


def _turns_once(curve: list[float]) -> bool:
    rises = np.diff(curve) > 0
    return bool(rises[0] and not rises[-1] and np.count_nonzero(np.diff(rises)) == 1)
