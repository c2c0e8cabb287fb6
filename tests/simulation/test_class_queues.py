"""The engine for class queues, job by job against a slow one that draws the same jobs.

`tests/door/test_simulate.py` compares its means with exact ones. z-scores are asserted to lie
within ±Z: P(|z| > 6) = 2e-9, and eight are compared here.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from numba import njit
from tests.simulation.workloads import workload_at

import multiserver as ms
from multiserver.policies.job_level import class_simulation
from multiserver.simulation import backfilling, class_policies, fcfs, front, front_policies
from multiserver.simulation.class_queues import CLASS_POLICY, simulate
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.replications import Overloaded
from multiserver.simulation.workload import with_warm_up
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Hyperexponential

from ..theory.figure_systems import FIGURE_6, FIGURE_7
from . import preemptive as slow
from .test_policies import CLASS_POLICIES as POLICIES

Z = 6.0


def at_load(system, load):
    return Workload.of(system, load * system.naive_throughput)


GENERAL = [
    at_load(FIGURE_7, 0.85),
    # Needs out of order, all kinds of sizes, ties of completions.
    workload_at(
        0.7,
        4,
        (4, 1, 2),
        (Hyperexponential((0.3, 5.0), (0.4, 0.6)), Deterministic(1.0), Erlang(3, 2.0)),
        (0.2, 0.5, 0.3),
    ),
    # Two classes of one need, which are served in order of arrival.
    workload_at(
        0.6,
        6,
        (1, 4, 1),
        (Deterministic(0.7), Exponential(1.0), Exponential(0.3)),
        (0.5, 0.3, 0.2),
    ),
    # Needs that do not divide the servers, idle servers that nobody can use.
    workload_at(
        0.6,
        7,
        (5, 2, 3),
        (Exponential(1.0), Bimodal((0.5, 4.0), (0.8, 0.2)), Deterministic(2.0)),
        (0.2, 0.5, 0.3),
    ),
    workload_at(0.8, 1, (1,), (Exponential(1.0),), (1.0,)),
]


@pytest.mark.parametrize("system", range(len(GENERAL)))
@pytest.mark.parametrize("name", POLICIES)
def test_every_job_leaves_when_the_slow_simulator_says(name, system):
    work, k = GENERAL[system], GENERAL[system].servers
    policy, jobs = getattr(class_policies, name), 500
    record = np.full(jobs, np.nan)
    keys = {"seed": 5, "key": (system,)}
    found = simulate(work, policy, jobs=jobs, replications=1, warm_up=0, record=record, **keys)
    expected = slow.responses(work, getattr(slow, name)(k), jobs, **keys)
    # Times are below 1e4 and are added up a few thousand times.
    np.testing.assert_allclose(record, expected, rtol=0, atol=1e-9)
    assert found.sums[0, -1, 1] == pytest.approx(expected.sum(), rel=1e-9, abs=0)


def test_max_weight_takes_classes_of_one_need_as_one_as_its_definition_says():
    """A class split in two leaves all response times as they are, drawn from one stream."""
    size, found = Exponential(1.0), []
    for needs, p in [((1, 3), (0.75, 0.25)), ((1, 1, 3), (0.5, 0.25, 0.25))]:
        work, record = workload_at(0.7, 3, needs, (size,) * len(needs), p), np.full(500, np.nan)
        keys = {"jobs": 500, "replications": 1, "warm_up": 0, "seed": 1}
        simulate(work, class_policies.max_weight, record=record, **keys)
        found.append(record)
    np.testing.assert_array_equal(*found)
    assert "classes of one need count as one" in ms.MaxWeight.definition


@pytest.mark.parametrize("system", [1, 2])
def test_sums_are_those_of_the_measured_jobs(system):
    """Numbers found and response times, recounted from the arrivals and the departures."""
    work, asked, warm_up = GENERAL[system], 400, 0.25
    first, jobs = with_warm_up(work, asked, warm_up)
    record = np.full(jobs, np.nan)
    policy, keys = class_policies.preemptive_first_fit, {"replications": 1, "seed": 3}
    simulate(work, policy, jobs=jobs, warm_up=0, record=record, **keys)
    found = simulate(work, policy, jobs=asked, warm_up=warm_up, **keys)
    measured, seen = slow.recount(work, 3, record, first, found)
    everyone = seen.sum(axis=1)[measured]
    assert found.sums[0, -1, 3:5].tolist() == [everyone.sum(), (everyone**2).sum()]
    assert found.sums[0, -1, 0] == measured.sum()


def test_what_is_unstable_is_an_error():
    """Load 0.95 is beyond the limit of Least Servers First, 0.8789, and below that of MaxWeight."""
    work = at_load(FIGURE_6, 0.95)
    keys = {"jobs": 500_000, "replications": 2, "seed": 1, "limit": 5000}
    with pytest.raises(Overloaded, match=r"5000 jobs .* arrival rate of 1\.239.*: it is unstable"):
        simulate(work, class_policies.least_servers_first, **keys)
    assert simulate(work, class_policies.max_weight, **keys).mean_jobs.mean < 500


@njit(CLASS_POLICY)
def more_than_all(present, number, needs, servers, allotted):
    for c in range(len(needs)):
        allotted[c] = min(present[c] * needs[c], servers)


@njit(CLASS_POLICY)
def absent_jobs(present, number, needs, servers, allotted):
    for c in range(len(needs)):
        allotted[c] = 0
    allotted[0] = 1


def test_a_policy_may_be_typed_in_where_no_file_holds_it():
    exec(inspect.getsource(class_policies.least_servers_first), typed := {})
    work, keys = at_load(FIGURE_6, 0.5), {"jobs": 2000, "replications": 2, "seed": 1}
    found = simulate(work, typed["least_servers_first"], **keys)
    assert found.mean_jobs == simulate(work, class_policies.least_servers_first, **keys).mean_jobs


@pytest.mark.parametrize("policy", [more_than_all, absent_jobs])
def test_policies_that_cannot_be_followed_are_refused(policy):
    with pytest.raises(ValueError, match="servers that are there and can be used"):
        simulate(at_load(FIGURE_6, 0.7), policy, jobs=1000, replications=1, seed=1)


def test_arguments_are_validated():
    work = at_load(FIGURE_6, 0.7)
    keys = {"jobs": 10, "replications": 2, "seed": 1}
    for name, value in [("jobs", 0), ("replications", 2.0), ("limit", True), ("warm_up", 1.0)]:
        with pytest.raises(ValueError, match=name):
            simulate(work, class_policies.max_weight, **{**keys, name: value})


def test_servers_by_the_billion_take_no_more_memory_and_their_squares_are_counted():
    """With 2^33 servers in the place of each, as many times are held, and all else is the same."""
    sizes, p, keys = (Exponential(1.0), Erlang(2, 2.0)), (0.5, 0.5), {"seed": 2, "replications": 4}
    lsf = class_policies.least_servers_first
    small, large = (Workload(128 * f, (f, 64 * f), sizes, p, 1.5) for f in (1, 2**33))
    for simulated in (
        lambda work: simulate(work, lsf, jobs=4000, **keys).busy(1.0),
        lambda work: fcfs.simulate(work, jobs=4000, **keys).mean_held,
        lambda work: backfilling.simulate(work, conservative=False, jobs=4000, **keys).busy(1.0),
    ):
        found, expected = simulated(large), simulated(small)
        assert found.effective_size == pytest.approx(expected.effective_size, rel=1e-9)
        assert found.effective_size > 100
    many = Workload(10**12, (1, 5 * 10**11), sizes, (0.5, 0.5), 1.5)
    simulate(many, lsf, jobs=1000, **keys)
    rule = front_policies.server_filling(many)
    front.simulate(many, rule, jobs=1000, **keys)


def all_idle(present, number, needs, servers, allotted):
    """All idle servers, to the smaller needs first: a large job may get a part of its need."""
    idle = servers
    for c in range(len(needs)):
        idle -= allotted[c]
    for c in range(len(needs)):
        more = min(present[c] * needs[c] - allotted[c], idle)
        allotted[c] += more
        idle -= more


def test_a_rule_that_serves_a_part_of_a_rigid_job_is_refused():
    """Its large jobs would run on fewer servers than they need; with thresholds they may."""
    policy = ms.Policy(
        name="all-idle",
        preemptive=False,
        definition="",
        methods={
            model: (class_simulation(all_idle, ""),)
            for model in ("multiserver-jobs", "threshold-parallelism")
        },
    )

    def found(use):
        classes = [
            ms.JobClass(**{use: v}, duration=ms.Exponential(rate=1.0), probability=0.5)
            for v in (1, 4)
        ]
        return ms.System(4, classes).under(policy).simulate(load=0.4, jobs=2000, seed=1)

    with pytest.raises(ValueError, match="multiples of a need: jobs hold all or none"):
        found("need")
    assert found("threshold").mean_jobs.mean > 0
