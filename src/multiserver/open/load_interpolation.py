"""Mean waits at many arrival rates, interpolated between exact ones at few.

A mean wait W(λ) of a queue that is stable below λ* grows as λ near 0 and as 1/(λ* − λ) near λ*.
Without these factors, W(λ) (1 − λ/λ*)/λ is analytic between 0 and λ* if the queue has Poisson
arrivals and finitely many phases. So the polynomial through its values at the extrema of a
Chebyshev polynomial converges geometrically. Its last Chebyshev coefficients estimate its error. A
curve of two hundred loads takes 17, 33, 65 or 129 exact points, whatever one of them costs.

(L. N. Trefethen, Approximation Theory and Approximation Practice, SIAM 2013, Chapters 5 and 8.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct

Vector = NDArray[np.float64]
Waits = Callable[[float], Vector]

MIN_DEGREE, MAX_DEGREE = 8, 128
LAST_COEFFICIENTS = 3


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """W (k,) at any λ between the first and the last of `rates` (N + 1,), from `scaled` (N + 1, k),
    its values W (1 − λ/λ*)/λ there.

    `error` estimates the polynomial's error by its last coefficients, relative to the largest of
    these values. For mean times it is the relative error; small waits may be no larger than it.
    """

    limit: float
    rates: Vector
    scaled: Vector
    error: float

    def __call__(self, rate: float) -> Vector:
        return self.scaled_at(rate) * rate / (1 - rate / self.limit)

    def scaled_at(self, rate: float) -> Vector:
        """W (1 − λ/λ*)/λ (k,)."""
        if not self.rates[0] <= rate <= self.rates[-1]:
            raise ValueError(
                f"the rate must lie in {self.rates[0]!r} … {self.rates[-1]!r}, found {rate!r}"
            )
        return _through(self.rates, self.scaled, rate)


def along(waits: Waits, limit: float, low: float, high: float, accuracy: float = 1e-11) -> Curve:
    """The curve of `waits` from λ = `low` to `high`, 0 < low < high < λ* = `limit`.

    Points are added until `error` is below `accuracy`, or there are more than `MAX_DEGREE`.
    Raises `ValueError` unless the rates are in order.
    """
    if not 0 < low < high < limit:
        raise ValueError(f"rates must lie in 0 … {limit!r} in order, found {low!r} and {high!r}")

    def scaled(rates: Vector) -> Vector:
        return np.array([waits(x) * (1 - x / limit) / x for x in rates.tolist()])

    rates = _extrema(low, high, MIN_DEGREE)
    values = scaled(rates)
    while True:
        rates = _extrema(low, high, 2 * (len(rates) - 1))
        # Every second value is known.
        finer = np.empty((len(rates), values.shape[1]))
        finer[::2], finer[1::2] = values, scaled(rates[1::2])
        values = finer
        last = abs(dct(values, type=1, axis=0)[-LAST_COEFFICIENTS:] / (len(rates) - 1)).max(axis=0)
        error = float((LAST_COEFFICIENTS * last / abs(values).max(axis=0)).max())
        if error < accuracy or len(rates) > MAX_DEGREE:
            return Curve(limit, rates, values, error)


def _extrema(low: float, high: float, count: int) -> Vector:
    inner = (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * np.arange(count + 1) / count)
    inner[[0, -1]] = low, high
    return inner


def _through(nodes: Vector, values: Vector, x: float) -> Vector:
    """The polynomial through the values at Chebyshev extrema, by the barycentric formula."""
    distance = x - nodes
    if (distance == 0).any():
        return values[np.argmin(abs(distance))]
    weights = np.where(np.arange(len(nodes)) % 2, -1.0, 1.0)
    weights[[0, -1]] /= 2
    weights /= distance
    return weights @ values / weights.sum()
