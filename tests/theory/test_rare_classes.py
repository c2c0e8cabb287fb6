"""A job of a very rare class waits like a single job added to a queue without that class. The exact
routes to E[T_c] are tested against M/M/n in closed form and against each other."""

from __future__ import annotations

import math

import pytest

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, fcfs_levels, multiserver_jobs, one_or_n
from multiserver.phased import PhasedJobs
from multiserver.sizes import Exponential, Hyperexponential

from .references import close


def added(n, need, load):
    """The mean wait for `need` of n servers of a job that is added to M/M/n, services of mean 1:
    all before it start, and then others leave until so many are idle."""
    offered = n * load
    distribution = [1.0]
    for k in range(1, n):
        distribution.append(distribution[-1] * offered / k)
    queue = distribution[-1] * load / (1 - load)
    leaves = [0.0] * (n - need + 1)
    for k in range(n - need + 1, n + 1):
        leaves.append(leaves[-1] + 1 / k)
    # Of N ≥ n jobs N − n leave at intervals of mean 1/n first, geometrically many.
    beyond = leaves[n] + load / (1 - load) / n
    below = math.fsum(p * t for p, t in zip(distribution, leaves, strict=False))
    return (below + queue * beyond) / (math.fsum(distribution) + queue)


@pytest.mark.parametrize("load", [0.3, 0.8, 0.99])
@pytest.mark.parametrize(("n", "need"), [(8, 6), (5, 5), (9, 2)])
def test_every_route_against_a_job_that_is_added(n, need, load):
    p = 1e-13
    system = MultiserverJobSystem.of(n, (1, need), (1.0, 1e4), (1 - p, p))
    jobs, rate = PhasedJobs.exponential(system), load * n
    expected = added(n, need, load) + 1e-4
    by_age, swept = age_process.prepare(jobs).at(rate), fcfs_levels.prepare(jobs).at(rate)
    assert by_age.class_response_times[1] == close(expected, 1e-10)
    assert swept.class_response_times[1] == close(expected, 1e-10)
    found = by_class.response_times(multiserver_jobs.prepare(system), rate)
    assert found[1] == close(expected, 1e-10)


@pytest.mark.parametrize("p", [1e-6, 1e-8, 1e-13])
def test_the_front_door_takes_a_route_that_keeps_the_digits(p):
    """Needs 1 and n, where the age of a large job, asked first, has 2e-7 for p_n of 1e-8."""
    n, load = 30, 0.8
    durations, q = (ms.Exponential(rate=1.0), ms.Erlang(stages=2, rate=1e4)), (1 - p, p)
    rows = zip((1, n), durations, q, strict=True)
    classes = [ms.JobClass(need=v, duration=X, probability=x) for v, X, x in rows]
    found = ms.System(servers=n, classes=classes).under(ms.FCFS).exact(arrival_rate=load * n)
    times = [c.mean_response_time for c in found.by_class]
    # Of the time that large jobs take themselves, a millionth of the others', the mean is enough.
    system = MultiserverJobSystem.of(n, (1, n), (1.0, 5e3), q)
    expected = by_class.response_times(multiserver_jobs.prepare(system), load * n)
    assert times == close(expected, 1e-9)
    # What large jobs change themselves is of the order of how many come.
    assert times[1] == close(added(n, n, load) + 2e-4, 1e-10 + 1e4 * p)
    assert "good to" not in found.method
    assert "age of a large job" not in found.method


def test_extreme_rates_and_a_rare_class():
    """The routes agree where the mass of fronts in which a rare job blocks has five digits."""
    durations = (
        Hyperexponential((0.0095, 0.00044), (0.99, 0.01)),
        Hyperexponential((5541.0, 20877.0), (0.5, 0.5)),
    )
    p = 1 - 1e-9, 1e-9
    jobs = PhasedJobs.of(8, (1, 6), durations, p)
    mean = sum(x * v * X.mean for x, v, X in zip(p, (1, 6), durations, strict=True))
    rate = 0.8 * 8 / mean
    distribution, swept = age_process.prepare(jobs).at(rate), fcfs_levels.prepare(jobs).at(rate)
    assert swept.class_response_times == close(distribution.class_response_times, 1e-11)
    parts = [x * q for x, X in zip(p, durations, strict=True) for q in X.probabilities]
    rates = [r for X in durations for r in X.rates]
    system = MultiserverJobSystem.of(8, (1, 1, 6, 6), rates, parts)
    times = by_class.response_times(multiserver_jobs.prepare(system), rate)
    assert times[2:] @ [0.5, 0.5] == close(distribution.class_response_times[1], 1e-9)
    assert times[:2] @ [0.99, 0.01] == close(distribution.class_response_times[0], 1e-9)


def test_the_age_of_a_large_job_says_how_good_it_is():
    for q in (1e-2, 1e-5, 1e-7):
        distribution = one_or_n.solve(8, 1.0, Exponential(2.0), (1 - q, q), 5.0)
        jobs = PhasedJobs.of(8, (1, 8), (Exponential(1.0), Exponential(2.0)), (1 - q, q))
        expected = age_process.prepare(jobs).at(5.0).class_response_times
        assert distribution.class_response_times == close(
            expected, 10 * distribution.imprecision + 1e-11
        )
