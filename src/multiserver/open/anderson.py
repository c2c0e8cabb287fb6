"""A fixed point x = g(x) from few evaluations of g: Anderson mixing.

With residuals r_i = g(x_i) − x_i of the last points, the next one is Σ_i w_i g(x_i), where the
weights sum to 1 and minimise the norm of Σ_i w_i r_i. For a linear g this is GMRES, as long as no
point is dropped (H. F. Walker and P. Ni, SIAM J. Numer. Anal. 49, 2011).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# Differences that are nearly linear combinations of others, relative to their lengths, are left
# out.
DEPENDENT = 1e-12


class Mixing:
    """Anderson mixing of the last `depth` differences between points."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._values: list[Vector] = []
        self._residuals: list[Vector] = []
        self._products = np.zeros((0, 0))
        self._last: tuple[Vector, Vector] | None = None

    def next(self, x: Vector, value: Vector) -> Vector:
        """The next point (N,), given g(x) = `value` (N,) of this one; both are kept."""
        residual = value - x
        if self._last is not None:
            self._add(value - self._last[0], residual - self._last[1])
        self._last = value, residual
        if not self._values:
            return value
        lengths = np.sqrt(self._products.diagonal())
        scaled = self._products / np.outer(lengths, lengths)
        along = np.array([r @ residual for r in self._residuals]) / lengths
        weights = np.linalg.lstsq(scaled, along, rcond=DEPENDENT)[0] / lengths
        mixed = value.copy()
        for weight, difference in zip(weights.tolist(), self._values, strict=True):
            mixed -= weight * difference
        return mixed

    def _add(self, value: Vector, residual: Vector) -> None:
        if residual @ residual == 0:
            return
        if len(self._values) == self._depth:
            del self._values[0], self._residuals[0]
            self._products = self._products[1:, 1:]
        self._values.append(value)
        self._residuals.append(residual)
        row = np.array([[r @ residual for r in self._residuals]])
        self._products = np.block([[self._products, row[:, :-1].T], [row]])
