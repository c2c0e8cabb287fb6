"""Limits as n → ∞ from exact values at finite n.

μ and E[Δ(Y_d)] over their growth rates (`asymptotics`) tend to 1 with errors of order 1/ln n, too
slowly to be seen: still 3 to 10 % at n = 1e15. But they are smooth functions of some h(n) → 0, such
as 1/ln n, up to powers of n: the polynomial in h through a few exact values is continued to h = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from numpy.polynomial import Polynomial


def extrapolate(
    value: Callable[[int], float], variable: Callable[[int], float], sizes: Iterable[float]
) -> float:
    """The limit of value(n) as variable(n) → 0, by the polynomial through all `sizes` n, rounded.

    It errs by the remainder of that polynomial and by what powers of n are left at these sizes.
    """
    n = [round(size) for size in sizes]
    h, y = [variable(size) for size in n], [value(size) for size in n]
    return float(Polynomial.fit(h, y, len(n) - 1)(0.0))
