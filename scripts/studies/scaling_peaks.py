"""Where mean relative completions peak and throughput turns, for each number of servers.

Systems as in `scaling-by-exponent`. Beside the peak of E[Δ(Y_d)] over α stand its value at balanced
load, α = 1, and at the p = 1/(n ln n) where it is asymptotically largest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from multiserver.saturated import dispatch
from studies.scaling_by_exponent import build_system

UNITS = {
    "servers": "servers",
    "peak_exponent": "1",
    "peak": "jobs",
    "predicted_exponent": "1",
    "inflection_exponent": "1",
    "at_balanced": "jobs",
    "at_borderline": "jobs",
}

# The step of the second difference that finds the inflection: errors are of order STEP².
STEP = 1e-3


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a number of servers."""
    return pd.DataFrame([_row(parameters | {"servers": n}) for n in progress(parameters["sizes"])])


def _row(parameters: Mapping[str, Any]) -> dict[str, float]:
    n = parameters["servers"]
    borderline = 1 + np.log(np.log(n)) / np.log(n)

    def relative(alpha: float) -> float:
        return dispatch.solve(build_system(parameters, alpha)).relative_completions

    def slope(alpha: float) -> float:
        ends = (
            dispatch.solve(build_system(parameters, a), relative_completions=False).throughput
            for a in (alpha + STEP, alpha - STEP)
        )
        return next(ends) - next(ends)

    grid = np.linspace(*parameters["exponent"], 31)
    peak = find_highest(relative, grid)
    return {
        "servers": n,
        "peak_exponent": peak,
        "peak": relative(peak),
        "predicted_exponent": borderline,
        "inflection_exponent": find_highest(slope, grid),
        "at_balanced": relative(1.0),
        "at_borderline": relative(borderline),
    }


def find_highest(curve: Callable[[float], float], grid: np.ndarray) -> float:
    """Where a curve is highest: the best point of a grid, then a search around it."""
    top = int(np.argmax([curve(x) for x in grid]))
    bounds = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda x: -curve(x), bounds=bounds, method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x)
