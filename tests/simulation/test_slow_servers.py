"""Servers slower than their capacity together, and one that is shared: their jobs stay longer than
their size says, and runs are warmed up and judged accordingly."""

from __future__ import annotations

import math

import pytest
from scipy.stats import skew
from tests.intervals import assert_intervals_hold

import multiserver as ms
from multiserver.policies.job_level import workload_of
from multiserver.simulation import front, front_policies
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.workload import MISSING_LOAD, RELAXATION_FACTOR, Workload
from multiserver.sizes import Size

# Each of the three tests of scores fails by chance with this probability.
FALSE_ALARM = 1e-6
EXP, SPREAD = (
    ms.Exponential(rate=1.0),
    ms.Hyperexponential(rates=(1.81, 0.19), probabilities=(0.905, 0.095)),
)


def equal(servers: int, size: Size) -> ms.Queue:
    """Servers of "different" speeds, each of which is 1."""
    system = ms.System((1.0,) * servers, [ms.JobClass(duration=size)])
    return system.under(ms.FastestServerFirst)


def shared(limit: int, size: Size) -> ms.System:
    return ms.System(1, [ms.JobClass(duration=size)], limit=limit)


@pytest.mark.parametrize(("servers", "size", "load"), [(100, SPREAD, 0.5), (300, EXP, 0.8)])
def test_many_equal_servers_fill_before_they_are_measured(servers, size, load):
    """Hardly any job waits, and E[N] is ρ n. Measured after the first 125 of 625 jobs, it was 35
    and 25 % too small, and no run had an interval."""
    queue = equal(servers, size)
    runs = [queue.simulate(load=load, jobs=20_000, seed=seed) for seed in range(12)]
    for found in runs:
        assert found.mean_response_time.settled, found.mean_response_time.lacking
        assert found.mean_response_time.mean == pytest.approx(size.mean, rel=0.1)
    assert_intervals_hold([run.mean_jobs for run in runs], [load * servers] * 12, FALSE_ALARM)


@pytest.mark.parametrize(("servers", "load"), [(4, 0.3), (50, 0.8), (500, 0.95)])
def test_equal_servers_are_judged_as_those_of_rigid_jobs(servers, load):
    runs = {"load": load, "jobs": 20_000, "seed": 1, "replications": 4}
    found = equal(servers, SPREAD).simulate(**runs).counts
    rigid = ms.System(servers, [ms.JobClass(duration=SPREAD)]).under(ms.FCFS)
    other = rigid.simulate(**runs).counts
    assert found.workload.least_warm_up == other.workload.least_warm_up
    assert found.workload.longest_remaining == pytest.approx(other.workload.longest_remaining)
    assert found.length.warm_up == other.length.warm_up
    assert found.length.skewness() == pytest.approx(
        RunLength(other.workload, other.length.jobs, 0, load).skewness(), rel=1e-9
    )


@pytest.mark.parametrize("limit", [1, 3, 40])
def test_jobs_that_share_a_server_stay_longer(limit):
    """The jobs in service over the load, of the exact process."""
    exact = shared(limit, EXP).under(ms.EqualShares).exact(load=0.8)
    work = workload_of(shared(limit, EXP), 0.8)
    assert work.slowdown == pytest.approx((exact.mean_jobs - exact.mean_waiting) / 0.8, rel=1e-9)
    longest = work.slowdown * math.log(1 / MISSING_LOAD)
    assert work.least_warm_up == math.ceil(0.8 * RELAXATION_FACTOR * longest)
    found = shared(limit, EXP).under(ms.EqualShares).simulate(load=0.8, jobs=320, seed=1)
    assert found.counts.length.warm_up == work.least_warm_up
    assert workload_of(shared(limit, EXP), 1.5).slowdown == limit


@pytest.mark.parametrize(
    ("limit", "size", "load", "jobs"),
    [(20, EXP, 0.6, 350), (5, SPREAD, 0.6, 1500), (20, SPREAD, 0.6, 1500), (1000, EXP, 0.8, 2000)],
)
def test_the_skewness_of_a_shared_server(limit, size, load, jobs):
    """Of 1600 replications. As of so many servers, each as fast as the one, it was 4.6, 2.2, 6.6
    and 0.04."""
    places = Workload(limit, (1,), (size,), (1.0,), load)
    policy = front_policies.limited_processor_sharing(places)
    runs = {"jobs": 2 * jobs, "warm_up": 0.5, "replications": 1600, "seed": 3}
    sums = front.simulate(places, policy, **runs, stable_below=1.0).sums[:, -1, :2]
    simulated = skew(sums[:, 1] - sums[:, 1].sum() / sums[:, 0].sum() * sums[:, 0])
    work = workload_of(shared(limit, size), load)
    assert RunLength(work, jobs, 0, load).skewness() == pytest.approx(simulated, rel=0.35)
