"""Limits as n → ∞ from exact values at finite n.

The ratios of μ and E[Δ(Y_d)] to their growth rates (`asymptotics`) tend to 1 with errors of order
1/ln n, too slowly to be seen: the errors are still 3 to 10 % at n = 1e15. But up to powers of n the
ratios are smooth functions of some h(n) → 0, such as 1/ln n. So the polynomial in h through a few
exact values is continued to h = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from numpy.polynomial import Polynomial


def extrapolate(
    value: Callable[[int], float], variable: Callable[[int], float], sizes: Iterable[float]
) -> float:
    """The limit of value(n) as variable(n) → 0, by the polynomial through all `sizes` n, rounded.

    Its error is the remainder of that polynomial plus the contribution of powers of n at these
    sizes.
    """
    n = [round(size) for size in sizes]
    h, y = [variable(size) for size in n], [value(size) for size in n]
    return float(Polynomial.fit(h, y, len(n) - 1)(0.0))
