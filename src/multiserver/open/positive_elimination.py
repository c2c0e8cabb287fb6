"""Elimination without a subtraction, for an `AgeDistribution` and its waiting times.

If jobs hardly ever wait, or rates are decades apart, a solution of linear equations is accurate
only relative to its largest entries. Here balance equations are eliminated in sums of positive
numbers.

An M-matrix T with b T = a, b > 0 and a ≥ 0, is determined by its off-diagonal entries and a. In
B = (b_i T_ij/b_j) transposed, the former are minus rates, and a_j/b_j is what row j loses.
Elimination of one row after another only adds to both (A. S. Alfa, J. Xue and Q. Ye, Math. Comp.
71, 2002; for a chain without losses W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33,
1985).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve, solve_triangular

from multiserver.open.age_distribution import AgeDistribution
from multiserver.open.age_process import SumOverLevels
from multiserver.open.level_zero import eliminate

Array = NDArray[np.float64]
# Parts of the largest entry of b: below the first, sums over levels have lost digits; below the
# second, b has underflowed.
SMALL, UNSEEN = 1e-6, 1e-200
CONVERGED, MOST_SWEEPS = 1e-14, 100


def refined(distribution: AgeDistribution) -> AgeDistribution:
    """The same distribution, with few states of level 0 and these by elimination."""
    process, rate, returns = distribution.process, distribution.arrival_rate, distribution.returns
    unsettled, settled = eliminate(process, rate, returns)
    total = SumOverLevels(process, rate, returns, distribution.records)
    above, discrepancy = total(settled)
    weighted, other_discrepancy = total(settled + above)
    mass = unsettled.sum() + settled.sum() + above.sum()
    draw_rates = np.zeros(len(unsettled))
    draw_rates[process.drawn] = rate * (settled + above) @ returns
    return replace(
        distribution,
        unsettled=unsettled / mass,
        settled=settled / mass,
        above=above / mass,
        undrawn=float(weighted.sum()) / mass,
        draw_rates=draw_rates / mass,
        discrepancy=max(discrepancy, other_discrepancy),
    )


def enforce_balance(matrix: Array, measure: Array, inflow: Array) -> None:
    """Make b T = a hold in place, where T is `matrix` (m, m), b `measure` and a `inflow` (m,).
    Sums over levels leave only the large entries of b accurate; the small ones follow from them and
    from T, in sweeps of positive sums. The diagonal of T then follows from b and a. A state whose
    b_j has underflowed leads nowhere and ends at the highest rate: its targets would be rounding.
    """
    diagonal = matrix.diagonal().copy()
    np.minimum(matrix, 0.0, out=matrix)
    np.fill_diagonal(matrix, diagonal)
    small = measure < SMALL * measure.max()
    if small.any():
        within = matrix[np.ix_(small, small)]
        right = inflow[small] - measure[~small] @ matrix[np.ix_(~small, small)]
        entries = np.maximum(np.linalg.solve(within.T, right), 0.0)
        upper, lower = np.triu(within), -np.tril(within, -1)
        for _ in range(MOST_SWEEPS):
            last, entries = entries, solve_triangular(upper, right + entries @ lower, trans=1)
            if (abs(entries - last) <= CONVERGED * entries).all():
                break
        measure[small] = entries
    unseen = measure <= UNSEEN * measure.max()
    soon = diagonal.max()
    matrix[unseen], matrix[:, unseen] = 0.0, 0.0
    measure[unseen] = UNSEEN * measure.max()
    inflow[unseen] = measure[unseen] * soon
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, np.where(unseen, soon, (inflow - measure @ matrix) / measure))


class Factors:
    """The factors of T (m, m), given b `measure` and a `inflow` (m,); they are `precise` if small
    entries have all digits."""

    def __init__(self, matrix: Array, measure: Array, inflow: Array, *, precise: bool) -> None:
        self._measure = measure
        self._positive = precise and measure.min() > np.finfo(float).tiny
        self._factors = (
            _eliminated(matrix, measure, inflow) if self._positive else lu_factor(matrix)
        )

    def solve(self, f: Array) -> Array:
        """T⁻¹ f for f (m, G)."""
        if not self._positive:
            return lu_solve(self._factors, f)
        b = self._measure[:, None]
        return lu_solve(self._factors, b * f, trans=1) / b


def _eliminated(matrix: Array, measure: Array, inflow: Array) -> tuple[Array, NDArray[np.int64]]:
    """The factors of B, as `lu_solve` takes them."""
    rates = -(measure[:, None] * matrix / measure).T
    np.fill_diagonal(rates, 0.0)
    lost = inflow / measure
    pivots = np.empty(len(lost))
    for k in range(len(lost)):
        pivots[k] = lost[k] + rates[k, k + 1 :].sum()
        share = rates[k + 1 :, k] / pivots[k]
        rates[k + 1 :, k + 1 :] += np.outer(share, rates[k, k + 1 :])
        lost[k + 1 :] += share * lost[k]
        rates[k + 1 :, k] = share
    factors = -rates
    np.fill_diagonal(factors, pivots)
    return factors, np.arange(len(lost))
