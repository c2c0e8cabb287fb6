"""M/M/k: Erlang's B against many digits, numbers against fronts with phases, times by every route,
and policies that are FCFS for equal needs against their own methods and job by job."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.errors import UnstableError
from multiserver.open import age_process, fcfs_levels
from multiserver.open.erlang import MMk, erlang_b
from multiserver.open.uniformized_waiting import uniformized_waiting
from multiserver.open.waiting_distribution import waiting_distribution
from multiserver.phased import PhasedJobs
from multiserver.policies.phase_type import phased_jobs
from multiserver.simulation import single_server
from multiserver.sizes import Exponential

from .references import close, erlang_c

PREEMPTIVE = (
    ms.MostServersFirst,
    ms.LeastServersFirst,
    ms.PreemptiveFirstFit,
    ms.ServerFilling,
    ms.ServerFillingDivisible,
)
NONPREEMPTIVE = (
    ms.FirstFit,
    ms.NonpreemptiveMostServersFirst,
    ms.EasyBackfilling(overestimate=2.0),
    ms.ConservativeBackfilling,
)


def system(servers, need, *rates):
    return rigid(servers, *((need, mu, 1 / len(rates)) for mu in rates))


@pytest.mark.parametrize(
    ("servers", "traffic"), [(1, 0.3), (10, 0.001), (10, 9.99), (1_000, 990.0), (5_000, 4_999.9)]
)
def test_losses_against_many_digits(servers, traffic):
    with mpmath.workdps(50):
        inverse = mpmath.mpf(1)
        for j in range(1, servers + 1):
            inverse = 1 + inverse * j / mpmath.mpf(traffic)
        assert erlang_b(servers, traffic) == close(float(1 / inverse), 1e-14)


def test_waits_of_a_million_servers_and_none_of_idle_ones():
    for load in (0.99, 0.999, 1 - 1e-6):
        found = MMk.of(10**6, 1.0, load * 1e6).p_wait
        # ln Γ(k + 1) is 1.3e7, of which rounding leaves nine digits.
        assert found == close(single_server.erlang_c(1e6, load * 1e6), 1e-8)
    found = system(500, 1, 2.0).under(ms.FCFS).distribution(load=0.01)
    assert found.waiting_time.at_zero == 1
    assert found.waiting_time.quantile([0.5, 0.999]).tolist() == [0, 0]
    assert found.response_time.moment(2) == close(0.5, 1e-14)
    assert found.response_time.sf([0.0, 3.0]).tolist() == close([1.0, np.exp(-6)], 1e-14)
    with pytest.raises(UnstableError):
        MMk.of(3, 2.0, 6.0)


@pytest.mark.parametrize(
    ("servers", "need", "load", "mu"),
    [(1, 1, 0.5, 1.0), (5, 1, 0.8, 1.0), (9, 2, 0.99, 0.3), (30, 1, 0.6, 2.0), (30, 1, 0.999, 2.0)],
)
def test_numbers_against_fronts(servers, need, load, mu):
    jobs, k = system(servers, need, mu, mu), servers // need
    queue = MMk.of(k, mu, load * k * mu)
    fronts = age_process.prepare(phased_jobs(jobs)).at(load * k * mu)
    assert queue.waiting_time == close(fronts.mean_response_time - 1 / mu, 1e-10)
    assert [queue.tail(j) for j in range(-2, 60)] == close(
        [fronts.tail(j) for j in range(-2, 60)], 1e-11
    )


def by_steps(jobs, rate):
    return uniformized_waiting(fcfs_levels.prepare(jobs).at(rate, tails=True))


ROUTES = {
    "closed form": (lambda jobs, rate: MMk.of(jobs.servers, 2.0, rate).times(2), 1e-12),
    "fronts": (lambda jobs, rate: waiting_distribution(age_process.prepare(jobs).at(rate)), 1e-11),
    "steps": (by_steps, 1e-10),
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("servers", [1, 2, 7, 30])
@pytest.mark.parametrize("load", [1e-6, 1e-3, 0.3, 0.98, 0.999])
def test_times_by_every_route(servers, load, route):
    """P(W > t) = C e^{−(cμ − λ)t}, C of Erlang, and T = W + X (A. K. Erlang, 1917), whatever the
    class."""
    rate, jobs = 2.0, PhasedJobs.of(servers, (1, 1), (Exponential(2.0),) * 2, (0.4, 0.6))
    take, digits = ROUTES[route]
    found = take(jobs, load * servers * rate)
    waits, gap = erlang_c(servers, servers * load), servers * rate * (1 - load)
    times = np.array([0.0, 1e-6, 0.01, 0.3, 1.0, 4.0, 20.0])
    survival = found.survival(times)
    wait = waits * np.exp(-gap * times)
    seen = wait > 1e-18 * waits
    assert found.at_once[:3] == close([1 - waits] * 3, digits, abs=1e-14)
    p = np.array([0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999])
    quantiles = np.maximum(np.log(waits / (1 - p)) / gap, 0.0)
    for column in range(3):
        assert survival[seen, column] == close(wait[seen], digits)
        assert found.quantiles(1 - p, np.full(len(p), column)) == close(quantiles, 10 * digits)
    for k in (1, 2, 3):
        moment = math.factorial(k) * waits / gap**k
        assert found.moments(k)[:3] == close([moment] * 3, 10 * digits)
    if abs(gap - rate) > 1e-9:
        both = (np.exp(-gap * times) - np.exp(-rate * times)) / (rate - gap)
        response = np.exp(-rate * times) + waits * rate * both
        # The closed form itself cancels where the two rates are near each other.
        for column in range(3, 6):
            assert survival[:, column] == close(response, digits, abs=1e-14)


@pytest.mark.parametrize("policy", [*PREEMPTIVE, *NONPREEMPTIVE], ids=repr)
def test_equal_needs_are_served_in_order(policy):
    """Job by job, as the simulators draw the same jobs; so means and times are those of FCFS."""
    queue = system(6, 2, 1.0, 0.25).under(policy)
    fcfs = queue.system.under(ms.FCFS)
    effort = {"load": 0.8, "jobs": 4000, "seed": 3, "replications": 2, "times": True}
    mine, theirs = (q.simulate(**effort).distribution.response_time.times for q in (queue, fcfs))
    np.testing.assert_allclose(mine.responses, theirs.responses, rtol=1e-9)
    np.testing.assert_array_equal(mine.services, theirs.services)
    assert queue.stability().limit == fcfs.stability().limit
    assert queue.exact(load=0.8).by_class == fcfs.exact(load=0.8).by_class
    waits = [q.distribution(load=0.8).waiting_time.quantile(0.99) for q in (queue, fcfs)]
    assert waits[0] == waits[1] > 0


@pytest.mark.parametrize("policy", [*PREEMPTIVE, ms.MaxWeight, ms.MaxWeight(ties="smaller")])
def test_one_class_by_every_method(policy):
    jobs = system(6, 2, 0.5)
    rate, options = 0.8 * 3 * 0.5, policy.options
    times = [
        method.answer(jobs, **options)(rate).times
        for method in policy.of("multiserver-jobs", "exact")
        if not method.unmet_conditions(jobs) and not method.iterates
    ]
    assert len(times) >= 3
    assert times == close([MMk.of(3, 0.5, rate).waiting_time + 2] * len(times), 1e-9)


@pytest.mark.parametrize("rate", [0.1, 0.3, 3.0, 7.0, 10.0, 60.0, 1 / 3600, 1 / 7])
def test_quantiles_where_no_job_waits_are_those_of_the_duration(rate):
    """The root is the lower end of its bracket, which rounding must not leave out."""
    queue = MMk.of(200, rate, 40 * rate)
    levels = np.linspace(0.001, 0.999, 400)
    found = queue.times(1).quantiles(levels, np.full(400, 2))
    assert found == pytest.approx(-np.log(levels) / rate, rel=1e-13)


def test_moments_beyond_floats_are_refused():
    time = system(2, 1, 1.0).under(ms.FCFS).distribution(load=0.5).response_time
    assert time.moment(2) > 0
    with pytest.raises(ms.TooLargeError, match="larger than any float"):
        time.moment(200)
