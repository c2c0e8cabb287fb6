"""Means of an open FCFS queue by Little's law, from its distribution over fronts.

A job is *undrawn* behind the front (`multiserver.fronts`), then perhaps blocks the head of the
queue, then is in service. The time for which it is undrawn is independent of its class. Let N_q be
the number of undrawn jobs and B_c the mean time for which a job of class c blocks. By Little's law

    E[T_c] = E[N_q]/λ + B_c + E[X_c].

No job starts while another blocks, so that B_c follows from the unsettled front u in which the job
is drawn. Let f_u be the probability that a draw finds u, and τ_c(u) the mean time until v_c servers
are idle if no job enters. Then

    B_c = Σ_u f_u τ_c(u),    λ f_u = λ y_u + z_u,

where y is the distribution over unsettled fronts, behind which no job waits, and z are the rates of
draws behind which others wait. The front is independent of the class that is drawn, so that B_c
keeps its digits for a class that hardly ever arrives. P(h = c) = λ p_c B_c, a small mass among
large ones, does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from multiserver.fronts import Fronts
from multiserver.phased import UNSAMPLED

Vector = NDArray[np.float64]
# Distributions that are less precise are refused.
ROUGH = 1e-6


@dataclass(frozen=True, eq=False)
class FrontDistribution:
    """The distribution at arrival rate λ: `unsettled` y (e,), behind which no job waits; `settled`
    (m,) with no job undrawn; `above` (m,) with q ≥ 1 undrawn. `undrawn` is E[N_q], `draw_rates` z
    (e,) the rates of draws in unsettled fronts while others wait, and `blocked_for` τ (e, C)."""

    fronts: Fronts
    arrival_rate: float
    unsettled: Vector
    settled: Vector
    above: Vector
    undrawn: float
    draw_rates: Vector
    blocked_for: NDArray[np.float64]

    @property
    def imprecision(self) -> float:
        """The error by rounding, within a factor of about ten: the difference between the numbers
        of each class in service and at the head and Little's law, relative to E[N], or that between
        the draws of a job and one, whichever is larger."""
        jobs, fronts = self.fronts.jobs, self.fronts
        flows = self.arrival_rate * np.array(jobs.probabilities)
        kinds = (self.settled + self.above) @ fronts.counts + self.unsettled @ fronts.room
        served = np.bincount(jobs.owner, weights=kinds, minlength=len(jobs.needs))
        served -= flows * np.array(jobs.means)
        head = self._at_the_head - self.blocking
        discrepancy = max(abs(served).max(), abs(head).max()) / self.mean_jobs
        return float(max(discrepancy, abs(self._found_at_draws.sum() - 1)))

    @property
    def blocking(self) -> Vector:
        """P(h = c) (C,): a job of class c blocks the head of the queue."""
        return self.arrival_rate * np.array(self.fronts.jobs.probabilities) * self.blocking_times

    @property
    def blocking_times(self) -> Vector:
        """B_c (C,)."""
        return self._found_at_draws @ self.blocked_for

    @property
    def class_response_times(self) -> Vector:
        """E[T_c] (C,)."""
        return self.class_waiting_times + np.array(self.fronts.jobs.means)

    @property
    def class_waiting_times(self) -> Vector:
        """E[W_c] (C,), in positive terms: E[T_c] − E[X_c] would lose the digits of short waits."""
        return self.undrawn / self.arrival_rate + self.blocking_times

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
        present = self.inside @ (self.settled + self.above)
        return float(self.undrawn + present + self.fronts.room.sum(axis=1) @ self.unsettled)

    @property
    def inside(self) -> NDArray[np.int64]:
        """(m,) the jobs of a settled front, including the one that blocks."""
        return self.fronts.counts.sum(axis=1) + (self.fronts.head != UNSAMPLED)

    @property
    def _found_at_draws(self) -> Vector:
        """f (e,)."""
        return self.unsettled + self.draw_rates / self.arrival_rate

    @property
    def _at_the_head(self) -> Vector:
        """P(h = c) (C,), from the distribution."""
        mass, head = self.settled + self.above, self.fronts.head
        known = head != UNSAMPLED
        C = len(self.fronts.jobs.needs)
        return np.bincount(head[known], weights=mass[known], minlength=C)


def blocked_for(fronts: Fronts) -> NDArray[np.float64]:
    """τ (e, C): the mean time for which a job of each class blocks if it is drawn in each unsettled
    front, 0 where it fits."""
    jobs, within = fronts.jobs, fronts.moves + fronts.blocked
    out = within.sum(axis=1) + fronts.opened.sum(axis=1)
    found = np.zeros((len(fronts.room), len(jobs.needs)))
    for c, p in enumerate(jobs.probabilities):
        mine = np.flatnonzero(fronts.head == c)
        if not len(mine):
            continue
        # Completions and later phases lead to later rows, so that factors hardly fill in.
        counts = fronts.counts[mine]
        mine = mine[np.lexsort([*(-counts.T), -counts.sum(axis=1)])]
        leaving = sparse.diags_array(out[mine]) - within[mine][:, mine]
        factors = splu(leaving.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        found[:, c] = fronts.settles[:, mine] @ factors.solve(np.ones(len(mine))) / p
    return found
