"""Adaptive sampling: more points where a curve bends.

A curve is drawn as straight lines between points. Over an interval of width h a smooth curve
deviates from its chord by up to |y″| h²/8. A point with neighbours at the distances h₁ and h₂
deviates from the chord between them by |y″| h₁ h₂/2, which gives y″ and so bounds the error of the
intervals beside it. The worst interval is halved until no error exceeds the fraction `HAIR` of the
curve's height, or all points are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# As a fraction of the height of a curve: a fifth of a point in a one-column figure.
HAIR = 1e-3
# An interval with a non-finite end has no chord; it is halved down to this width.
NARROWEST = 2e-3

Row = tuple[Any, ...]
# Wraps an iterable to show progress through it.
Progress = Callable[[Iterable], Iterable]


def sample(
    row: Callable[[float], Row],
    ends: Sequence[float],
    points: int,
    heights: Callable[[Row], Iterable[float]],
    *,
    progress: Progress = iter,
) -> list[Row]:
    """Rows of a curve at up to `points` values of x between and at the `ends`, x increasing.

    Every third of them lies on an even grid, the others where `heights(row)`, drawn over x, bend
    most. Heights may be NaN or infinite where there is no curve. Values on a logarithmic axis must
    be given as logarithms, ends included.
    """
    grid = np.linspace(*ends, max(min(points, 3), points // 3 + 1))
    found = [(float(x), row(float(x))) for x in progress(grid)]
    for _ in progress(range(points - len(grid))):
        x = np.array([at for at, _ in found])
        y = np.array([list(heights(made)) for _, made in found], dtype=float)
        worst, error = _worst(x, y)
        if error <= HAIR:
            break
        middle = float((x[worst] + x[worst + 1]) / 2)
        found.insert(worst + 1, (middle, row(middle)))
    return [made for _, made in found]


def _worst(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[int, float]:
    """The interval whose chord is farthest from a curve, and its distance as a fraction of the
    curve's height."""
    x = (x - x[0]) / (x[-1] - x[0])
    width = np.diff(x)
    errors = np.zeros(len(width))
    for curve in y.T:
        known = np.isfinite(curve)
        edge = known[1:] != known[:-1]
        errors = np.maximum(errors, np.where(edge & (width > NARROWEST), np.inf, 0.0))
        if known.sum() > 2 and (height := np.ptp(curve[known])) > 0:
            errors = np.maximum(errors, _distances(width, curve / height))
    worst = int(np.argmax(errors))
    return worst, float(errors[worst])


def _distances(width: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distance of each interval's chord from the curve, estimated from the points at its
    ends."""
    rise = np.diff(y)
    left, right = width[:-1], width[1:]
    # |y″|/8 at each inner point, from its distance to the chord between its neighbours.
    bend = np.abs(rise[:-1] * right - rise[1:] * left) / (left * right * (left + right)) / 4
    bend = np.nan_to_num(bend, nan=0.0, posinf=0.0)
    beside = np.maximum(np.append(bend[:1], bend), np.append(bend, bend[-1:]))
    return beside * width**2
