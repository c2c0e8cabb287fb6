"""The limits of μ and E[Δ(Y_d)] as n → ∞ and p_n → 0 that `multilevel-scaling` proves.

The exact value of either over its growth rate tends to 1, mostly with an error of order 1/ln n:
6 to 15 % at n = 1e8, still 3 to 10 % at n = 1e15. But, up to powers of n, the ratio is a smooth
function of h = 1/ln n (of 1/ln(1/p_n) if the growth rate has this logarithm, of 1/√ln n if p_n has
its root). The limit is therefore computed by *extrapolation*: the polynomial in h through a few
exact values is evaluated at h = 0. Its error is less than 1e-3, or 0.015 if μ_1 = 10 μ_n.

Symbols and parameters are those of `scaling_system`; `mean` names the exact value and `growth` its
growth rate.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlas.claims.scaling_system import FAR, UNIT, OneOrN, Rates, limit
from multiserver.saturated import asymptotics
from multiserver.saturated.extrapolation import extrapolate

ROUTE = "closed form, extrapolated to the limit"
CONFIRMED = "the enumerated chain at finite n (tests/theory/test_one_or_n.py)"

MeanName = Literal["throughput", "relative-completions"]
Regime = Literal["n-dominated", "one-dominated", "between", "borderline"]


def ratio_limit(
    *,
    mean: MeanName,
    growth: Regime,
    exponent: float,
    coefficient: float = 1.0,
    logs: float = 0.0,
    rates: Rates = UNIT,
) -> float:
    """The exact value over its growth rate, extrapolated to n → ∞."""

    def ratio(n: int) -> float:
        s = OneOrN.of(n, exponent, coefficient, logs, rates)
        exact = s.means.throughput if mean == "throughput" else s.means.relative_completions
        rate = growth_rate(mean, growth, n, s.p_n, s.rate_1, exponent, coefficient)
        return exact / float(rate)

    def variable(n: int) -> float:
        if growth == "n-dominated":
            return -1 / math.log(OneOrN.of(n, exponent, coefficient, logs).p_n)
        return math.log(n) ** (-0.5 if logs % 1 else -1)

    return extrapolate(ratio, variable, FAR)


def rare_relative_completions_limit(
    *, exponent: float, logs: float = 0.0, rates: Rates = UNIT
) -> float:
    """lim p_n E[Δ(Y_d)] for p_n = o(1/(n ln n))."""
    return limit(lambda s: s.p_n * s.means.relative_completions, FAR, exponent, 1.0, logs, rates)


def share_idle_limit(*, exponent: float) -> float:
    """lim E[N_idle]/n for p_n = n^−α with α ≤ 1."""
    return limit(lambda s: s.means.wastage / s.n, FAR, exponent)


def share_of_time_in_n_limit(*, exponent: float, rates: Rates = UNIT) -> float:
    """lim P_0, the share of time in which an n-server job is in service, for α ≤ 1."""
    return limit(lambda s: s.means.throughput * s.p_n / s.rate_n, FAR, exponent, rates=rates)


def deficit_limit(*, exponent: float, power: float) -> float:
    """lim (n − μ/μ_1)/(n^k ln n), k = `power`."""
    return limit(lambda s: s.x * s.n ** (1 - power) / math.log(s.n), FAR, exponent)


def unscaled_throughput_limit(*, exponent: float, rates: Rates) -> float:
    """lim μ p_n ln(1/p_n) at p_n = n^−α, α ≤ 1."""
    return float(rates[0]) * ratio_limit(
        mean="throughput", growth="n-dominated", exponent=exponent, rates=rates
    )


def growth_rate(
    mean: MeanName,
    regime: Regime,
    n: ArrayLike,
    p_n: ArrayLike,
    rate_1: float,
    exponent: float,
    c: float,
) -> NDArray[np.float64]:
    """The growth rate of a mean in one regime, at each n and p_n."""
    rates = {
        ("throughput", "n-dominated"): asymptotics.throughput_n_dominated(p_n, rate_1),
        ("throughput", "one-dominated"): asymptotics.throughput_all_busy(n, rate_1),
        ("throughput", "between"): asymptotics.throughput_between(n, p_n, rate_1),
        ("throughput", "borderline"): asymptotics.throughput_borderline(n, c, rate_1),
        ("relative-completions", "n-dominated"): asymptotics.relative_completions_n_dominated(p_n),
        ("relative-completions", "one-dominated"): (
            asymptotics.relative_completions_one_dominated(n, exponent)
        ),
        ("relative-completions", "borderline"): asymptotics.relative_completions_borderline(n, c),
    }
    return np.asarray(rates[mean, regime])
