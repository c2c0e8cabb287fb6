"""Exact means of open FCFS multiserver jobs, by a chain that is within reach.

Small systems are solved level by level; larger ones by the cheapest method of `Queue`, and curves
by a polynomial through such points (`multiserver.open.load_interpolation`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlas.fields.block import requirement
from atlas.models.feasibility import require_solvable
from atlas.models.systems import SystemBlock, with_sizes
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, fcfs_levels, multiserver_jobs, qbd
from multiserver.open.load_interpolation import MIN_DEGREE, along
from multiserver.open.phase_count import block_entries
from multiserver.phased import PhasedJobs
from multiserver.policies import policy
from multiserver.policies.phase_type import MOST_ENTRIES
from multiserver.queue import Queue
from multiserver.sizes import Exponential

# The accuracy of a curve of mean waits, as a fraction of the largest scaled wait. Waits below a
# fraction SMALL of the largest are not taken from a curve, so that all keep nine digits.
ACCURACY, SMALL = 1e-11, 1e-2


class Means(NamedTuple):
    """E[N], E[Q], E[T] and E[T_c] (C,)."""

    jobs: float
    waiting: float
    time: float
    class_times: NDArray[np.float64]


MeansAt = Callable[[float], Means]


class OpenFcfs(NamedTuple):
    """λ*, and the means at an arrival rate below it. `dear` says that a point may take a second."""

    limit: float
    means_at: MeansAt
    system: MultiserverJobSystem
    dear: bool

    def between(self, low: float, high: float, points: int) -> MeansAt:
        """The means at arrival rates from `low` λ* to `high` λ*, of which `points` are wanted.
        Those of a dear system come from a curve, if it is smooth enough."""
        if not self.dear or points <= 2 * MIN_DEGREE + 1:
            return self.means_at
        p, services = np.array(self.system.probabilities), 1 / np.array(self.system.rates)
        curve = along(
            lambda rate: self.means_at(rate).class_times - services,
            self.limit,
            low * self.limit,
            high * self.limit,
            ACCURACY,
        )
        if not curve.error < ACCURACY:
            return self.means_at
        least = SMALL * curve.scaled.max(axis=0)

        def means_at(rate: float) -> Means:
            if (curve.scaled_at(rate) < least).any():
                return self.means_at(rate)
            waits = curve(rate)
            times = waits + services
            return Means(float(rate * p @ times), float(rate * p @ waits), float(p @ times), times)

        return means_at


class ReachableBlock(SystemBlock):
    """A system of multiserver jobs whose exact means under FCFS are within reach."""

    @requirement
    def _within_reach(self) -> None:
        jobs = PhasedJobs.exponential(self.system)
        if not (age_process.is_feasible(jobs) or fcfs_levels.is_feasible(jobs)):
            require_solvable(self.servers, self.needs)


def open_fcfs(system: MultiserverJobSystem) -> OpenFcfs:
    """The system, prepared once for all arrival rates."""
    if block_entries(system.servers, system.needs) > MOST_ENTRIES:
        queue = under_fcfs(system)

        def by_queue(rate: float) -> Means:
            found = queue.exact(arrival_rate=rate)
            times = np.array([c.mean_response_time for c in found.by_class])
            return Means(found.mean_jobs, found.mean_waiting, found.mean_response_time, times)

        return OpenFcfs(queue.stability().limit, by_queue, system, dear=True)
    blocks = multiserver_jobs.prepare(system)

    def by_level(rate: float) -> Means:
        result = qbd.solve(blocks.at(rate))
        means = result.mean_jobs, result.mean_waiting, result.mean_response_time
        return Means(*means, by_class.of_distribution(blocks, result))

    return OpenFcfs(blocks.throughput, by_level, system, dear=False)


def under_fcfs(system: MultiserverJobSystem) -> Queue:
    """The system as a `Queue` under FCFS."""
    sizes = [Exponential(rate) for rate in system.rates]
    return with_sizes(system, sizes).under(policy("fcfs"))
