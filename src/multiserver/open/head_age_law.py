"""What follows from the law of a queue by the age of its head: see `head_age`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from multiserver.errors import NotKnownError
from multiserver.phased import UNSAMPLED

if TYPE_CHECKING:
    from multiserver.open.head_age import HeadAge

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadAgeLaw:
    """The law at arrival rate λ, and its means.

    `unsettled` (e,) is y, `settled` (m,) is x_0, `above` (m,) is Σ_{q≥1} x_q, `undrawn` is E[N_q].
    """

    process: HeadAge
    arrival_rate: float
    unsettled: Vector
    settled: Vector
    above: Vector
    undrawn: float
    records: NDArray[np.float64]

    @property
    def lost(self) -> float:
        """The share of jobs at which a step to an unlikely front was left out."""
        fronts, drawn = self.process.fronts, self.process.drawn
        mass = self.settled + self.above
        onward = sparse.eye_array(len(drawn)) - fronts.further[drawn][:, drawn]
        draws = splu(onward.T.tocsc()).solve((mass @ fronts.opened)[drawn])
        steps = mass @ self.process.lost_steps + draws @ self.process.lost_draws[drawn]
        arriving = self.arrival_rate * (self.unsettled @ self.process.lost_draws)
        return float((steps + arriving) / self.arrival_rate)

    @property
    def imprecision(self) -> float:
        """How far the mean number in service of some class is from λ p_c E[X_c], relatively: what
        rounding has cost, within a factor of about ten."""
        jobs, fronts = self.process.jobs, self.process.fronts
        kinds = (self.settled + self.above) @ fronts.counts + self.unsettled @ fronts.room
        served = np.bincount(jobs.owner, weights=kinds, minlength=len(jobs.needs))
        due = self.arrival_rate * np.array(jobs.probabilities) * np.array(jobs.means)
        return float(abs(served / due - 1).max())

    @property
    def blocking(self) -> Vector:
        """P(h = c) (C,): a job of class c blocks the head of the queue."""
        mass, head = self.settled + self.above, self.process.fronts.head
        known = head != UNSAMPLED
        C = len(self.process.jobs.needs)
        return np.bincount(head[known], weights=mass[known], minlength=C)

    @property
    def class_response_times(self) -> Vector:
        """E[T_c] (C,)."""
        jobs, rate = self.process.jobs, self.arrival_rate
        behind = self.blocking / (rate * np.array(jobs.probabilities))
        return self.undrawn / rate + behind + np.array(jobs.means)

    @property
    def mean_response_time(self) -> float:
        """E[T]."""
        return float(np.array(self.process.jobs.probabilities) @ self.class_response_times)

    @property
    def mean_waiting(self) -> float:
        """E[Q], the jobs not in service."""
        return float(self.undrawn + self.blocking.sum())

    @property
    def mean_jobs(self) -> float:
        """E[N], counted front by front; Little's law makes it λ E[T]."""
        fronts = self.process.fronts
        present = fronts.counts.sum(axis=1) @ (self.settled + self.above)
        return float(self.mean_waiting + present + fronts.room.sum(axis=1) @ self.unsettled)

    def tail(self, k: int) -> float:
        """P(N > k), in k steps of m² each. Raises `NotKnownError` if fronts are interpolated."""
        if self.process.interpolated:
            raise NotKnownError(
                "P(N > k) is not known where fronts are interpolated: whether there are more than k"
                " jobs is no smooth function of those in service"
            )
        fronts = self.process.fronts
        inside = fronts.counts.sum(axis=1) + (fronts.head != UNSAMPLED)
        over = float(self.unsettled[fronts.room.sum(axis=1) > k].sum())
        # Behind a front of f jobs more than k − f must wait undrawn.
        factors = lu_factor(np.eye(len(inside)) + self.records / self.arrival_rate)
        beyond = self.above
        over += float((self.settled + beyond)[inside > k].sum())
        for q in range(max(k - int(inside.min()) + 1, 0)):
            over += float(beyond[inside == k - q].sum())
            # Σ_{j>q+1} x_j = (Σ_{j>q} x_j) R: nothing is subtracted.
            beyond = np.maximum(lu_solve(factors, beyond, trans=1), 0.0)
        return over
