"""The decay rate of the age of a large job, and rates for sums of exponentials: see `one_or_n`.

The transform of the age has poles at s = −θ where 1/B − (q/z) Φ vanishes; the first is the slowest
rate. Zeros that matter little are next to 1, 2, …, the poles of Φ. One or two others may lie beyond
n, where Φ has no more poles.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from multiserver.open.age_equation import ScaledSystem

# Poles of Φ that stand in for zeros; grid points a decade in the search for zeros beyond n.
MAX_DRAIN_RATES, POINTS_PER_DECADE = 8, 48
# The least θ that is sought, relative to the largest that it may be.
LEAST = 1e-15


def suitable_rates(
    system: ScaledSystem, decay: float, wide: float, near: int
) -> NDArray[np.float64]:
    """Rates for a basis: θ; the rates of S; those of the first drains, which are next to zeros that
    hardly matter; zeros beyond n; `wide` rates a decade over the whole range; and `near` rates
    about those of small jobs."""
    own = np.unique(-np.diagonal(system.phases))
    highest = 2 * max(own.max(), 10.0, system.rate * system.q)
    return np.concatenate(
        [
            [decay],
            own,
            np.arange(1.0, min(system.n, MAX_DRAIN_RATES) + 1),
            _zeros_beyond(system, system.n, 5 * highest),
            np.geomspace(decay / 2, highest, math.ceil(wide * math.log10(2 * highest / decay))),
            np.geomspace(2.0, 8.0, near),
        ]
    )


def _zeros_beyond(system: ScaledSystem, low: float, high: float) -> list[float]:
    """The θ beyond n, where drains have no more poles, at which 1/B − (q/z) Φ changes sign."""
    if not 1.1 * low < high:
        return []
    grid = np.geomspace(1.001 * low, high, math.ceil(POINTS_PER_DECADE * math.log10(high / low)))
    values = [_excess(system, x) for x in grid]
    return [
        brentq(lambda x: _excess(system, x), *grid[i : i + 2])
        for i in range(len(grid) - 1)
        if values[i] * values[i + 1] < 0
    ]


def slowest_rate(system: ScaledSystem) -> float:
    """The smallest θ > 0 at which 1/B − (q/z) Φ vanishes, s = −θ. Raises `ArithmeticError` if λ is
    so near λ* that rounding hides θ."""
    n, q, rate = system.n, system.q, system.rate
    gap = n - rate
    full = (gap + math.sqrt(gap**2 + 4 * rate * n * q)) / 2
    slowest = -np.linalg.eigvals(system.phases).real.max()
    highest = min(1.0, full, slowest) * (1 - 1e-12)
    if _excess(system, highest) <= 0:
        return highest
    lowest = highest * LEAST
    if _excess(system, lowest) >= 0:
        raise ArithmeticError("the slowest rate is next to 0")
    return brentq(lambda x: _excess(system, x), lowest, highest, xtol=1e-300, rtol=1e-13)


def _excess(system: ScaledSystem, theta: float) -> float:
    """(B/s) (1/B − (q/z) Φ) at s = −θ < 0, as (1) has it."""
    n, p, q, rate = system.n, system.p, system.q, system.rate
    k = np.arange(1.0, n + 1)
    (large,), (left_large,) = system.large(np.array([-theta]))
    z = 1 + theta / rate
    y, off = p / z, (rate * q + theta) / (rate + theta)
    slow = theta < 1
    left = np.expm1(-np.log1p(-theta / k).cumsum()) if slow else np.cumprod(k / (k - theta)) - 1
    left /= theta
    above = (left[-1] + y / ((n - theta) * off)) / (off - y * theta / (n - theta))
    power = np.exp(k * math.log(y))
    small = power[:-1] @ left[:-1] + power[-1] * above
    return left_large + large * (q / z * small - 1 / (rate * q + theta))
