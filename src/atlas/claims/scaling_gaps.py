"""Figs 2 to 4 and 10 to 15 of `multilevel-scaling`, as numbers that can be measured in them.

Every figure has two logarithmic axes and three curves of one mean (`throughput` or
`relative-completions`) over n = 10 … 1e8: its exact value (purple), its growth rate in the n-server
dominated and balanced regimes (orange: μ_1/(p_n ln(1/p_n)), 1/(2 p_n)) and its growth rate in the
1-server dominated regime (green: n μ_1, n^{2−α} ln² n/2). The *gap* of two curves at n is |ln| of
their ratio, their vertical distance. `of` and `to` name the two curves; parameters are α =
`exponent` and `rates`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from atlas.claims.scaling_system import UNIT, OneOrN, Rates
from multiserver.saturated import asymptotics

ROUTE = "closed form and growth rate at n = 10 … 1e8"
CONFIRMED = "the sum of Lemma 5.3 (tests/claims/test_scaling_curves.py)"

AXIS = [10**k for k in range(1, 9)]
Vector = NDArray[np.float64]


def share_of_axis(*, mean: str, exponent: float, to: str, rates: Rates = UNIT) -> float:
    """The largest gap between the exact curve and curve `to`, as a share of the height that all
    three curves together need."""
    curves = np.log([_curve(mean, exponent, colour, rates) for colour in COLOURS])
    worst = np.abs(_gap(mean, exponent, "purple", to, rates)).max()
    return float(worst / (curves.max() - curves.min()))


def gap_ratios(
    *, mean: str, exponent: float, to: str, of: str = "purple", rates: Rates = UNIT
) -> list[float]:
    """The smallest and the largest gap at 10 n over that at n: both below 1 if the curves converge
    throughout, both above 1 if they diverge throughout."""
    gap = np.abs(_gap(mean, exponent, of, to, rates))
    steps = gap[1:] / gap[:-1]
    return [float(steps.min()), float(steps.max())]


def last_gap_ratio(
    *, mean: str, exponent: float, to: str, of: str = "purple", rates: Rates = UNIT
) -> float:
    """The gap at n = 1e8 over that at 1e4: below 1 if the two curves converge in the figure."""
    gap = np.abs(_gap(mean, exponent, of, to, rates))
    return float(gap[-1] / gap[3])


def gaps_over_unit_rates(
    *, mean: str, exponent: float, to: str, rates: Rates, first: int = 10
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


COLOURS = ("purple", "orange", "green")


def _curve(
    mean: str, exponent: float, colour: str, rates: Rates, sizes: Sequence[int] = AXIS
) -> Vector:
    n, rate_1 = np.array(sizes, dtype=float), float(rates[0])
    if colour == "purple":
        means = [OneOrN.of(size, exponent, rates=rates).means for size in sizes]
        throughput = [m.throughput for m in means]
        return np.array(
            throughput if mean == "throughput" else [m.relative_completions for m in means]
        )
    p_n = n**-exponent
    curves = {
        ("throughput", "orange"): asymptotics.throughput_n_dominated(p_n, rate_1),
        ("throughput", "green"): asymptotics.throughput_all_busy(n, rate_1),
        ("relative-completions", "orange"): asymptotics.relative_completions_n_dominated(p_n),
        ("relative-completions", "green"): asymptotics.relative_completions_one_dominated(
            n, exponent
        ),
    }
    return np.asarray(curves[mean, colour])


def _gap(mean: str, exponent: float, of: str, to: str, rates: Rates) -> Vector:
    """ln of curve `of` over curve `to`."""
    upper, lower = (_curve(mean, exponent, colour, rates) for colour in (of, to))
    return np.log(upper / lower)
