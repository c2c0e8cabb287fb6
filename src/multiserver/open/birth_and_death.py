"""The distribution of a birth-death chain after an exponential time, and masses that do not
overflow.

On 0, …, M the chain goes up at rate λ and down from k at rate δ_k; Q is its generator. After an
exponential time of rate κ its distribution, one row per initial state, is κ (κ − Q)⁻¹. The elements
are products of two positive solutions: one falls, by factors u_{k+1}/u_k found from above, the
other rises, by factors v_{k−1}/v_k found from below. From i the chain reaches k > i in that time
with the product of the latter, k < i with the product of the former. So the matrix is applied
without being formed, and nothing is subtracted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

# Masses above HUGE are scaled down by a power of 2, which costs no digit.
HUGE, SCALE = 1e240, 2.0**-800


def scale_down(masses: Vector, last: int) -> None:
    """Scale the unnormalised masses up to number `last`, in place, before they overflow."""
    if masses[last] > HUGE:
        masses[: last + 1] *= SCALE


class Resolvent(LinearOperator):
    """κ (κ − Q)⁻¹ (M + 1, M + 1), the resolvent of Q times κ, for λ = `up`, δ = `down` (M + 1,)
    and κ = `killing`."""

    def __init__(self, up: float, down: Vector, killing: float) -> None:
        most = len(down) - 1
        super().__init__(float, (most + 1, most + 1))
        lost_above, lost_below = np.zeros(most + 2), np.zeros(most + 2)
        for k in range(most, -1, -1):
            # The rate at which the chain ends at k, or above before it returns to k.
            above = up * lost_above[k + 1] / (lost_above[k + 1] + down[k + 1]) if k < most else 0.0
            lost_above[k] = killing + above
        for k in range(most + 1):
            below = down[k] * lost_below[k - 1] / (lost_below[k - 1] + up) if k else 0.0
            lost_below[k] = killing + below
        with np.errstate(under="ignore"):
            self._falls = down[1:] / (down[1:] + lost_above[1:-1])
            self._rises = up / (up + lost_below[:most])
            self._ends = killing / (lost_above[:-1] + lost_below[:-1] - killing)

    def _matmat(self, X: Matrix) -> Matrix:
        ended = self._ends[:, None] * X
        return ended + _carried(ended, self._rises[::-1], -1) + _carried(ended, self._falls, 1)

    def _rmatmat(self, X: Matrix) -> Matrix:
        passed = X + _carried(X, self._rises, 1) + _carried(X, self._falls[::-1], -1)
        return self._ends[:, None] * passed


def _carried(rows: Matrix, factors: Vector, direction: int) -> Matrix:
    """y (M + 1, R) with y_0 = 0 and y_{k+1} = f_k (x_k + y_k), where x is `rows` and f `factors`;
    with `direction` −1, from the last row to the first."""
    found = np.zeros_like(rows)
    of, to = rows[::direction], found[::direction]
    with np.errstate(under="ignore"):
        for k, factor in enumerate(factors):
            np.multiply(of[k] + to[k], factor, out=to[k + 1])
    return found
