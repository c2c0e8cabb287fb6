"""Figs 2 to 4 and 10 to 15 of `multilevel-scaling`, as numbers that can be measured in them.

Every figure has two logarithmic axes and three curves of one mean (`throughput` or
`relative-completions`) over n = 10 … 1e8: its exact value (purple), its growth rate in the n-server
dominated and balanced regimes (orange: μ_1/(p_n ln(1/p_n)), 1/(2 p_n)) and its growth rate in the
1-server dominated regime (green: n μ_1, n^{2−α} ln² n/2). The *gap* of two curves at n is |ln| of
their ratio, their vertical distance. `of` and `to` name the two curves; parameters are α =
`exponent` and `rates`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from atlas.claims.scaling_limits import MeanName, growth_rate
from atlas.claims.scaling_system import UNIT, OneOrN, Rates

ROUTE = "closed form and growth rate at n = 10 … 1e8"
CONFIRMED = "the sum of Lemma 5.3 (tests/claims/test_scaling_curves.py)"

AXIS = [10**k for k in range(1, 9)]
# The regimes of the growth rates, by the colours of their curves.
Curve = Literal["purple", "orange", "green"]
REGIMES = {"orange": "n-dominated", "green": "one-dominated"}
Vector = NDArray[np.float64]


def share_of_axis(*, mean: MeanName, exponent: float, to: Curve, rates: Rates = UNIT) -> float:
    """The largest gap between the exact curve and curve `to`, as a share of the height that all
    three curves together need."""
    curves = np.log([_curve(mean, exponent, colour, rates) for colour in ("purple", *REGIMES)])
    worst = np.abs(_gap(mean, exponent, "purple", to, rates)).max()
    return float(worst / (curves.max() - curves.min()))


def gap_ratios(
    *, mean: MeanName, exponent: float, to: Curve, of: Curve = "purple", rates: Rates = UNIT
) -> list[float]:
    """The smallest and the largest gap at 10 n over that at n: both below 1 if the curves converge
    throughout, both above 1 if they diverge throughout."""
    gap = np.abs(_gap(mean, exponent, of, to, rates))
    steps = gap[1:] / gap[:-1]
    return [float(steps.min()), float(steps.max())]


def last_gap_ratio(
    *, mean: MeanName, exponent: float, to: Curve, of: Curve = "purple", rates: Rates = UNIT
) -> float:
    """The gap at n = 1e8 over that at 1e4: below 1 if the two curves converge in the figure."""
    gap = np.abs(_gap(mean, exponent, of, to, rates))
    return float(gap[-1] / gap[3])


def gaps_over_unit_rates(
    *, mean: MeanName, exponent: float, to: Curve, rates: Rates, first: int = 10
) -> list[float]:
    """The gap of the exact curve to curve `to` over that with μ_1 = μ_n = 1, at n = `first` … 1e8:
    below 1 where it is narrower."""
    gap, unit = (np.abs(_gap(mean, exponent, "purple", to, r)) for r in (rates, UNIT))
    return (gap / unit)[np.array(AXIS) >= first].tolist()


def time_in_n_over_unit_rates(*, servers: int, exponent: float, rates: Rates) -> float:
    """P_0, the share of time in which an n-server job is in service, over that with both rates
    1."""
    shares = []
    for pair in (rates, UNIT):
        s = OneOrN.of(servers, exponent, rates=pair)
        shares.append(s.means.throughput * s.p_n / s.rate_n)
    return shares[0] / shares[1]


def _curve(mean: MeanName, exponent: float, colour: Curve, rates: Rates) -> Vector:
    if colour == "purple":
        means = (OneOrN.of(n, exponent, rates=rates).means for n in AXIS)
        return np.array([getattr(found, mean.replace("-", "_")) for found in means])
    n = np.array(AXIS, dtype=float)
    rate_1 = float(rates[0])
    return growth_rate(mean, REGIMES[colour], n, n**-exponent, rate_1, exponent, 1.0)


def _gap(mean: MeanName, exponent: float, of: Curve, to: Curve, rates: Rates) -> Vector:
    """ln of curve `of` over curve `to`."""
    upper, lower = (_curve(mean, exponent, colour, rates) for colour in (of, to))
    return np.log(upper / lower)
