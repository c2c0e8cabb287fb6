"""What follows from the distribution of an open FCFS queue over its fronts: means by Little's law.

A job is *undrawn* behind the front (`multiserver.fronts`), then perhaps blocks the head of the
queue, then is in service. While it is undrawn its class is independent of how long that lasts:
with N_q the jobs undrawn and B_c the mean time for which a job of class c blocks, by Little's law

    E[T_c] = E[N_q]/λ + B_c + E[X_c].

Nobody starts while a job blocks, so that B_c follows from the unsettled front u in which it is
drawn, a draw finding u with probability f_u: with τ_c(u) the mean time until v_c servers are idle
and nobody enters,

    B_c = Σ_u f_u τ_c(u),    λ f_u = λ y_u + z_u,

y being the distribution of unsettled fronts, which nobody waits behind, and z the rates of draws in
which others wait. The front is independent of the class that is drawn: B_c keeps its digits for a
class that hardly ever comes, whereas P(h = c) = λ p_c B_c, a small mass among large ones, does not.
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
    """The distribution at arrival rate λ: `unsettled` y (e,), which nobody waits behind, `settled`
    (m,) with nobody undrawn, `above` (m,) with q ≥ 1 undrawn; `undrawn` is E[N_q], `drawing` z (e,)
    the rates of draws in unsettled fronts that others wait behind, and `blocked_for` τ (e, C)."""

    fronts: Fronts
    arrival_rate: float
    unsettled: Vector
    settled: Vector
    above: Vector
    undrawn: float
    drawing: Vector
    blocked_for: NDArray[np.float64]

    @property
    def imprecision(self) -> float:
        """What rounding has cost, within a factor of about ten: how far the numbers of each class
        in service and at the head are from Little's law, in parts of E[N], and how far the draws of
        a job are from one."""
        jobs, fronts = self.fronts.jobs, self.fronts
        flows = self.arrival_rate * np.array(jobs.probabilities)
        kinds = (self.settled + self.above) @ fronts.counts + self.unsettled @ fronts.room
        served = np.bincount(jobs.owner, weights=kinds, minlength=len(jobs.needs))
        served -= flows * np.array(jobs.means)
        head = self._at_the_head - self.blocking
        apart = max(abs(served).max(), abs(head).max()) / self.mean_jobs
        return float(max(apart, abs(self._found_at_draws.sum() - 1)))

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
        means = np.array(self.fronts.jobs.means)
        return self.undrawn / self.arrival_rate + self.blocking_times + means

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
        """(m,) the jobs of a settled front, with the one that blocks."""
        return self.fronts.counts.sum(axis=1) + (self.fronts.head != UNSAMPLED)

    @property
    def _found_at_draws(self) -> Vector:
        """f (e,)."""
        return self.unsettled + self.drawing / self.arrival_rate

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
        # What completions and further phases lead to comes last: factors fill in hardly at all.
        counts = fronts.counts[mine]
        mine = mine[np.lexsort([*(-counts.T), -counts.sum(axis=1)])]
        leaving = sparse.diags_array(out[mine]) - within[mine][:, mine]
        factors = splu(leaving.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        found[:, c] = fronts.settles[:, mine] @ factors.solve(np.ones(len(mine))) / p
    return found
