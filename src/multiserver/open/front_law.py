"""What follows from the law of an open FCFS queue over its fronts: means by Little's law.

A job is *undrawn* behind the front (`multiserver.fronts`), then perhaps blocks the head of the
queue, then is in service. While it is undrawn its class is independent of how long that lasts:
with N_q the jobs undrawn and h the class that blocks the head, by Little's law

    E[T_c] = E[N_q]/λ + P(h = c)/(λ p_c) + E[X_c].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.fronts import Fronts
from multiserver.phased import UNSAMPLED

Vector = NDArray[np.float64]
# Laws that are less precise are refused.
ROUGH = 1e-6


@dataclass(frozen=True, eq=False)
class FrontLaw:
    """The law at arrival rate λ: `unsettled` (e,), which nobody waits behind, `settled` (m,) with
    nobody undrawn, `above` (m,) with q ≥ 1 undrawn; `undrawn` is E[N_q]."""

    fronts: Fronts
    arrival_rate: float
    unsettled: Vector
    settled: Vector
    above: Vector
    undrawn: float

    @property
    def imprecision(self) -> float:
        """How far the mean number in service of some class is from λ p_c E[X_c], relatively: what
        rounding has cost, within a factor of about ten."""
        jobs, fronts = self.fronts.jobs, self.fronts
        kinds = (self.settled + self.above) @ fronts.counts + self.unsettled @ fronts.room
        served = np.bincount(jobs.owner, weights=kinds, minlength=len(jobs.needs))
        due = self.arrival_rate * np.array(jobs.probabilities) * np.array(jobs.means)
        return float(abs(served / due - 1).max())

    @property
    def blocking(self) -> Vector:
        """P(h = c) (C,): a job of class c blocks the head of the queue."""
        mass, head = self.settled + self.above, self.fronts.head
        known = head != UNSAMPLED
        C = len(self.fronts.jobs.needs)
        return np.bincount(head[known], weights=mass[known], minlength=C)

    @property
    def class_response_times(self) -> Vector:
        """E[T_c] (C,)."""
        jobs, rate = self.fronts.jobs, self.arrival_rate
        behind = self.blocking / (rate * np.array(jobs.probabilities))
        return self.undrawn / rate + behind + np.array(jobs.means)

    @property
    def mean_response_time(self) -> float:
        """E[T]."""
        return float(np.array(self.fronts.jobs.probabilities) @ self.class_response_times)

    @property
    def mean_waiting(self) -> float:
        """E[Q], the jobs not in service."""
        return float(self.undrawn + self.blocking.sum())

    @property
    def mean_jobs(self) -> float:
        """E[N], counted front by front; Little's law makes it λ E[T]."""
        present = self.fronts.counts.sum(axis=1) @ (self.settled + self.above)
        return float(self.mean_waiting + present + self.fronts.room.sum(axis=1) @ self.unsettled)

    @property
    def inside(self) -> NDArray[np.int64]:
        """(m,) the jobs of a settled front, with the one that blocks."""
        return self.fronts.counts.sum(axis=1) + (self.fronts.head != UNSAMPLED)
