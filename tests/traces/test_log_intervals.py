"""Intervals of resampled jobs keep the rules of all simulators, for waits and far quantiles too."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.models.log_runs import resample_log
from atlas.models.logs import Log

JOBS = 500


def run_of(servers: int, load: float, jobs: int):
    """Jobs that need one server, of nearly exponential durations, under FCFS."""
    durations = -np.log1p(-(np.arange(JOBS) + 0.5) / JOBS)
    durations *= load * servers / durations.mean()
    unknown = np.full(JOBS, np.nan)
    arrivals = np.arange(JOBS, dtype=float)
    log = Log(arrivals, np.ones(JOBS, np.int64), durations, unknown, unknown, 0)
    sample = log.jobs(1.0, 0.0, by_logs=False)
    effort = {"jobs": jobs, "replications": 32, "seed": 1, "key": (1,)}
    return resample_log(log, sample, servers, "fcfs", [], 1.0, **effort)


def test_waits_that_rest_on_rare_bursts_have_no_interval():
    """Of 200 intervals for E[W] in M/M/100 at load 0.75, 100,000 jobs, 159 held."""
    run = run_of(20, 0.5, 30_000)
    assert np.isnan(run.value(None, "waiting", None)[1])
    for time, p in [("response", None), ("response", 0.5), ("waiting", 0.5)]:
        assert np.isfinite(run.value(None, time, p)[1])
    assert run.value(None, "waiting", None)[0] > 0


@pytest.mark.parametrize("time", ["waiting", "response"])
def test_quantiles_in_few_bursts_have_no_interval(time):
    run = run_of(1, 0.8, 80_000)
    for p, given in [(None, True), (0.5, True), (0.9, True), (0.95, False), (0.97, False)]:
        assert np.isfinite(run.value(None, time, p)[1]) == given
