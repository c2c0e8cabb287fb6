"""Engines refuse unstable systems; λ* for any distribution is estimated with an interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.errors import UnstableError
from multiserver.phased import PhasedJobs
from multiserver.policies.first_fit import first_fit
from multiserver.saturated import phased
from multiserver.simulation import class_policies, class_queues, fcfs
from multiserver.simulation.estimate import z_score
from multiserver.simulation.instability_test import check_growth
from multiserver.simulation.interruptions import Cluster, ParallelClass
from multiserver.simulation.interruptions import simulate as cluster_simulate
from multiserver.simulation.saturated import limit
from multiserver.simulation.workload import Workload
from multiserver.sizes import Bimodal, Erlang, Exponential, Pareto

NEEDS, P = (1, 4), (0.8, 0.2)
EFFORT = {"jobs": 20_000, "replications": 16, "seed": 4}
# |z| > 5 has probability 6e-7.
HIGHEST_Z = 5.0


SIZES = (Exponential(1.0), Exponential(0.5))


def workload(fraction):
    highest = phased.solve(PhasedJobs.of(4, NEEDS, SIZES, P)).throughput
    return Workload(4, NEEDS, SIZES, P, fraction * highest), highest


def test_between_the_limit_and_full_load():
    load, highest = workload(1.1)
    assert load.load < 1
    with pytest.raises(UnstableError, match="16 replications of 16000 jobs end with") as e:
        fcfs.simulate(load, **EFFORT)
    assert e.value.arrival_rate == load.arrival_rate
    assert e.value.limit == pytest.approx(highest, rel=0.02)


def test_growth_is_what_cannot_be_served():
    load, highest = workload(1.1)
    grown = fcfs.simulate(load, **EFFORT, overloaded=True).growth
    assert abs(z_score(grown, load.arrival_rate - highest)) < HIGHEST_Z
    load, _ = workload(0.8)
    assert abs(z_score(fcfs.simulate(load, **EFFORT).growth, 0.0)) < HIGHEST_Z


def test_full_load_is_refused_before_it_is_simulated():
    load = Workload(4, NEEDS, SIZES, P, 10.0)
    with pytest.raises(UnstableError, match="no queue is stable at 1 or more"):
        fcfs.simulate(load, jobs=10**12, replications=2, seed=1)


def test_a_stable_run_that_has_not_settled_is_not_called_unstable():
    """At 0.995 λ* from empty, with no warm-up to speak of, N grows like √t and spreads as much."""
    load, _ = workload(0.995)
    found = fcfs.simulate(load, jobs=4_000, replications=32, seed=9, warm_up=0.01)
    assert found.growth.mean > 0


def walks(drift, *, runs=1, replications=32, steps=64, late=16):
    """Random walks with normal steps, reflected at 0, from when they have run for `late` steps
    (runs, replications, steps + 1)."""
    rng = np.random.default_rng(1)
    level = np.zeros((runs, replications))
    found = np.empty((runs, replications, steps + 1), dtype=np.int64)
    for i in range(-late, steps + 1):
        if i >= 0:
            found[:, :, i] = np.rint(level)
        level = np.abs(level + rng.normal(drift, 100.0, level.shape))
    return found


def told(present, **other):
    """2 if refused, 1 if without intervals, 0 if neither."""
    try:
        return int(bool(check_growth(1.0, present, 64_000.0, 1.0, **other)))
    except UnstableError:
        return 2


@pytest.mark.parametrize("replications", [2, 5, 32])
def test_a_critical_queue_is_the_worst_and_is_not_refused(replications):
    """Of 2,000 runs at λ = λ* that start empty, none: at 1e-6 each, one with probability 0.002."""
    found = [told(run) for run in walks(0.0, runs=2000, replications=replications)]
    assert found.count(2) == 0


def test_a_stationary_run_loses_its_intervals_as_rarely_as_is_said():
    """Two tests at `DOUBT`: of 4,000 runs 8 or fewer; more than 24 have a probability of 1e-5."""
    found = [told(run) for run in walks(-40.0, runs=4000, late=200)]
    assert found.count(2) == 0
    assert found.count(1) <= 24


@pytest.mark.parametrize(("drift", "share"), [(10.0, 0.0), (20.0, 0.5), (40.0, 1.0)])
def test_what_grows_is_found(drift, share):
    """Over 64 steps of standard deviation 100 a drift of 10 gains 0.8 standard deviations: none of
    these runs has an interval, and those that gain 1.6 are refused as often as not."""
    found = [told(run) for run in walks(drift, runs=100)]
    assert found.count(0) == 0
    assert found.count(2) >= share * 100


def test_too_few_servers_at_work_take_the_intervals():
    (present,) = walks(-40.0, late=200)
    missing = np.random.default_rng(2).normal(0.0, 0.1, 32)
    assert check_growth(1.0, present, 64_000.0, 1.0, missing=missing) == ""
    found = check_growth(1.0, present, 64_000.0, 1.0, missing=missing + 0.1)
    assert found.startswith("less capacity than ρ n was at work, by 0.")


def test_steps_are_long_against_what_jobs_in_service_remain():
    """A queue that is long because it is growing is no sign: a step must outlast the job at work.
    Where it cannot, nothing is refused."""
    (present,) = walks(25.0)
    with pytest.raises(UnstableError):
        check_growth(1.0, present, 64_000.0, 300.0)
    assert "grew during the run" in check_growth(1.0, present, 64_000.0, 10_000.0)


# Few jobs, near saturation: what a test of growth is most easily deceived by.
RARE = (1, 1.0, 0.7), (4, 0.5, 0.2), (8, 1.0, 0.1)
BURSTS = ms.Hyperexponential(probabilities=(0.99, 0.01), rates=(1.8, 0.02))


@pytest.mark.parametrize("policy", [ms.FCFS, ms.MostServersFirst, ms.LeastServersFirst], ids=repr)
def test_short_runs_of_stable_queues_are_not_refused(policy):
    """20 seeds each: at 1e-6, one with a probability of 1e-4 in all."""
    systems = [rigid(8, *RARE)] + ([one_class(1, BURSTS)] if policy is ms.FCFS else [])
    for system in systems:
        for seed in range(20):
            system.under(policy).simulate(fraction_of_limit=0.97, seed=seed, jobs=20_000)


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.PreemptiveFirstFit], ids=repr)
def test_no_run_of_an_unstable_queue_has_an_interval(policy):
    """Of 16 servers, needs 1 and 11 in equal shares, three quarters can be busy; load 0.765."""
    workload = Workload(16, (1, 11), (Exponential(1.0),) * 2, (0.5, 0.5), 2.04)
    rule = first_fit if policy is ms.FirstFit else class_policies.preemptive_first_fit
    refused = 0
    for seed in range(10):
        try:
            found = class_queues.simulate(workload, rule, jobs=6250, replications=32, seed=seed)
        except UnstableError:
            refused += 1
        else:
            assert found.mean_response_time.caveat
            assert found.busy(16).caveat
    assert refused < 10


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.MaxWeight], ids=repr)
def test_servers_at_work_are_measured(policy):
    """E[busy] is ρ n if stable, by Little's law: |z| > 5 has a probability of 6e-7."""
    for servers in (8, 16):
        found = rigid(servers, *RARE).under(policy).simulate(load=0.6, jobs=200_000, seed=8)
        assert found.busy_servers.half_width > 0
        assert abs(z_score(found.busy_servers, 0.6 * servers)) < HIGHEST_Z
        assert found.idle_servers.mean == pytest.approx(servers - found.busy_servers.mean)


def test_limit_of_phases():
    sizes = (Erlang(3, 3.0), Exponential(0.5))
    exact = phased.solve(PhasedJobs.of(4, NEEDS, sizes, P)).throughput
    assert abs(z_score(limit(4, NEEDS, sizes, P, half_width=0.005, seed=3), exact)) < HIGHEST_Z


def test_one_class_wastes_nothing():
    for X in (Bimodal((0.1, 2.0), (0.9, 0.1)), Pareto(3.5, 1.0)):
        found = limit(3, (1,), (X,), (1.0,), half_width=0.01, seed=6)
        assert found.mean == pytest.approx(3 / X.mean, rel=0.01)


def test_refused_half_width():
    with pytest.raises(ValueError, match=r"half_width must lie in \(0, 1\), found 0"):
        limit(3, (1,), (Exponential(1.0),), (1.0,), half_width=0, seed=6)


def test_no_run_of_a_cluster_that_grows_has_an_interval():
    """Two classes of one server each and one of both, beyond what their servers do (condition (7)):
    refused at twice the rate, and at 1.03 without intervals."""
    sets = (((0,), 0.8), ((1,), 0.2), ((0, 1), 0.2))

    def run(factor):
        classes = [ParallelClass(factor * rate / 0.8, Exponential(1.0), s) for s, rate in sets]
        cluster = Cluster((1.0, 1.0), classes, 0.0)
        return cluster_simulate(cluster, seed=3, replications=range(16), warmup=4000, jumps=16_000)

    with pytest.raises(UnstableError, match="more a unit of time than complete"):
        run(2.0)
    try:
        found = run(1.03)
    except UnstableError:
        pass
    else:
        assert found.caveat
        assert all(e.caveat for e in (*found.jobs, *found.response_time, *found.service_rate))
    assert not run(0.5).caveat


def test_servers_at_work_are_measured_in_parallel_processing():
    """Work done is work that comes: |z| > 5 has a probability of 6e-7."""
    classes = [
        ms.JobClass(compatible=s, duration=Exponential(1.0), probability=p)
        for s, p in (({0}, 0.4), ({0, 1}, 0.6))
    ]
    queue = ms.System(2, classes).under(ms.FCFS)
    for confidence in (0.95, 0.9):
        effort = {"jobs": 200_000, "seed": 8, "confidence": confidence}
        found = queue.simulate(load=0.5, **effort).busy_servers
        assert abs(z_score(found, 1.0)) < HIGHEST_Z
    short = queue.simulate(load=0.98, jobs=3200, seed=8)
    assert all(math.isnan(c.mean_jobs.half_width) for c in short.by_class)
