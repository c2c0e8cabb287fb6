"""Quantities of the limits of μ and E[Δ(Y_d)] as n → ∞ and p_n → 0, server needs 1 and n.

`multilevel-scaling` proves that the exact value of μ or of E[Δ(Y_d)] over its growth rate tends to
1, mostly with an error of order 1/ln n: 6 to 15 % at n = 1e8, still 3 to 10 % at n = 1e15. But the
ratio is a smooth function of h = 1/ln n (of 1/ln(1/p_n) where the growth rate has this logarithm,
of 1/√ln n where p_n has its root), up to powers of n. So the limit is found by *extrapolation*: the
polynomial in h through a few exact values is continued to h = 0. It errs by less than 1e-3, or by
0.015 where μ_1 = 10 μ_n.

Parameters are those of `scaling`, and `mean` and `growth`, which name the exact value and its rate
of growth. On logarithmic axes the *gap* between two curves is |ln| of their ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from multiserver.saturated import asymptotics
from quantities.scaling import (
    means,
    probability_n,
    read_rates,
    share_idle,
    share_of_time_in_n,
)

Parameters = Mapping[str, Any]

# The largest n that one_or_n takes is 2^53; 1e9 is where no power of n matters any more.
FAR = np.geomspace(1e9, 2**53, 6)
# The axis of Figs 2 to 4 and 10 to 15.
AXIS = [10**k for k in range(1, 9)]


def ratio(parameters: Parameters) -> float:
    """The exact value over its growth rate, at n = `servers`."""
    return _exact(parameters) / _growth(parameters)


def ratio_limit(parameters: Parameters) -> float:
    """The same, extrapolated to n → ∞."""
    root = bool(parameters.get("logs", 0) % 1)

    def variable(n: int) -> float:
        if parameters["growth"] == "n-dominated":
            return -1 / math.log(probability_n({**parameters, "servers": n}))
        return math.log(n) ** (-0.5 if root else -1)

    return extrapolate(lambda n: ratio({**parameters, "servers": n}), variable)


def unscaled_throughput_limit(parameters: Parameters) -> float:
    """lim μ p_n ln(1/p_n)."""
    chosen = {**parameters, "mean": "throughput", "growth": "n-dominated"}
    return ratio_limit(chosen) * read_rates(parameters)[0]


def rare_relative_completions_limit(parameters: Parameters) -> float:
    """lim p_n E[Δ(Y_d)] for p_n = o(1/(n ln n))."""
    return _limit(parameters, lambda q: probability_n(q) * means(q).relative_completions)


def share_idle_limit(parameters: Parameters) -> float:
    """lim E[N_idle]/n for p_n = c n^−α with α ≤ 1."""
    return _limit(parameters, share_idle)


def share_of_time_in_n_limit(parameters: Parameters) -> float:
    """lim P_0, the share of time in which an n-server job is in service, for the same."""
    return _limit(parameters, share_of_time_in_n)


def throughput_constant(parameters: Parameters) -> float:
    """(n − μ/μ_1) n^{α−2} − ln n, for p_n = n^−α with α > 1."""
    n = parameters["servers"]
    return _deficit(parameters, n) * n ** (parameters["exponent"] - 2) - math.log(n)


def deficit_exponent(parameters: Parameters) -> float:
    """The exponent at which (n − μ/μ_1)/ln n grows, between n = `servers` and 2n."""
    n = parameters["servers"]
    small, large = (_deficit(parameters, size) / math.log(size) for size in (n, 2 * n))
    return math.log2(large / small)


def growth_exponents(parameters: Parameters) -> list[float]:
    """The exponents at which E[Δ(Y_d)] grows between n = `servers` and 2n, for all `exponents`."""
    n, found = parameters["servers"], []
    for alpha in parameters["exponents"]:
        small, large = (
            means({"servers": size, "exponent": alpha}).relative_completions for size in (n, 2 * n)
        )
        found.append(math.log2(large / small))
    return found


def is_largest_when_balanced(parameters: Parameters) -> bool:
    """Whether E[Δ(Y_d)] is larger at p_n = 1/n than at p_n = 1/(n ln n)."""
    balanced, rarer = (
        means({**parameters, "exponent": 1, "logs": logs}).relative_completions for logs in (0, -1)
    )
    return balanced > rarer


# Figs 2 to 4 and 10 to 15, where n = 10, 1e2 … 1e8.


def worst_factor(parameters: Parameters) -> float:
    """The largest factor between the exact value and its growth rate, whichever is larger."""
    return math.exp(max(_gaps(parameters)))


def gap_narrows(parameters: Parameters) -> bool:
    """Whether the gap between exact value and growth rate narrows all along, from n = `servers`."""
    return bool((np.diff(_gaps(parameters, parameters["servers"])) < 0).all())


def gap_widens(parameters: Parameters) -> bool:
    """Whether it widens all along, from n = `servers`."""
    return bool((np.diff(_gaps(parameters, parameters["servers"])) > 0).all())


def narrower_than_at_unit_rates(parameters: Parameters) -> bool:
    """Whether the gap is narrower than with μ_1 = μ_n = 1, at every n."""
    unit = {**parameters, "rates": (1, 1)}
    return all(a < b for a, b in zip(_gaps(parameters), _gaps(unit), strict=True))


def wider_than_at_unit_rates(parameters: Parameters) -> bool:
    """Whether the gap is wider than with μ_1 = μ_n = 1, at every n."""
    unit = {**parameters, "rates": (1, 1)}
    return all(a > b for a, b in zip(_gaps(parameters), _gaps(unit), strict=True))


def growth_rates_approach(parameters: Parameters) -> bool:
    """Whether the gap between both growth rates of the mean is narrower at 1e8 than at 1e4."""
    near, far = (
        abs(math.log(_growth({**block, "growth": "n-dominated"}) / _growth(block)))
        for block in ({**parameters, "servers": n, "growth": "one-dominated"} for n in (1e4, 1e8))
    )
    return far < near


def extrapolate(
    value: Callable[[int], float],
    variable: Callable[[int], float],
    sizes: np.ndarray = FAR,
) -> float:
    """The limit of value(n) as variable(n) → 0, by the polynomial through `sizes`."""
    n = [round(size) for size in sizes]
    h, y = [variable(size) for size in n], [value(size) for size in n]
    return float(Polynomial.fit(h, y, len(n) - 1)(0.0))


def _limit(parameters: Parameters, value: Callable[[Parameters], float]) -> float:
    return extrapolate(lambda n: value({**parameters, "servers": n}), lambda n: 1 / math.log(n))


def _exact(parameters: Parameters) -> float:
    found = means(parameters)
    if parameters["mean"] == "throughput":
        return found.throughput
    return found.relative_completions


def _growth(parameters: Parameters) -> float:
    n, p_n = parameters["servers"], probability_n(parameters)
    rate_1, c = read_rates(parameters)[0], parameters.get("coefficient", 1)
    rates = {
        ("throughput", "n-dominated"): asymptotics.throughput_n_dominated(p_n, rate_1),
        ("throughput", "one-dominated"): asymptotics.throughput_all_busy(n, rate_1),
        ("throughput", "between"): asymptotics.throughput_between(n, p_n, rate_1),
        ("throughput", "borderline"): asymptotics.throughput_borderline(n, c, rate_1),
        ("relative-completions", "n-dominated"): asymptotics.relative_completions_n_dominated(p_n),
        ("relative-completions", "one-dominated"): (
            asymptotics.relative_completions_one_dominated(n, parameters["exponent"])
        ),
        ("relative-completions", "borderline"): asymptotics.relative_completions_borderline(n, c),
    }
    return float(rates[parameters["mean"], parameters["growth"]])


def _gaps(parameters: Parameters, first: int = 10) -> list[float]:
    sizes = [n for n in AXIS if n >= first]
    return [abs(math.log(ratio({**parameters, "servers": n}))) for n in sizes]


def _deficit(parameters: Parameters, n: int) -> float:
    """n − μ/μ_1, from E[N_idle] and the time in which an n-server job is in service."""
    block = {**parameters, "servers": n}
    rate_1, rate_n = read_rates(parameters)
    return means(block).wastage + share_of_time_in_n(block) * (n - rate_n / rate_1)
