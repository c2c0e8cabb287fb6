"""A job of a very rare class waits like a single job added to a queue without that class. The exact
routes to E[T_c] are tested against M/M/n in closed form and against each other."""

from __future__ import annotations

import math

import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from atlas.enumeration import counts
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, fcfs_levels, multiserver_jobs, one_or_n
from multiserver.phased import PhasedJobs
from multiserver.sizes import Exponential, Hyperexponential

from .count_chains import front_door
from .references import close
from .second_route import jobs_of


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
    described = rigid(n, (1, 1.0, 1 - p), (n, ms.Erlang(stages=2, rate=1e4), p))
    found = described.under(ms.FCFS).exact(arrival_rate=load * n)
    times = [c.mean_response_time for c in found.by_class]
    # Of the time that large jobs take themselves, a millionth of the others', the mean is enough.
    system = MultiserverJobSystem.of(n, (1, n), (1.0, 5e3), (1 - p, p))
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


RARE = MultiserverJobSystem.of(7, (1, 2), (0.36, 3.3), (1 - 3e-5, 3e-5))
ALONE = MultiserverJobSystem.of(7, (3, 4, 7), (0.33, 2.6, 0.73), (0.78, 4e-6, 0.22 - 4e-6))


@pytest.mark.parametrize(
    ("policy", "taken", "system", "rate"),
    [
        (ms.LeastServersFirst, counts.smallest_first, RARE, 0.5),
        (ms.MostServersFirst, counts.largest_first, RARE, 0.5),
        (ms.LeastServersFirst, counts.smallest_first, ALONE, 0.15),
    ],
    ids=["least", "most", "served alone"],
)
def test_a_rare_class_of_chains_has_its_digits(policy, taken, system, rate):
    """At worst it has an error of 2e-8 of its own E[N_c]; relative to E[N], it would be 1e-9."""
    found = front_door(system).under(policy).exact(arrival_rate=rate)
    exact = counts.means(taken, jobs_of(system), rate)
    assert [row.mean_jobs for row in found.by_class] == close([*exact.class_jobs], 5e-9)
    assert found.mean_jobs == close(exact.jobs, 1e-9)


@pytest.mark.parametrize("policy", [ms.LeastServersFirst, ms.MostServersFirst, ms.MaxWeight])
def test_small_probabilities_of_chains_have_their_digits(policy):
    system = MultiserverJobSystem.of(20, (20, 16), (1.12, 1.0), (0.19, 0.81))
    taken = counts.max_weight() if policy is ms.MaxWeight else counts.ORDERS[policy.name]
    found = front_door(system).under(policy).exact(arrival_rate=0.05)
    exact = counts.means(taken, jobs_of(system), 0.05)
    for k in (3, 6):
        assert found.tail(k) == close(exact.tail(k), 1e-6)


@pytest.mark.parametrize("load", [1e-40, 1e-4, 0.01, 0.1])
def test_jobs_that_hardly_ever_wait(load):
    """M/M/12 in closed form and by fronts, and no digit lost by class."""
    phase = ms.PhaseType(initial=(1.0,), generator=((-1.0,),))
    found, known = (
        one_class(12, X).under(ms.FCFS).exact(load=load) for X in (phase, Exponential(1.0))
    )
    assert found.mean_waiting_time == close(known.mean_waiting_time, 1e-10)
    assert found.tail(11) == close(known.tail(11), 1e-10)
    for result in (found, known):
        assert result.by_class[0].mean_waiting_time == close(result.mean_waiting_time, 1e-10)


def test_rates_beside_which_arrivals_are_lost():
    queue = one_class(6, ms.Erlang(2, 2.0)).under(ms.FCFS)
    for load in (1e-30, 1e-4):
        wait = queue.distribution(load=load).waiting_time.mean
        assert 0 < queue.exact(load=load).mean_waiting_time == close(wait, 1e-10)


def test_far_times_are_those_of_quantiles():
    """Rates nine decades apart near λ*: a time has more steps than a float has digits."""
    queue = front_door(MultiserverJobSystem.of(2, (1, 2), (1e6, 1e-3), (0.5, 0.5))).under(ms.FCFS)
    wait = queue.distribution(fraction_of_limit=1 - 1e-6).waiting_time
    time = wait.quantile(0.99)
    assert wait.sf(time) == close(0.01, 1e-9)
    assert wait.sf(10 * time) == close(1.000009e-20, 1e-6)


@pytest.mark.parametrize("policy", [ms.ServerFilling, ms.ServerFillingDivisible])
@pytest.mark.parametrize("load", [0.1, 0.7, 0.99])
def test_a_rare_small_job_under_server_filling_goes_last(policy, load):
    """Beside jobs of need n it is served while none is present: a priority in M/M/1."""
    p = 1e-14
    queue = rigid(3, (1, ms.Exponential(0.5), p), (3, ms.Exponential(1.5), 1 - p)).under(policy)
    small, large = (c.mean_response_time for c in queue.exact(load=load).by_class)
    assert large == close(1 / 1.5 / (1 - load), 1e-10)
    assert small == close(2 / (1 - load) + load / 1.5 / (1 - load) ** 2, 1e-10)


def test_a_rare_job_of_threshold_1_waits_for_the_work_it_finds():
    """Beside jobs that use all servers, which are M/G/1; it then has a server of its own."""
    p, load = 1e-12, 0.7
    rare = ms.Hyperexponential(rates=(0.05, 25.0), probabilities=(0.001, 0.999))
    often = ms.Hyperexponential(rates=(7.0, 0.5), probabilities=(0.5, 0.5))
    classes = (1, rare, p), (4, often, 1 - p)
    jobs = [ms.JobClass(threshold=v, duration=X, probability=q) for v, X, q in classes]
    found = ms.System(4, jobs).under(ms.FCFS).exact(load=load).by_class[0].mean_response_time
    wait = load * often.second_moment / often.mean / 2 / (1 - load)
    assert found == close(wait + rare.mean, 1e-10)


def test_where_digits_are_lost_the_result_says_how_many():
    """One job in 3e8 takes 3e7 times as long as the others, which pile up for as long: the spread
    of the same means in other units of time shows the error."""
    rates, p = (91.4, 2.76e-6), 3.26e-9
    found = []
    for unit in (1.0, 1.3, 3.7, 1e9):
        large, small = (ms.Exponential(rate * unit) for rate in rates)
        queue = rigid(3, (3, large, 1 - p), (1, small, p)).under(ms.ServerFillingDivisible)
        found.append(queue.exact(load=0.9))
    jobs = [one.mean_jobs for one in found]
    stated = [float(one.method.rsplit(" ", 1)[1]) for one in found if "good to" in one.method]
    assert max(jobs) / min(jobs) - 1 <= 10 * max(stated, default=1e-9)
    assert max(jobs) / min(jobs) - 1 <= 1e-7
