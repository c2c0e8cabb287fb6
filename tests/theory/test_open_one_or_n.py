"""The open system of needs 1 and n by the age of a large job: against chains with the
number of jobs as level, all fronts, interpolated fronts, and Pollaczek and Khinchine."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.errors import NotKnownError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, multiserver_jobs, one_or_n, qbd
from multiserver.open.numbers_of_jobs import numbers_of_jobs
from multiserver.phase_type import coxian
from multiserver.phased import PhasedJobs
from multiserver.saturated import one_or_n as saturated
from multiserver.sizes import Deterministic, Erlang, Exponential, Hyperexponential

from .references import close


def by_number(n, mu, q, fraction):
    """E[T_1] and E[T_n] by the number of jobs, and the distribution."""
    system = MultiserverJobSystem.of(n, (1, n), mu, (1 - q, q))
    blocks = multiserver_jobs.prepare(system)
    rate = fraction * saturated.one_or_n(n, q, *mu).throughput
    expected = by_class.of_distribution(blocks, qbd.solve(blocks.at(rate)))
    return expected, one_or_n.solve(n, mu[0], Exponential(mu[1]), (1 - q, q), rate)


@pytest.mark.parametrize("fraction", [0.1, 0.9, 0.99])
@pytest.mark.parametrize(("n", "q"), [(2, 0.5), (3, 1e-4), (10, 0.1), (40, 0.02), (70, 1e-3)])
def test_against_the_number_of_jobs(n, q, fraction):
    expected, distribution = by_number(n, (1.0, 0.5), q, fraction)
    assert distribution.class_response_times == close(expected, 1e-11)
    assert distribution.residual < 1e-12


@pytest.mark.parametrize(("decades", "accuracy"), [(6, 1e-10), (12, 1e-9)])
def test_over_decades_of_rates_and_probabilities(decades, accuracy):
    worst, rng = 0.0, np.random.default_rng(decades)
    for _ in range(12):
        n = int(rng.choice([2, 3, 5, 10, 20]))
        mu = tuple(10 ** rng.uniform(-decades / 2, decades / 2, 2))
        q = 0.9 * 10 ** rng.uniform(-decades / 2, 0)
        expected, distribution = by_number(n, mu, q, rng.choice([0.1, 0.5, 0.9]))
        worst = max(worst, abs(distribution.class_response_times / expected - 1).max())
    assert worst < accuracy


@pytest.mark.parametrize(
    ("n", "large", "q", "fraction"),
    [
        (5, Erlang(3, 1.5), 0.2, 0.9),
        (8, coxian((2.0, 1.0), (0.5,)), 0.5, 0.98),
        (40, Erlang(4, 0.1), 0.02, 0.9),
        (30, Hyperexponential((2.0, 0.05), (0.9, 0.1)), 0.05, 0.7),
    ],
)
def test_phases_of_large_jobs_against_the_age_of_the_head(n, large, q, fraction):
    p, small = 1 - q, Exponential(0.5)
    process = age_process.prepare(PhasedJobs.of(n, (1, n), (small, large), (p, q)))
    other = process.at(fraction * process.limit)
    distribution = one_or_n.solve(n, small.rate, large, (p, q), other.arrival_rate)
    assert distribution.class_response_times == close(other.class_response_times, 1e-11)
    assert distribution.mean_response_time == close(other.mean_response_time, 1e-11)
    assert distribution.mean_waiting == close(other.mean_waiting, 1e-11)
    assert distribution.blocking * distribution.arrival_rate * q == close(other.blocking[1], 1e-11)
    numbers = 0, 1, n, 4 * n, 400
    assert [distribution.tail(k) for k in numbers] == close(
        [other.tail(k) for k in numbers], 0, abs=1e-13
    )
    # Tails end geometrically; where the next rate is near, only from far on.
    ratio = other.tail(400) / other.tail(399)
    assert distribution.decay_rate == close(ratio, 1e-8 if n < 10 else 1e-3)


def test_numbers_of_jobs_of_exponential_durations():
    """Against the chain whose level they are; all of them are there, and λ E[T] on average."""
    for n, q, fraction in ((2, 0.4, 0.9), (3, 1e-3, 0.95), (30, 0.03, 0.6)):
        system = MultiserverJobSystem.of(n, (1, n), (1.0, 0.5), (1 - q, q))
        blocks = multiserver_jobs.prepare(system)
        rate = fraction * blocks.throughput
        expected = qbd.solve(blocks.at(rate))
        distribution = one_or_n.solve(n, 1.0, Exponential(0.5), (1 - q, q), rate)
        numbers = numbers_of_jobs(distribution.system, distribution.solution, 1500)
        assert numbers == close(expected.level_probability(np.arange(1501)), 0, abs=1e-13)
        assert numbers.sum() == close(1, 1e-12)
        assert numbers @ np.arange(1501) == close(rate * distribution.mean_response_time, 1e-10)


def test_numbers_of_jobs_at_many_servers_are_as_many_as_littles_law_says():
    n, q = 500, 1 / 500
    rate = 0.5 * saturated.one_or_n(n, q, 1.0, 0.5).throughput
    distribution = one_or_n.solve(n, 1.0, Exponential(0.5), (1 - q, q), rate)
    numbers = numbers_of_jobs(distribution.system, distribution.solution, 5000)
    assert numbers.min() > -1e-15
    assert numbers.sum() == close(1, 1e-11)
    assert numbers @ np.arange(5001) == close(rate * distribution.mean_response_time, 1e-9)


@pytest.mark.parametrize(
    ("n", "q", "accuracy"),
    [
        (10**4, 1e-4, 2e-11),
        (10**4, 1e-2, 2e-11),
        (10**6, 1e-3, 1e-10),
        pytest.param(10**5, 1e-5, 5e-10, marks=pytest.mark.verification),
        pytest.param(10**6, 1e-6, 5e-10, marks=pytest.mark.verification),
    ],
)
def test_against_interpolated_fronts_of_many_servers(n, q, accuracy):
    jobs = PhasedJobs.exponential(MultiserverJobSystem.of(n, (1, n), (1.0, 0.5), (1 - q, q)))
    process = age_process.interpolate(jobs)
    other = process.at(0.9 * process.limit)
    distribution = one_or_n.solve(n, 1.0, Exponential(0.5), (1 - q, q), other.arrival_rate)
    assert distribution.residual < 1e-12
    assert distribution.class_response_times == close(other.class_response_times, accuracy)


def test_hardly_any_small_jobs_are_the_queue_of_pollaczek_and_khinchine():
    large = Erlang(3, 2.0)
    for load in (0.01, 0.5, 0.99):
        rate = load / large.mean
        distribution = one_or_n.solve(7, 1.0, large, (1e-15, 1.0), rate)
        wait = rate * large.second_moment / (2 * (1 - load))
        assert distribution.class_response_times == close([1 + wait, large.mean + wait], 1e-12)


def test_what_it_cannot_do_it_says():
    with pytest.raises(UnstableError, match="must be below"):
        one_or_n.solve(5, 1.0, Exponential(1.0), (0.5, 0.5), 10.0)


NEAR = [(300, 0.1, 0.5), (5000, 1e-5, 0.5), (52, 3.7e-5, 3.1), (2, 1e-7, 0.05), (20, 1e-7, 1.0)]


@pytest.mark.parametrize("gap", [1e-4, 1e-6])
@pytest.mark.parametrize(("n", "q", "mu"), NEAR)
def test_near_the_limit_it_states_the_digits_that_are_left(n, q, mu, gap):
    large = Exponential(mu)
    process = age_process.prepare(PhasedJobs.of(n, (1, n), (Exponential(1.0), large), (1 - q, q)))
    rate = (1 - gap) * process.limit
    found, other = one_or_n.solve(n, 1.0, large, (1 - q, q), rate), process.at(rate)
    error = abs(found.class_response_times / other.class_response_times - 1).max()
    assert error < 10 * (found.imprecision + other.imprecision)
    assert found.imprecision < 3e4 * np.finfo(float).eps / gap


def test_if_it_lacks_nine_digits_the_front_door_asks_for_more():
    queue = rigid(5000, (1, 1.0, 1 - 1e-5), (5000, 0.5, 1e-5)).under(ms.FCFS)
    found = queue.exact(fraction_of_limit=0.9999)
    times = [one.mean_response_time for one in found.by_class]
    jobs = PhasedJobs.of(5000, (1, 5000), (Exponential(1.0), Exponential(0.5)), (1 - 1e-5, 1e-5))
    expected = age_process.prepare(jobs).at(found.arrival_rate)
    assert times == close(expected.class_response_times, 1e-9)


def test_nearer_still_it_says_why_it_cannot():
    process = age_process.prepare(PhasedJobs.of(30, (1, 30), 2 * (Exponential(1.0),), (0.9, 0.1)))
    rate = (1 - 1e-15) * process.limit
    with pytest.raises(NotKnownError, match="so near λ\\*"):
        one_or_n.solve(30, 1.0, Exponential(1.0), (0.9, 0.1), rate)
    with pytest.raises(NotKnownError, match="so near λ\\*"):
        process.at(rate)


def test_the_front_door_asks_it_and_falls_back(monkeypatch):
    def queue(n, large, q, order=1):
        rows = (1, 2.0, 1 - q), (n, large, q)
        return rigid(n, *rows[::order]).under(ms.FCFS)

    found = queue(300, Erlang(2, 1.0), 0.01).exact(fraction_of_limit=0.7)
    assert found.method.startswith("age of a large job")
    other = queue(300, Erlang(2, 1.0), 0.01, -1).exact(fraction_of_limit=0.7)
    assert found.by_class == other.by_class[::-1]
    tail = queue(300, Exponential(1.0), 0.01).exact(fraction_of_limit=0.7).tail
    assert tail(-1) == 1 > tail(100) > tail(300) > tail(10**4) >= 0
    with pytest.raises(NotKnownError, match="steps"):
        tail(10**8)
    assert "interpolation" in queue(10**5, Exponential(1.0), 1e-5).exact(load=0.2).method
    with pytest.raises(NotKnownError):
        queue(300, Deterministic(1.0), 0.01).exact(load=0.2)

    def refused(*_):
        raise NotKnownError("too far apart")

    monkeypatch.setattr(one_or_n, "solve", refused)
    assert "fronts" in queue(60, Erlang(2, 1.0), 0.01).exact(fraction_of_limit=0.7).method
