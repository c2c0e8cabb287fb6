"""A single server as a control: its work by another recursion, and what it is on average.

z-scores are asserted to lie within ±Z. P(|z| > 6) = 2e-9; over the fewer than 60 comparisons of
this file the chance of a false alarm is below 2e-7.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.rigid_jobs import rigid
from tests.simulation.workloads import workload_at

import multiserver as ms
from multiserver.simulation import class_policies, class_queues, front, front_policies
from multiserver.simulation.cluster import Cluster, ParallelClass
from multiserver.simulation.estimate import z_score
from multiserver.simulation.pooled_server import COLUMNS, COUNTED, FOUND_WORK, arrive, mean_work
from multiserver.simulation.workload import Workload
from multiserver.sizes import Deterministic, Hyperexponential, Pareto

from ..theory.figure_systems import FIGURE_6
from ..theory.references import close

Z = 6.0
BURSTY = Hyperexponential((0.2, 5), (1 / 6, 5 / 6))


def test_the_work_is_all_that_came_less_all_that_could_be_done_since_some_moment():
    """V = max over s of (work that came from s on − C (t − s)): the reflection, not Lindley's step
    by step."""
    rng, capacity = np.random.default_rng(1), 2.5
    times, work = np.cumsum(rng.exponential(size=300)), rng.exponential(2.0, 300)
    server = np.zeros(COLUMNS)
    for i, (t, w) in enumerate(zip(times, work, strict=True)):
        arrive(server, capacity, t, w, i >= 100)
    came = np.concatenate([[0.0], np.cumsum(work)])[:-1]
    net = came - capacity * times
    found = (net - np.minimum.accumulate(np.minimum(net, 0.0)))[100:]
    assert server[FOUND_WORK] == close(found.sum(), rel=1e-11)
    assert server[COUNTED] == 200


def test_mean_work_is_that_of_the_queue_of_one_server():
    """M/M/1 has ρ/(μ − λ); without a variance, or without room, the mean is infinite."""
    assert mean_work(0.7, 1.0, 2.0, 1.0) == close(0.7 / 0.3, rel=1e-15)
    assert mean_work(0.7, 1.0, np.inf, 1.0) == np.inf
    assert mean_work(1.0, 1.0, 2.0, 1.0) == mean_work(2.0, 1.0, 2.0, 1.0) == np.inf


def jobs_at(load):
    return Workload.of(FIGURE_6, load * FIGURE_6.naive_throughput)


@pytest.mark.parametrize("load", [0.3, 0.9])
def test_what_many_servers_do_follows_from_what_one_does(load):
    """ServerFilling against its exact means, with errors of which the plain ones are many times
    as large: at least 3, and 30 at load 0.9."""
    rows = zip(FIGURE_6.needs, FIGURE_6.rates, FIGURE_6.probabilities, strict=True)
    work, exact = jobs_at(load), rigid(4, *rows).under(ms.ServerFilling).exact(load=load)
    effort = {"jobs": 20_000, "replications": 32, "seed": 4}
    found = front.simulate(work, front_policies.server_filling(work), **effort)
    plain = replace(found, controls=found.controls[:, :0])
    for c in range(3):
        known = exact.by_class[c].mean_response_time
        assert abs(z_score(found.class_response_time(c), known)) < Z
    assert abs(z_score(found.mean_response_time, exact.mean_response_time)) < Z
    assert abs(z_score(plain.mean_response_time, exact.mean_response_time)) < Z
    wide, narrow = plain.mean_response_time, found.mean_response_time
    assert wide.standard_error > (30 if load == 0.9 else 3) * narrow.standard_error
    assert wide.effective_size == narrow.effective_size


def test_both_engines_count_the_same_server():
    """The same jobs come to it under every policy, and to capacity 1 as to 4 servers."""
    work = jobs_at(0.8)
    effort = {"jobs": 3000, "replications": 3, "seed": 5}
    one = front.simulate(work, front_policies.server_filling(work), **effort).controls
    policy = class_policies.most_servers_first
    two = class_queues.simulate(work, policy, **effort).controls
    assert one.shape == (3, 2)
    np.testing.assert_allclose(two, one, rtol=1e-9)


def test_needs_of_which_the_square_is_no_integer_of_64_bits_have_the_same_controls():
    """The same jobs in a unit of 2^32 servers."""
    found = []
    for k in (1, 2**32):
        work = Workload(4 * k, (k, 2 * k), (ms.Exponential(rate=1.0),) * 2, (0.5, 0.5), 1.6)
        policy = front_policies.server_filling(work)
        run = front.simulate(work, policy, jobs=4000, replications=32, seed=5)
        found.append(run.mean_response_time)
    assert found[0].controls > 0
    assert found[1].controls == found[0].controls
    assert found[1].mean == close(found[0].mean, rel=1e-12)


def test_sizes_without_a_variance_take_no_controls():
    """However many the jobs, few bring most of the work's variance."""
    work = Workload(2, (1,), (Pareto(shape=1.8, scale=1.0),), (1.0,), 0.3)
    effort = {"jobs": 5000, "replications": 10, "seed": 6}
    found = front.simulate(work, front_policies.server_filling(work), **effort)
    assert found.controls.shape == (10, 0)
    assert found.mean_response_time.controls == 0


def test_a_short_run_of_more_work_than_can_be_done_has_no_such_control():
    work = jobs_at(1.035)
    effort = {"jobs": 1500, "replications": 10, "seed": 6}
    found = front.simulate(work, front_policies.server_filling(work), **effort)
    assert found.controls.shape == (10, 1)


def test_a_cluster_has_the_pools_of_which_the_work_has_a_mean():
    """All classes, and those of their own sets; not random sets, overloaded ones or one class
    twice."""
    fixed = ParallelClass(0.5, BURSTY, (0, 1)), ParallelClass(0.9, BURSTY, (1,))
    assert [p.classes for p in Cluster((1, 1), fixed, 1.0).pools] == [
        (True, True),
        (True, False),
        (False, True),
    ]
    assert [p.capacity for p in Cluster((1, 1), fixed, 1.0).pools] == [2, 2, 1]
    overloaded = fixed[0], ParallelClass(1.1, BURSTY, (1,))
    assert len(Cluster((1, 1), overloaded, 1.0).pools) == 2
    assert len(Cluster((1, 1), (ParallelClass(0.5, BURSTY, (0, 1)),), 1.0).pools) == 1
    assert len(Cluster((1,) * 9, (ParallelClass(0.5, BURSTY, 2),), 1.0).pools) == 1
    endless = (ParallelClass(0.2, Pareto(shape=1.8, scale=1.0), (0,)),)
    assert Cluster((1,), endless, 1.0).pools == ()
    assert fixed[1].arrival_rate * BURSTY.second_moment / (2 * 0.1) == close(
        Cluster((1, 1), fixed, 1.0).pools[2].mean_work, rel=1e-12
    )


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_constant_requirements_leave_the_other_controls(unit):
    """In a unit in which sums of durations are rounded as in one in which they are not: the
    rounding of their total, which is no control, would be far from its average of 0."""
    sizes = Deterministic(unit), Deterministic(3 * unit)
    work = workload_at(0.9, 8, (1, 8), sizes, (0.7, 0.3))
    policy = front_policies.server_filling(work)
    found = front.simulate(work, policy, jobs=10_000, replications=32, seed=1).mean_response_time
    assert found.controls == 2 and found.gain > 100
