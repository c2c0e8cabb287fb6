"""Runs of the jobs of a log (replayed, resampled, or as logged) and their statistics by class.

Resampled jobs are simulated in independent replications, which are warmed up and judged like those
of all simulators (`workload.with_warm_up`, `run_length`, `likely_fraction`, `tails`,
`time_averages`, `instability_test`); jobs keep arriving until all measured jobs have started.

A replay is a single run, whose jobs depend on each other in ways that nothing says beforehand, and
has no interval: batches of consecutive jobs, taken as independent, gave intervals of which 33 to
93 % held. Its values are compared with what logs of J resampled jobs would give. If R replications
of m jobs have the mean x ± h, the mean of another J jobs is in the *prediction interval*

    x ± h √(1 + R m/J)

with a probability of about 95 %, as variances fall as one over the number of jobs. For a quantile
this holds for the share of the jobs up to it, so that order statistics are the ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlas.models.logs import Jobs, Log, classify, resample
from multiserver.errors import NotSampledError, UnstableError
from multiserver.simulation import saturated
from multiserver.simulation.estimate import FAIR_OBSERVATIONS, estimate
from multiserver.simulation.instability_test import (
    MARKS,
    check_growth,
    refuse_overload,
    settled_marks,
)
from multiserver.simulation.likely_fraction import fraction_by_wait
from multiserver.simulation.replay import replay
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.sampled_times import order_statistic, quantile_of, share_up_to
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import with_warm_up

Array = NDArray[np.float64]
WARM_UP = 0.2
# Jobs drawn beyond the measured ones: first `FURTHER` times the run; then the number of jobs is
# doubled until it reaches `MOST` times the run and `MANY`: under First Fit a job that needs all of
# 20 servers waits for 20,000 others at half load.
FURTHER, MOST, MANY = 0.25, 8, 300_000


class Statistic(NamedTuple):
    """A mean or quantile, the half-width of its interval at 95 %, and the ends of the prediction
    interval for a log; each is NaN if there is none."""

    value: float
    half_width: float = math.nan
    lower: float = math.nan
    upper: float = math.nan


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """The measured jobs (N,): `classes` from 0, `waits` and `durations` in seconds, in
    `replications` of equal `length`, one after another; `groups` are the classes of the needs, in
    increasing order, which `length` takes as classes. `caveat` says why there are no intervals;
    `note` why there are no jobs: then every value is `fill_value`, without a prediction, as a log
    of finitely many jobs has finite times."""

    classes: NDArray[np.int64]
    waits: Array
    durations: Array
    replications: int = 1
    length: RunLength | None = None
    groups: tuple[int, ...] = ()
    caveat: str = ""
    note: str = ""
    fill_value: float = math.nan

    @classmethod
    def of_log(cls, log: Log, largest_needs: list[float]) -> Run:
        """The waits in the log, of the jobs for which they are known."""
        known = np.isfinite(log.waits)
        classes = classify(log.needs[known], largest_needs)
        return cls(classes, log.waits[known], log.durations[known])

    @classmethod
    def unstable(cls, note: str, fill_value: float) -> Run:
        """A run that does not end, or has too many jobs: all its values are `fill_value`."""
        nothing = np.empty(0)
        return cls(nothing.astype(int), nothing, nothing, note=note, fill_value=fill_value)

    def statistic(
        self, c: int | None, time: str, probability: float | None, logged: int
    ) -> Statistic:
        """The mean of a time of class c (None: of all jobs), or its quantile, with the prediction
        interval for a log of `logged` jobs."""
        if self.note:
            return Statistic(self.fill_value, 0.0)
        mine = np.flatnonzero((self.classes == c) | (c is None))
        values = self.waits[mine] + (self.durations[mine] if time == "response" else 0.0)
        if not len(values):
            return Statistic(math.nan)
        p, R = probability, self.replications
        order = slice(None) if p is None else np.argsort(values, kind="stable")
        values, part = values[order], (mine * R // len(self.waits))[order]
        if R == 1:
            return Statistic(float(values.mean() if p is None else order_statistic(values, p)))
        if p is None:
            totals, weights = (np.bincount(part, x, minlength=R) for x in (values, None))
            found = estimate(totals, weights, variance=float(values.var()), jobs=len(values))
        else:
            found = quantile_of(values, part, R, p, length=self.length)
        few = len(values) < FAIR_OBSERVATIONS * R
        if few or self.caveat or self._caveat(c, time, p) or not found.settled:
            return Statistic(found.mean)
        wider = math.sqrt(1 + len(self.waits) / logged)
        if p is None:
            ends = found.mean - wider * found.margin, found.mean + wider * found.margin
        else:
            rank = np.searchsorted(values, found.mean, side="right")
            wide = wider * share_up_to(rank, part, R, 0.95).margin
            ends = order_statistic(values, p - wide), order_statistic(values, p + wide)
        return Statistic(found.mean, found.half_width, max(ends[0], 0.0), ends[1])

    def _caveat(self, c: int | None, time: str, probability: float | None) -> str:
        """Why a time of resampled jobs has no interval, in words, or an empty string."""
        if self.length is None:
            return ""
        if time == "response":
            mine = tuple(i for i, group in enumerate(self.groups) if group == c)
            return self.length.caveat(mine) if mine and probability is None else ""
        if probability is not None:
            return caveat_over_time(self.length)
        rate = self.length.workload.arrival_rate
        return self.length.caveat(queued=rate * float(self.waits.mean()))


def replay_log(jobs: Jobs, servers: int, policy: str, largest_needs: list[float]) -> Run:
    """The jobs of a log at their own times."""
    try:
        waits = replay(servers, *jobs, policy)
    except UnstableError as error:
        return Run.unstable(f"replayed: {error}", math.nan)
    return Run(classify(jobs.needs, largest_needs), waits, jobs.durations)


def resample_log(
    log: Log,
    sample: Jobs,
    servers: int,
    policy: str,
    largest_needs: list[float],
    growth: float,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...],
) -> Run:
    """A run of `jobs` jobs in all, drawn from the jobs `sample`, at `growth` times the log's
    rate."""
    workload = log.workload(servers, growth)
    rate = workload.arrival_rate
    try:
        refuse_overload(workload)
        first, last = with_warm_up(workload, math.ceil(jobs / replications), WARM_UP)
        runs = [
            _replicate(sample, servers, policy, rate, first, last, seed, (*key, r))
            for r in range(replications)
        ]
        drawn, waits, present = zip(*runs, strict=True)
        early = max(workload.least_warm_up - first, 0) / (last - first)
        growing = check_growth(
            rate,
            settled_marks(np.array(present), early),
            (1 - min(early, 1)) * (last - first),
            workload.longest_remaining,
            in_order=policy == "fcfs",
        )
    except UnstableError as error:
        return Run.unstable(f"resampled: {error}", math.inf)
    length = RunLength.of(
        workload, last - first, first, workload.load, None, in_order=policy == "fcfs"
    )
    length = _judge(length, sample, policy, jobs, seed, key)
    measured = Jobs(*map(np.concatenate, zip(*drawn, strict=True)))
    return Run(
        classify(measured.needs, largest_needs),
        np.concatenate(waits),
        measured.durations,
        replications,
        length,
        tuple(classify(np.array(workload.needs), largest_needs).tolist()),
        growing or length.caveat(),
    )


def _judge(
    length: RunLength, sample: Jobs, policy: str, jobs: int, seed: int, key: tuple[int, ...]
) -> RunLength:
    """The length of a replication at a likely λ/λ*: that of a saturated run under first come, first
    served, or else of a short run. They share no random number with the run of `jobs` jobs."""
    workload = length.workload
    servers, rate = workload.servers, workload.arrival_rate
    if policy == "fcfs":
        drawn = resample(
            sample, rate, 2 * saturated.jobs_of_each(jobs), seed, *key, saturated.LIKELY
        )
        try:
            held = saturated.replay(servers, drawn.needs, drawn.durations, 2).mean
        except NotSampledError:
            return length
        return replace(length, fraction=workload.load * servers / held)
    parts = with_warm_up(workload, saturated.jobs_of_each(jobs), WARM_UP)
    try:
        short = [
            _replicate(sample, servers, policy, rate, *parts, seed, (*key, saturated.LIKELY, r))
            for r in range(2)
        ]
    except UnstableError:
        return replace(length, fraction=1.0)
    return replace(
        length, fraction=fraction_by_wait(length, np.mean([waits for _, waits, _ in short]))
    )


def _replicate(
    jobs: Jobs,
    servers: int,
    policy: str,
    rate: float,
    first: int,
    last: int,
    seed: int,
    key: tuple[int, ...],
) -> tuple[Jobs, Array, NDArray[np.int64]]:
    """The measured jobs of one replication, their waits, and the numbers of jobs in the system at
    the arrivals of equally spaced ones."""
    count = math.ceil((1 + FURTHER) * last)
    while True:
        drawn = resample(jobs, rate, count, seed, *key)
        waits = replay(servers, *drawn, policy)
        starts = drawn.arrivals + waits
        if starts[:last].max() <= drawn.arrivals[-1]:
            break
        if count >= max(MOST * last, MANY):
            raise UnstableError(
                f"of {last} jobs some have not started when {count} have come: it is unstable, or"
                " large jobs may wait for ever",
                arrival_rate=rate,
            )
        count *= 2
    places = np.linspace(first, last - 1, MARKS + 1).astype(int)
    gone = np.searchsorted(np.sort(starts + drawn.durations), drawn.arrivals[places], side="right")
    measured = Jobs(*(column[first:last] for column in drawn))
    return measured, waits[first:last], places - gone
