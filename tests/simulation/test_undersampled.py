"""Means that depend on a class of which a run has seen too few jobs have no intervals, and say why.

The verification suite and scores test that the remaining intervals hold. Here, runs whose intervals
once missed, for most seeds, have no intervals.
"""

from __future__ import annotations

import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms

ONE = ms.Exponential(rate=1.0)


def small_and_large(probability):
    """Jobs that need one of twenty servers, and some that need all."""
    return rigid(20, (1, ONE, 1 - probability), (20, ONE, probability))


def lacking(result):
    """Why each mean has no interval."""
    found = [result, *result.by_class]
    return [value.lacking for one in found for value in one.means.values()]


@pytest.mark.parametrize(
    "policy", [ms.NonpreemptiveMostServersFirst, ms.Quickswap(threshold=1)], ids=repr
)
def test_a_starved_class_takes_the_intervals_of_all(policy):
    """A few large jobs wait where three or more do on average, and keep no small job waiting."""
    found = small_and_large(0.001).under(policy).simulate(load=0.5, jobs=20_000, seed=1)
    assert all(lacking(found))
    assert "of the jobs in the system, and the run has seen too little of it" in str(found)


def test_under_first_fit_the_length_of_the_queue_says_so_beforehand():
    found = small_and_large(0.001).under(ms.FirstFit).simulate(load=0.5, jobs=20_000, seed=1)
    assert all(lacking(found))
    assert "by which means of replications have a skewness" in str(found)


def test_where_the_class_is_seen_often_enough_nothing_is_lost():
    queue = small_and_large(0.01).under(ms.NonpreemptiveMostServersFirst)
    found, exact = queue.simulate(load=0.3, jobs=400_000, seed=1), queue.exact(load=0.3)
    assert not any(lacking(found))
    # Each of the two misses by so much with a probability of 1e-6.
    assert abs(ms.z_score(found.mean_jobs, exact.mean_jobs)) < 5.3
    assert abs(ms.z_score(found.mean_response_time, exact.mean_response_time)) < 5.3


def test_a_class_that_is_rare_among_the_jobs_present_takes_nothing():
    found = small_and_large(0.001).under(ms.FCFS).simulate(load=0.3, jobs=200_000, seed=1)
    assert not found.mean_response_time.lacking
    assert found.by_class[1].mean_response_time.lacking


def test_classes_with_servers_of_their_own_keep_their_intervals():
    classes = [
        ms.JobClass(compatible={0}, probability=0.99, duration=ONE),
        ms.JobClass(compatible={1}, probability=0.01, duration=ONE),
    ]
    queue = ms.System((10.0, 0.1), classes).under(ms.FCFS)
    found = queue.simulate(fraction_of_limit=0.8, jobs=100_000, seed=0)
    assert not found.by_class[0].mean_response_time.lacking
    assert all(value.lacking for value in found.means.values())


@pytest.mark.parametrize("probability", [1e-9, 1e-5, 1e-3])
def test_a_rare_class_with_servers_of_its_own_spoils_no_control(probability):
    """Of one that is never seen the work in its own server hardly varied between replications, and
    corrected the times of all other jobs to three times what they are."""
    classes = [
        ms.JobClass(compatible={0, 1, 2}, probability=1 - probability, duration=ONE),
        ms.JobClass(compatible={3}, probability=probability, duration=ONE),
    ]
    queue = ms.System(4, classes).under(ms.FCFS)
    found, exact = queue.simulate(load=0.5, jobs=20_000, seed=2), queue.exact(load=0.5)
    often, seldom = (one.means for one in found.by_class)
    known = exact.by_class[0].mean_response_time
    # Missed by so much with a probability of 1e-6.
    assert abs(ms.z_score(often["mean_response_time"], known)) < 5.3
    seen = probability > 1e-6
    assert ("mean_response_time" in seldom) == ("mean_jobs" in seldom) == seen
    assert not seen or seldom["mean_jobs"].lacking


def test_a_queue_that_fills_slowly_is_not_called_unstable_below_a_known_limit():
    """Half of the servers at once hardly ever are idle: E[N] is 750, and a run starts empty."""
    queue = rigid(100, (1, ONE, 0.99), (50, ONE, 0.01)).under(ms.MaxWeight)
    found = queue.simulate(load=0.85, jobs=500_000, seed=1)
    assert found.arrival_rate < found.limit
    assert all(reason.startswith("the jobs in the system grew") for reason in lacking(found))


@pytest.mark.parametrize("load", [0.65, 0.75, 0.85])
def test_where_few_wait_waits_have_no_intervals(load):
    """Of M/M/100 they held the mean in 17, 44 and 53 of 60 runs; E[T] was held in nearly all."""
    queue = one_class(100, ONE).under(ms.FCFS)
    found = queue.simulate(load=load, jobs=200_000, seed=1, times=True)
    assert found.mean_waiting.lacking and found.means["mean_waiting_time"].lacking
    assert not found.mean_response_time.lacking
    assert found.tail(99).lacking or load > 0.8
    assert found.distribution.response_time.sf(12.0).lacking
    assert not found.distribution.response_time.sf(1.0).lacking


@pytest.mark.parametrize("load", [0.01, 0.5])
def test_where_many_wait_they_have(load):
    queue = one_class(1, ONE).under(ms.FCFS)
    found = queue.simulate(load=load, jobs=20_000, seed=1)
    assert not any(lacking(found))
    assert bool(found.tail(0).lacking) == (load == 0.01)


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e3, 0.3])
def test_response_times_that_differ_by_rounding_alone_are_not_too_few(unit):
    """Small jobs of one duration never wait; whether the run settled was read off the clock's
    rounding, and so depended on the unit of time."""
    durations = ms.Bimodal((0.7 * unit, 2.1 * unit), (0.7, 0.3)), ms.Deterministic(0.7721 * unit)
    rows = zip((6, 12, 1), (durations[0], *durations), (0.3, 0.35, 0.35), strict=True)
    queue = rigid(12, *rows).under(ms.LeastServersFirst)
    result = queue.simulate(load=0.016, jobs=60_000, seed=1)
    assert not result.mean_jobs.lacking and not result.by_class[2].mean_response_time.lacking
    assert result.by_class[2].mean_response_time.mean == pytest.approx(0.7721 * unit, rel=1e-11)
