"""The maximum of a curve over the mixes of a system; the mix of two classes that wastes most
servers.

With n, (n1, n2) and (μ1, μ2) given, E[N_idle] is a smooth function of p2 that may have several
maxima (`two-class-stability`, Section 9.1, reads the highest off its Fig. 6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from multiserver.saturated.two_class import sweep


@dataclass(frozen=True, slots=True)
class PeakWastage:
    """The p2 that wastes most servers, and the system there (`load_share_2` is class 2's share
    of the server-seconds demanded)."""

    probability_2: float
    wastage: float
    utilisation: float
    load_share_2: float


def find_peak_wastage(
    servers: int, needs: Sequence[int], rates: Sequence[float], points: int = 2001
) -> PeakWastage:
    """The p2 in (0, 1) at which most servers are wasted.

    Wastage can have several maxima in p2: a grid in log(p2/p1) from 1e-12 to 1e12 picks the
    highest, which is then refined; p2 is accurate to about 1e-7 of itself, the wastage to 1e-12.
    """

    def wastage(logit: ArrayLike) -> NDArray[np.float64]:
        return sweep(servers, needs, rates, expit(logit)).wastage

    grid = np.linspace(-27.6, 27.6, points)
    logit, peak = _refine(lambda x: float(wastage(x)), grid, int(np.argmax(wastage(grid))))
    p2 = float(expit(logit))
    demands = (1 - p2) * needs[0] / rates[0], p2 * needs[1] / rates[1]
    return PeakWastage(p2, peak, 1 - peak / servers, demands[1] / sum(demands))


def find_highest(curve: Callable[[float], float], grid: NDArray[np.float64]) -> float:
    """The argument at which a curve is highest: the best point of an increasing `grid`, refined to
    1e-9 between its neighbours, which must hold no second peak."""
    return _refine(curve, grid, int(np.argmax([curve(x) for x in grid])))[0]


def _refine(
    curve: Callable[[float], float], grid: NDArray[np.float64], top: int
) -> tuple[float, float]:
    """The highest point near grid[top], and its height."""
    bounds = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda x: -curve(x), bounds=bounds, method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x), -float(found.fun)
