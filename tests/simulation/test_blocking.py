"""Waits behind jobs that do not fit: the skewness of simulated means, and intervals withheld."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multiserver as ms
from multiserver.simulation import fcfs
from multiserver.simulation.blocking import burst_cumulants
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength
from multiserver.simulation.workload import Workload

ONE = ms.Exponential(rate=1.0)


def rare(jobs, *, servers=16, wide=0.004, mean=0.4, load=0.4, in_order=True):
    """Needs 1 and n, where one job in 250 needs all servers."""
    sizes = ONE, ms.Exponential(rate=1 / mean)
    rate = load * servers / (1 - wide + servers * wide * mean)
    work = Workload(servers, (1, servers), sizes, (1 - wide, wide), rate)
    return RunLength.of(work, jobs, jobs, load, None, in_order)


def test_one_class_that_needs_all_servers():
    """If one job is always in service, h = u = 1, and E[(R + S)^j] = (j + 1)! for mean 1."""
    work = Workload(3, (3,), (ONE,), (1.0,), 1.0)
    found = burst_cumulants(work, work.sizes, 0.5)
    expected = [math.factorial(2 * m + 1) for m in (2, 3)]
    assert found == pytest.approx(expected, rel=1e-12)


def test_jobs_that_fit_on_average_bring_no_bursts():
    """Five of ten servers are busy: a need of 5 fits, one of 6 does not."""
    for need, some in ((5, False), (6, True)):
        work = Workload(10, (1, need), (ONE, ONE), (0.5, 0.5), 5 / (0.5 + 0.5 * need))
        assert work.load == pytest.approx(0.5)
        assert bool(burst_cumulants(work, work.sizes, 0.9).any()) == some


def test_the_skewness_is_that_of_simulated_means():
    """Within 40 % of that of 2,000 means, whose own error is about a tenth; without the bursts a
    twentieth of it."""
    length = rare(1000)
    found = fcfs.simulate(
        length.workload, jobs=1250, replications=2000, seed=1, warm_up=0.2, overloaded=True
    )
    times, jobs = found.response_sums.sum(axis=1), found.completions.sum(axis=1)
    errors = times - times.sum() / jobs.sum() * jobs
    skewness = np.mean(errors**3) / np.mean(errors**2) ** 1.5
    assert found.length.jobs == length.jobs == 1000
    assert length.skewness() == pytest.approx(skewness, rel=0.4)
    assert rare(1000, in_order=False).skewness() < skewness / 10


def test_runs_with_few_bursts_have_no_interval():
    """Where about four and two jobs of a replication need all servers. Of the second system 66 % of
    the intervals held."""
    short, long = rare(1000), rare(20_000)
    assert short.skewness() > MAX_SKEWNESS > long.skewness()
    assert "skewness" in short.caveat() and not long.caveat()
    often = ms.Hyperexponential(rates=(1.905, 0.0953), probabilities=(0.952, 0.048))
    system = ms.System(
        servers=6,
        classes=[
            ms.JobClass(need=1, duration=often, probability=0.997),
            ms.JobClass(need=6, duration=ms.Exponential(rate=1.3), probability=0.003),
        ],
    )
    queue = system.under(ms.FCFS)
    for seed in range(3):
        found = queue.simulate(load=0.31, jobs=18_000, seed=seed)
        assert "skewness" in found.mean_response_time.lacking
