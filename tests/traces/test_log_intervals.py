"""Intervals of resampled jobs keep the rules of all simulators, for waits and far quantiles too."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.models.log_runs import Run, resample_log
from atlas.models.logs import Log
from multiserver.simulation.streams import generator

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
    assert np.isnan(run.statistic(None, "waiting", None, JOBS).half_width)
    for time, p in [("response", None), ("response", 0.5), ("waiting", 0.5)]:
        assert np.isfinite(run.statistic(None, time, p, JOBS).half_width)
    assert run.statistic(None, "waiting", None, JOBS).value > 0


@pytest.mark.parametrize("time", ["waiting", "response"])
def test_quantiles_in_few_bursts_have_no_interval(time):
    run = run_of(1, 0.8, 80_000)
    for p, given in [(None, True), (0.5, True), (0.9, True), (0.95, False), (0.97, False)]:
        assert np.isfinite(run.statistic(None, time, p, JOBS).half_width) == given


@pytest.mark.parametrize("p", [None, 0.5, 0.8])
def test_nineteen_of_twenty_logs_lie_in_the_prediction_interval(p):
    """Waits that are 0 or exponential: 300 runs of 4,800 jobs and a log of 1,200 each. If 95 % lie
    inside, fewer than 269 or more than 297 do with a probability of 9e-5."""
    rng = generator(5)
    draw = lambda jobs: rng.exponential(size=jobs) * (rng.random(jobs) < 0.7)  # noqa: E731
    inside = 0
    for _ in range(300):
        run, log = (
            Run(np.zeros(jobs, np.int64), draw(jobs), np.ones(jobs), replications)
            for jobs, replications in ((4800, 16), (1200, 1))
        )
        found = run.statistic(None, "waiting", p, 1200)
        theirs = log.statistic(None, "waiting", p, 1200)
        assert np.isnan(theirs.half_width) and found.lower < found.value < found.upper
        inside += found.lower <= theirs.value <= found.upper
    assert 269 <= inside <= 297


def test_a_class_with_one_job_that_is_long_is_judged_by_its_own_durations():
    """Of 2,000 jobs 600 need 2 or 3 servers, and one of these stays 200 times as long as the others
    do on average, which among the longer jobs of the other class is nothing. 262 of 300 intervals
    for E[T] of the class held. Whether it has one is decided beforehand; that one of the other
    intervals is found to be worth too little has a probability below 1e-9: their replications are
    worth 14 times as many observations as are asked for, or more."""
    count, one, two = 2000, 1400, 600
    spread = [-np.log1p(-(np.arange(J) + 0.5) / J) for J in (one, two)]
    spread[1][0] = 200.0
    durations = np.concatenate([50 * spread[0], spread[1]])
    needs = np.concatenate([np.ones(one, np.int64), np.resize([2, 3], two)])
    unknown = np.full(count, np.nan)
    arrivals = np.arange(count) * float((needs * durations).mean()) / 8
    log = Log(arrivals, needs, durations, unknown, unknown, 0)
    sample = log.jobs(1.0, 0.0, by_logs=False)
    options = {"replications": 32, "seed": 1, "key": (1,)}
    for jobs, given in [(8_000, False), (60_000, True)]:
        run = resample_log(log, sample, 40, "easy-backfilling", [1], 1.0, jobs=jobs, **options)
        for c, expected in [(None, True), (0, True), (1, given)]:
            found = run.statistic(c, "response", None, count)
            assert np.isfinite(found.half_width) == np.isfinite(found.upper) == expected


@pytest.mark.parametrize(
    ("policy", "fraction"), [("fcfs", 0.8), ("conservative-backfilling", 0.74)]
)
def test_servers_that_idle_bring_a_log_nearer_to_its_limit(policy, fraction):
    """Jobs that need 3 or 4 of 6 servers, at a load of 54 %, run one or two at a time. When the
    load decided, 44 of 62 intervals for means held under FCFS, in 100 runs of 20,000 jobs; other
    runs had none. None has one now: λ/λ* is found with a standard deviation of 0.006 at most, and
    would have to be 0.05 too small. The limits lie five of them and more away."""
    each = 500
    durations = np.tile(-np.log1p(-(np.arange(each) + 0.5) / each), 2)
    needs = np.repeat(np.array([3, 4]), each)
    unknown = np.full(2 * each, np.nan)
    arrivals = np.arange(2 * each) * float((needs * durations).mean()) / 6 / 0.54
    log = Log(arrivals, needs, durations, unknown, unknown, 0)
    sample = log.jobs(1.0, 0.0, by_logs=False)
    options = {"jobs": 20_000, "replications": 32, "key": (1,)}
    for seed in range(5):
        run = resample_log(log, sample, 6, policy, [3], 1.0, seed=seed, **options)
        assert run.length.fraction == pytest.approx(fraction, abs=0.04)
        for c in (None, 0, 1):
            assert np.isnan(run.statistic(c, "response", None, each).half_width)


def test_jobs_that_wait_for_all_servers_to_idle_have_finite_waits():
    """Under First Fit one job in a thousand needs all of 20 servers, on which 9.8 jobs of the
    others are in service on average, by Erlang's formula none for exp(−9.8) of the time: it waits
    until exp(9.8) others have come. The mean of some twenty such waits, nearly exponential, is a
    quarter or three times as much with a probability of 1e-4. They were taken for infinite."""
    each, servers = 1000, 20
    durations = -np.log1p(-(np.arange(each) + 0.5) / each)
    needs = np.ones(each, np.int64)
    needs[each // 2] = servers
    durations *= servers * each / 2 / float(needs @ durations)
    unknown = np.full(each, np.nan)
    log = Log(np.arange(each, dtype=float), needs, durations, unknown, unknown, 0)
    sample = log.jobs(1.0, 0.0, by_logs=False)
    effort = {"jobs": 20_000, "replications": 32, "seed": 1, "key": (1,)}
    run = resample_log(log, sample, servers, "first-fit", [1], 1.0, **effort)
    found = run.statistic(1, "waiting", None, each)
    assert np.isnan(found.half_width)
    in_service = float(durations[needs == 1].sum()) / each
    assert 0.25 < found.value / np.exp(in_service) < 3
