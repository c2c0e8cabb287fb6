"""Simulation by numbers of jobs against exact solvers, and against the job level.

z-scores are asserted to lie within ±Z. P(|z| > 6) = 2e-9; over the fewer than 40 comparisons of
this file the chance of a false alarm is below 1e-7.
"""

from __future__ import annotations

import math

import pytest

from multiserver.errors import UnstableError
from multiserver.model import ExponentialClass, MultiserverJobSystem
from multiserver.open import finite_skip, multiserver_jobs, qbd
from multiserver.open.server_filling import ServerFilling
from multiserver.phased import PhasedJobs
from multiserver.saturated import dispatch, phased
from multiserver.simulation import exponential_counts, fcfs, saturated
from multiserver.simulation.estimate import z_score
from multiserver.simulation.workload import Workload
from multiserver.sizes import Exponential, Hyperexponential

Z = 6.0
EFFORT = {"jobs": 400_000, "replications": 32, "seed": 7}
SYSTEMS = [
    (10, (1, 3, 8), (1.0, 0.5, 0.2), (0.5, 0.3, 0.2)),
    (7, (5, 2, 3), (0.5, 3.0, 1.0), (0.25, 0.5, 0.25)),
    (6, (2, 2, 5), (2.0, 0.3, 1.0), (0.3, 0.5, 0.2)),
    (40, (1, 40), (1.0, 2.0), (0.95, 0.05)),
]
every_system = pytest.mark.parametrize(
    "system", [MultiserverJobSystem.of(*row) for row in SYSTEMS], ids=lambda s: f"{s.needs}"
)


@every_system
def test_servers_held_are_those_of_the_exact_chain(system):
    found = exponential_counts.mean_servers_held(system, **EFFORT)
    exact = system.servers - dispatch.solve(system).wastage
    assert abs(z_score(found, exact)) < Z
    assert found.half_width < 0.02 * exact


@pytest.mark.parametrize("fast", [1e17, 1e80])
def test_jobs_of_one_class_may_be_far_shorter_than_those_of_another(fast):
    """Floats of the rate of one lose that of the other: r must not be taken from their sum."""
    system = MultiserverJobSystem.of(4, (1, 3), (1.0, fast), (0.5, 0.5))
    found = exponential_counts.mean_servers_held(system, **EFFORT)
    assert abs(z_score(found, 4 - dispatch.solve(system).wastage)) < Z
    assert found.half_width < 0.02 * found.mean
    # Short jobs take no time: M/M/4 but for those of need 3, for which others wait.
    rate = 0.5
    found = exponential_counts.mean_response_time(system, rate, **EFFORT)
    exact = qbd.solve(multiserver_jobs.prepare(system).at(rate)).mean_jobs / rate
    assert abs(z_score(found, exact)) < Z


def test_branches_are_classes():
    law, fixed = Hyperexponential((3.0, 0.25), (0.8, 0.2)), Exponential(1.5)
    split = [
        ExponentialClass(4, rate, 0.3 * p)
        for rate, p in zip(law.rates, law.probabilities, strict=True)
    ]
    found = exponential_counts.mean_servers_held(
        MultiserverJobSystem(5, (ExponentialClass(1, 1.5, 0.7), *split)), **EFFORT
    )
    jobs = PhasedJobs.of(5, (1, 4), (fixed, law), (0.7, 0.3))
    assert abs(z_score(found, 5 * phased.solve(jobs).utilisation)) < Z


@every_system
def test_response_times_are_the_exact_ones(system):
    blocks = multiserver_jobs.prepare(system)
    for key, load in enumerate((0.2, 0.7)):
        rate = load * blocks.throughput
        found = exponential_counts.mean_response_time(system, rate, key=(key,), **EFFORT)
        exact = qbd.solve(blocks.at(rate)).mean_jobs / rate
        assert abs(z_score(found, exact)) < Z
        assert found.half_width < 0.05 * exact


def test_the_job_level_says_the_same_of_many_classes():
    """Of systems that no exact solver takes: 12 classes on 200 servers."""
    needs = (1, 2, 3, 4, 5, 7, 9, 14, 30, 60, 90, 190)
    weights = [2.0**-i for i in range(12)]
    system = MultiserverJobSystem.of(
        200, needs, [1 + i % 3 for i in range(12)], [w / sum(weights) for w in weights]
    )
    effort = EFFORT | {"jobs": 200_000}
    held = exponential_counts.mean_servers_held(system, **effort)
    drawn = saturated.mean_servers_held(
        system, [Exponential(rate) for rate in system.rates], **effort
    )
    assert abs(held.mean - drawn.mean) < Z * math.hypot(held.standard_error, drawn.standard_error)
    rate = 0.8 * held.mean / system.mean_demand
    found = exponential_counts.mean_response_time(system, rate, **effort)
    runs = {"jobs": effort["jobs"] // 32, "replications": 32, "seed": 7}
    other = fcfs.simulate(Workload.of(system, rate), **runs).mean_response_time
    assert abs(found.mean - other.mean) < Z * math.hypot(found.standard_error, other.standard_error)


def test_server_filling_is_the_exact_one():
    for i, row in enumerate(
        [
            (4, (1, 2, 4), (5.0, 2.0, 0.5), (0.4, 0.3, 0.3)),
            (12, (6, 1, 2), (1.0, 3.0, 0.4), (0.2, 0.5, 0.3)),
        ]
    ):
        system = MultiserverJobSystem.of(*row)
        rate = 0.8 * system.naive_throughput
        found = exponential_counts.mean_response_time(
            system, rate, filling=True, key=(i,), **EFFORT
        )
        exact = qbd.solve(finite_skip.blocks(ServerFilling(system), rate)).mean_jobs / rate
        assert abs(z_score(found, exact)) < Z


@pytest.mark.parametrize("filling", [False, True])
def test_runs_too_short_for_long_and_rare_jobs_have_no_interval(filling):
    """Most runs see few of the jobs that stop all others, and agree with each other: of 27 such
    intervals 16 held the mean."""
    system = MultiserverJobSystem.of(4, (1, 4), (1.0, 0.005), (0.999, 0.001))
    rate = 0.25 * system.naive_throughput
    effort = {"jobs": 20_000, "replications": 16, "filling": filling}
    for seed in range(20):
        found = exponential_counts.mean_response_time(system, rate, seed=seed, **effort)
        assert not found.settled and "too short" in found.caveat


def test_in_large_pools_runs_of_few_durations_have_no_interval():
    """A replication is worth 7.8 independent observations of the jobs in service. This run seems to
    be worth 11.3, as its error is too small by chance."""
    system = MultiserverJobSystem.of(300, (1,), (1.0,), (1.0,))
    found = exponential_counts.mean_response_time(
        system, 210.0, jobs=105_000, replications=32, seed=7
    )
    assert found.long_enough and not found.settled


def test_equal_arguments_give_equal_bits():
    system = MultiserverJobSystem.of(*SYSTEMS[0])
    first, again = (
        exponential_counts.mean_servers_held(system, jobs=4000, replications=4, seed=1)
        for _ in range(2)
    )
    assert first == again
    other = exponential_counts.mean_servers_held(
        system, jobs=4000, replications=4, seed=1, key=(1,)
    )
    assert other.mean != first.mean
    assert first.jobs == 4000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jobs": 0}, "jobs"),
        ({"replications": 1}, "replications"),
        ({"warm_up": 1.0}, "warm_up must lie"),
    ],
)
def test_bad_effort_is_an_error(change, message):
    effort = {"jobs": 1000, "replications": 2, "seed": 1} | change
    with pytest.raises(ValueError, match=message):
        exponential_counts.mean_servers_held(MultiserverJobSystem.of(*SYSTEMS[0]), **effort)


def test_what_cannot_be_simulated_is_an_error():
    system = MultiserverJobSystem.of(*SYSTEMS[0])
    for rate in (0.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="arrival_rate must be"):
            exponential_counts.mean_response_time(system, rate, **EFFORT)
    for row in (SYSTEMS[0], (4, (2, 2), (1.0, 2.0), (0.5, 0.5))):
        with pytest.raises(ValueError, match="needs must differ and divide"):
            exponential_counts.mean_response_time(
                MultiserverJobSystem.of(*row), 0.1, filling=True, **EFFORT
            )


def test_runs_that_would_hardly_end_are_refused():
    """A class is too rare to be seen, jobs stay while too many come, or too many are asked for."""
    endless = MultiserverJobSystem.of(400, (1, 4), (1.0, 1e-9), (1 - 1e-6, 1e-6))
    rare = MultiserverJobSystem.of(4, (1, 4), (1.0, 1.0), (1 - 1e-8, 1e-8))
    for system, jobs, message in (
        (endless, 1000, "have forgotten that they were empty"),
        (rare, 1000, "1e.09 jobs in a replication see the rarest class 10 times"),
        (MultiserverJobSystem.of(*SYSTEMS[0]), 4 * 10**8, "2e.08 jobs in a replication: more than"),
    ):
        with pytest.raises(ValueError, match=message):
            exponential_counts.mean_servers_held(system, jobs=jobs, replications=2, seed=1)


@pytest.mark.parametrize("filling", [False, True])
def test_a_queue_that_grows_is_refused(filling):
    """Needs 1 and 4 of 4 servers under FCFS, and ServerFilling beyond full load."""
    system = MultiserverJobSystem.of(4, (1, 4), (1.0, 0.5), (0.8, 0.2))
    limit = system.naive_throughput if filling else dispatch.solve(system).throughput
    effort = {"jobs": 200_000, "replications": 32, "seed": 5, "filling": filling}
    with pytest.raises(UnstableError, match="more a unit of time than complete") as caught:
        exponential_counts.mean_response_time(system, 1.1 * limit, **effort)
    if not filling:
        assert caught.value.limit == pytest.approx(limit, rel=0.03)
    assert not exponential_counts.mean_response_time(system, 0.8 * limit, **effort).caveat
