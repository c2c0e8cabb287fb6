"""Estimates for each class from the counts of Algorithm 1 of `parallel-processing`.

The service rate γ_i is estimated by the work done on class i over the time ∫ X_i dt that its jobs
spent. Two kinds of control variates correct the estimates (`multiserver.simulation.controls`). One
is the work done on each class j less its average λ_j σ_j: at load 0.95 it makes the variance of γ_i
half as large in small clusters, and a sixth in large ones. The other is the work in single servers
of the whole capacity, or of that of one class, which are given the same jobs
(`multiserver.simulation.pooled_server`): where all servers help each other, it reduces the variance
further, to a tenth at load 0.9 and to a seventieth at 0.95; in large clusters nothing is gained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotSampledError
from multiserver.simulation.cluster import Cluster
from multiserver.simulation.controls import conservative_gain, estimate_with_controls
from multiserver.simulation.estimate import (
    Estimate,
    estimate,
    time_above,
    withhold_interval,
)
from multiserver.simulation.instability_test import check_growth
from multiserver.simulation.interruption_runs import (
    DEPARTURES,
    RESPONSE,
    RESPONSE_SQUARE,
    WORK,
    Runs,
)
from multiserver.simulation.pooled_server import COUNTED, FOUND_WORK
from multiserver.simulation.run_length import MIN_CONTRIBUTING_JOBS, RunLength
from multiserver.simulation.tails import level_caveat
from multiserver.simulation.time_averages import caveat_over_time

NO_DEPARTURE = "too short, as no job of this class has left"


@dataclass(frozen=True, slots=True)
class Performance:
    """Estimates class by class, with 95 % intervals, and the counts they come from.

    `jobs` E[X_i] in the system, `response_time` E[T_i], `service_rate` γ_i, `interruptions` per
    job; `overall_response_time` is E[T] of all jobs. `runs` has what was counted in the R windows.
    The `length` of a window, known beforehand, decides which estimates have intervals; if the jobs
    in the cluster grew, `caveat` says so, and none has; `unseen` says why none of all jobs has, if
    the windows are too short for a class that is many of them (`own_servers`). For a class without
    a departure only E[X_i] is known, and the other means are NaN.
    """

    jobs: tuple[Estimate, ...]
    response_time: tuple[Estimate, ...]
    service_rate: tuple[Estimate, ...]
    interruptions: tuple[Estimate, ...]
    overall_response_time: Estimate
    runs: Runs
    length: RunLength
    caveat: str
    unseen: str = ""

    def tail(self, k: int) -> Estimate:
        """P(N > k). Raises `ValueError` unless k is in 0 … K − 1.

        Whether there is an interval is decided by the second half of the warm-up (`tails`).
        """
        durations, jobs = self.runs.durations, self.overall_response_time.jobs
        above = time_above(self.runs.time_at_level, k)
        share = above.sum() / durations.sum()
        found = estimate(above, durations, variance=share * (1 - share), jobs=jobs)
        few = level_caveat(self.length, k, self.runs.time_before, found)
        return withhold_interval(found, self.caveat_over_time or few)

    @property
    def caveat_over_time(self) -> str:
        """What is wrong with an interval for a mean over time of all jobs."""
        return self.caveat or self.unseen or caveat_over_time(self.length)


def summarise(
    cluster: Cluster, length: RunLength, runs: Runs, stable_below: float | None = None
) -> Performance:
    """The estimates from R windows. `stable_below` is λ*, if known. Raises `NotSampledError`, a
    `ValueError`, if no job has left."""
    durations, tallies = runs.durations, runs.tallies
    if not tallies[:, DEPARTURES].any():
        raise NotSampledError("no job has left the cluster: simulate more jobs")
    columns = []
    controls = _controls(cluster, length, runs)
    for i, (c, tally) in enumerate(zip(cluster.classes, tallies.transpose(2, 1, 0), strict=True)):
        area, square, work, departures, response, response_square, interruptions = tally
        jobs = int(departures.sum())
        mean = area.sum() / durations.sum()
        variance = square.sum() / durations.sum() - mean**2
        if jobs == 0:
            present_jobs = estimate(area, durations, variance=variance, jobs=0)
            columns.append(
                [withhold_interval(present_jobs, NO_DEPARTURE), *[_unknown(len(area))] * 3]
            )
            continue
        speed = work.sum() / area.sum()
        spread = response_square.sum() / jobs - (response.sum() / jobs) ** 2
        theta = cluster.quantum
        ratios = (
            (area, durations, variance, caveat_over_time),
            (response, departures, spread, RunLength.caveat),
            # As if X_i varied and the work done on class i did not.
            (work, area, variance * (speed / mean) ** 2, RunLength.caveat),
        )
        columns.append([])
        for y, w, v, caveat in ratios:
            found = estimate_with_controls(y, w, controls, variance=v, jobs=jobs)
            columns[-1].append(
                withhold_interval(found, caveat(length, i, conservative_gain(found)))
            )
        # Poisson given the size.
        spread = c.size.mean / theta + c.size.variance / theta**2
        columns[-1].append(estimate(interruptions, departures, variance=spread, jobs=jobs))
    left, total, squares = tallies[:, [DEPARTURES, RESPONSE, RESPONSE_SQUARE]].sum(axis=2).T
    jobs = int(left.sum())
    spread = squares.sum() / jobs - (total.sum() / jobs) ** 2
    overall = estimate_with_controls(total, left, controls, variance=spread, jobs=jobs)
    work = length.workload
    remaining = work.longest_remaining
    missing = cluster.work_rates.sum() - tallies[:, WORK].sum(axis=1) / durations
    known = {"missing": missing, "stable_below": stable_below}
    caveat = check_growth(work.arrival_rate, runs.present, length.jobs, remaining, **known)
    columns = [[withhold_interval(e, caveat) for e in column] for column in columns]
    overall = withhold_interval(overall, caveat or length.caveat(gain=conservative_gain(overall)))
    return Performance(*zip(*columns, strict=True), overall, runs, length, caveat)


def _controls(cluster: Cluster, length: RunLength, runs: Runs) -> NDArray[np.float64]:
    """The control variates of each replication (R, q): the work done on each class, and that found
    in the single servers, less their expectations."""
    if not length.controllable:
        return np.empty((len(runs.durations), 0))
    pools = cluster.pools
    means = np.array([pool.mean_work for pool in pools])
    beyond = runs.singles[:, :, FOUND_WORK] - runs.singles[:, :, COUNTED] * means
    done = runs.tallies[:, WORK] - np.outer(runs.durations, cluster.work_rates)
    # A class, or a single server, with hardly any jobs controls nothing, and one that is given
    # nearly all jobs hardly differs from the one that is given all.
    come = length.jobs * np.array(length.workload.probabilities)
    offered = np.array([come[list(pool.classes)].sum() for pool in pools])
    rest = np.array([math.inf if all(pool.classes) else come.sum() for pool in pools]) - offered
    useful = np.minimum(offered, rest) >= MIN_CONTRIBUTING_JOBS
    return np.hstack([done[:, come >= MIN_CONTRIBUTING_JOBS], beyond[:, useful]])


def _unknown(replications: int) -> Estimate:
    """A mean over the jobs of a class without a departure."""
    return Estimate(math.nan, math.nan, math.nan, replications, 0, 0.0, caveat=NO_DEPARTURE)
