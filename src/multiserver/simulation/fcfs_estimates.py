"""The sums that a simulation of first come, first served collects, and the estimates from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.estimate import (
    Estimate,
    estimate,
    require_sampled,
    time_above,
    withhold_interval,
)
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.tails import level_caveat
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import Workload

# Rows of `Simulation.areas`: integrals over time of 1, N, N², Q, Q², servers held, their square.
TIME, JOBS, JOBS_SQUARED, WAITING, WAITING_SQUARED, HELD, HELD_SQUARED = range(7)


@dataclass(frozen=True, slots=True)
class Simulation:
    """Sums of R replications, and estimates from them with intervals at `confidence`.

    `areas` (R, 7) are integrals over the measured time of 1, N, N², Q, Q², the servers held and
    their square; `time_at_level` (R, K + 1) the time with N = 0, 1, …, K − 1 and with N ≥ K, and
    `time_before` the same of the second half of the warm-up; `completions`, `response_sums` and
    `response_squares` (R, C) the measured jobs of each class, their response times and the squares
    of these; `present` (R, M + 1) the jobs in the system found by M + 1 equally spaced measured
    jobs, from the beginning of the measured time to its end. If they grew, `caveat` says so, and
    there are no intervals. The unit of time is that of the workload.

    Estimates raise `ValueError` if R = 1. The `length` of a replication, known beforehand, decides
    which of them have intervals.
    """

    workload: Workload
    length: RunLength
    areas: NDArray[np.float64]
    time_at_level: NDArray[np.float64]
    time_before: NDArray[np.float64]
    completions: NDArray[np.int64]
    response_sums: NDArray[np.float64]
    response_squares: NDArray[np.float64]
    present: NDArray[np.int64]
    confidence: float
    caveat: str = ""

    @property
    def growth(self) -> Estimate:
        """The growth of N per unit of time: 0 if stable, λ − λ* if not."""
        gained = (self.present[:, -1] - self.present[:, 0]).astype(float)
        return self._estimate(gained, self.areas[:, TIME], gained**2)

    @property
    def mean_jobs(self) -> Estimate:
        """E[N], in jobs."""
        return self._time_average(JOBS, JOBS_SQUARED)

    @property
    def mean_waiting(self) -> Estimate:
        """E[Q], in jobs."""
        found = self._time_average(WAITING, WAITING_SQUARED)
        return withhold_interval(found, self.length.caveat(queued=found.mean))

    @property
    def mean_held(self) -> Estimate:
        """The mean number of servers held."""
        return self._time_average(HELD, HELD_SQUARED)

    @property
    def mean_response_time(self) -> Estimate:
        """E[T] of all jobs."""
        sums = (self.completions, self.response_sums, self.response_squares)
        return self._job_average(None, *(s.sum(axis=1) for s in sums))

    def class_response_time(self, c: int) -> Estimate:
        """E[T] of the jobs of class c. Raises `ValueError` if no measured job is of that class."""
        require_sampled(c, int(self.completions[:, c].sum()), self.workload.probabilities[c])
        sums = (self.completions, self.response_sums, self.response_squares)
        return self._job_average(c, *(s[:, c] for s in sums))

    def tail(self, k: int) -> Estimate:
        """P(N > k). Raises `ValueError` unless k is in 0 … K − 1.

        Whether there is an interval is decided by the second half of the warm-up (`tails`).
        """
        above = time_above(self.time_at_level, k)
        found = self._estimate(above, self.areas[:, TIME], above)
        few = level_caveat(self.length, k, self.time_before, found)
        return withhold_interval(found, caveat_over_time(self.length) or few)

    def _time_average(self, row: int, squared: int) -> Estimate:
        found = self._estimate(self.areas[:, row], self.areas[:, TIME], self.areas[:, squared])
        return withhold_interval(found, caveat_over_time(self.length))

    def _job_average(
        self, c: int | None, count: NDArray, total: NDArray, squares: NDArray
    ) -> Estimate:
        return withhold_interval(self._estimate(total, count, squares), self.length.caveat(c))

    def _estimate(self, totals: NDArray, weights: NDArray, squares: NDArray) -> Estimate:
        """The ratio estimate; `squares` are the totals of the squared observations."""
        weight = max(float(weights.sum()), math.ulp(0.0))
        variance = max(float(squares.sum()) / weight - (float(totals.sum()) / weight) ** 2, 0.0)
        jobs = int(self.completions.sum())
        found = estimate(totals, weights, variance=variance, jobs=jobs, confidence=self.confidence)
        return withhold_interval(found, self.caveat)
