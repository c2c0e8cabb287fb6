"""The stationary distribution of an `age_process`, and P(N > k) from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from multiserver.errors import NotKnownError
from multiserver.open.front_distribution import FrontDistribution

if TYPE_CHECKING:
    from multiserver.open.age_process import AgeProcess

# More steps over levels are taken at once, by squares of R.
MOST_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class AgeDistribution(FrontDistribution):
    """The distribution: `unsettled` is y, `settled` x_0, `above` Σ_{q≥1} x_q; `records` (m, m) is
    T; `returns` (m, d) is Ψ, its columns the fronts `process.drawn`; `discrepancy` is the relative
    difference of sums over levels found by T and by the flows through levels."""

    process: AgeProcess
    records: NDArray[np.float64]
    returns: NDArray[np.float64]
    discrepancy: float

    @property
    def imprecision(self) -> float:
        """The largest of the imprecision of `FrontDistribution`, `discrepancy`, and `rounding`."""
        return max(super().imprecision, self.discrepancy, self.rounding)

    @property
    def rounding(self) -> float:
        """The relative error of λ* − λ by rounding."""
        gap = 1 - self.arrival_rate / self.process.limit
        return float(np.finfo(float).eps) / gap

    def tail(self, k: int) -> float:
        """P(N > k), in k steps of m² operations each or, beyond `MOST_STEPS`, in log k of m³.

        Raises `NotKnownError` if fronts are interpolated.
        """
        if self.process.interpolated:
            raise NotKnownError(
                "P(N > k) is not known where fronts are interpolated: whether there are more than k"
                " jobs is no smooth function of those in service"
            )
        inside = self.inside
        over = float(self.unsettled[self.fronts.room.sum(axis=1) > k].sum())
        # Behind a front of f jobs more than k − f must wait undrawn.
        factors = lu_factor(np.eye(len(inside)) + self.records / self.arrival_rate)
        beyond = self.above
        over += float((self.settled + beyond)[inside > k].sum())
        first = max(k - int(inside.max()), 0)
        if first > MOST_STEPS:
            step = np.maximum(lu_solve(factors, np.eye(len(inside))), 0.0)
            beyond = beyond @ np.linalg.matrix_power(step, first)
        for q in range(first if first > MOST_STEPS else 0, max(k - int(inside.min()) + 1, 0)):
            over += float(beyond[inside == k - q].sum())
            # Σ_{j>q+1} x_j = (Σ_{j>q} x_j) R: nothing is subtracted.
            beyond = np.maximum(lu_solve(factors, beyond, trans=1), 0.0)
        return over
