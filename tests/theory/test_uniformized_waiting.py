"""Distributions of times by uniformization steps, against sums of exponential times, dense
matrices, numbers of undrawn jobs, and chains with a tagged job; `test_erlang` has M/M/k."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import gamma

import multiserver as ms
from multiserver.errors import NotKnownError
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, fcfs_levels, uniformized_waiting
from multiserver.open.uniformization import UniformizedTimes
from multiserver.open.waiting_distribution import waiting_distribution
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.policies.phase_type import phased_jobs
from multiserver.sizes import Erlang, Exponential, Hyperexponential

from .count_chains import front_door
from .references import close
from .test_level_sweeps import COX, PHASED
from .waiting_routes import quantiles_apart

PROBABILITIES = np.array([0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999])


of = MultiserverJobSystem.of
FIVE = front_door(of(20, (1, 2, 3, 5, 8), (1, 2, 0.5, 1, 3), (0.3, 0.3, 0.2, 0.1, 0.1)))
FOUR = front_door(of(14, (1, 2, 3, 7), (1.0, 2.0, 1.5, 1.0), (0.5, 0.2, 0.2, 0.1)))


def times_of(jobs, fraction):
    """By steps, and the distribution over levels that they start from."""
    process = fcfs_levels.prepare(jobs)
    distribution = process.at(fraction * process.limit, tails=True)
    return uniformized_waiting.uniformized_waiting(distribution), distribution


def every(found, probabilities, columns=None):
    """Quantiles (P, G) of all times, in `columns` if they have no `decay`."""
    columns = columns or len(found.decay)
    places = np.indices((len(probabilities), columns)).reshape(2, -1)
    return found.quantiles(1 - probabilities[places[0]], places[1]).reshape(-1, columns)


def test_sums_of_exponential_times():
    """20 stages that are left at the rate Λ or at .3 Λ: s_k is 1 up to k = 19, or binomial."""
    for share in (1.0, 0.3):
        stages, going = np.eye(20)[0], []
        while stages.sum() > 1e-30:
            going.append(stages.sum())
            stages = (1 - share) * stages + share * np.append(0.0, stages[:-1])
        going.append(stages.sum())
        last = 1.0 if share == 1 else -math.log(going[-1] / going[-2])
        found = UniformizedTimes(2.0, np.array(going)[:, None], np.array([last]), np.zeros(1), 0.0)
        distribution = gamma(20, scale=1 / (2.0 * share))
        times = np.array([0.0, 0.1, 3.0, 10.0, 40.0])
        assert found.survival(times)[:, 0] == close(distribution.sf(times), 1e-12)
        assert every(found, PROBABILITIES)[:, 0] == close(distribution.ppf(PROBABILITIES), 1e-11)
        assert [found.moments(k)[0] for k in (1, 2, 5)] == close(
            [distribution.moment(k) for k in (1, 2, 5)], 1e-12
        )


def test_what_follows_the_last_step_is_a_geometric_series():
    """An exponential time by one step, and by ten."""
    times = np.array([0.0, 1e-9, 0.3, 5.0, 1e4])
    for decay in (1e-6, 0.1, 2.0):
        for count in (1, 2, 10):
            going = np.exp(-decay * np.arange(count))[:, None]
            found = UniformizedTimes(3.0, going, np.array([decay]), np.zeros(1), 0.0)
            rate = -3.0 * math.expm1(-decay)
            assert found.survival(times)[:, 0] == close(np.exp(-rate * times), 1e-11)
            assert every(found, PROBABILITIES)[:, 0] == close(
                -np.log1p(-PROBABILITIES) / rate, 1e-11
            )
            assert [found.moments(k)[0] for k in (1, 3)] == close([1 / rate, 6 / rate**3], 1e-12)


@pytest.mark.parametrize("servers", [2, 3, 10])
def test_a_wait_may_fall_as_fast_as_a_duration(servers):
    """Where cμ − λ = μ, P(T > t) falls by no factor: it is e^{−μt} (1 + C μ t)."""
    found, _ = times_of(PhasedJobs.of(servers, (1,), (Exponential(1.0),), (1.0,)), 1 - 1 / servers)
    times, waits = np.array([0.1, 1.0, 10.0, 30.0]), 1 - found.at_once[0]
    assert found.survival(times)[:, 2] == close(np.exp(-times) * (1 + waits * times), 1e-10)


@pytest.mark.parametrize("fraction", [0.05, 0.6, 0.97])
@pytest.mark.parametrize("case", PHASED.values(), ids=PHASED.keys())
def test_against_dense_matrices_of_fronts(case, fraction):
    jobs = PhasedJobs.of(*case)
    found, distribution = times_of(jobs, fraction)
    other = waiting_distribution(age_process.prepare(jobs).at(distribution.arrival_rate))
    assert found.at_once == close(other.at_once, 1e-10)
    for k in (1, 2, 3):
        assert found.moments(k) == close(other.moments(k), 1e-9)
    mine, dense = every(found, PROBABILITIES), every(other, PROBABILITIES, len(found.decay))
    assert mine[:-1] == close(dense[:-1], 1e-8, abs=1e-12)
    assert mine[-1] == close(dense[-1], 1e-6, abs=1e-12)
    assert found.imprecision < 1e-9


@pytest.mark.parametrize("fraction", [0.4, 0.9])
def test_numbers_undrawn_are_poisson_given_the_time(fraction):
    """E[(N_q)_r] = λ^r E[V^r] (D. Bertsimas and D. Nakazato, 1995), N_q counted level by level."""
    jobs = PhasedJobs.of(60, (1, 2, 5), tuple(map(Exponential, (1.0, 0.7, 2.0))), (0.4, 0.3, 0.3))
    found, distribution = times_of(jobs, fraction)
    assert count_fronts(jobs)[0] > 1000
    # A job of need 1 is not blocked: it starts when it is drawn, and waits for V.
    q, top = np.arange(len(distribution.levels)), len(distribution.levels) - 1
    mass = distribution.levels.sum(axis=1)
    for r in (1, 2, 3):
        inside = sum(math.perm(int(k), r) * x for k, x in zip(q[:-1], mass[:-1], strict=True))
        # Beyond the last level: Σ_j (Q + j)_r η^j, until nothing is left.
        j = np.arange(math.ceil(80 / (1 - distribution.fall)))
        powers = np.prod([top + j - i for i in range(r)], axis=0, dtype=float)
        beyond = mass[-1] * float(powers @ distribution.fall**j)
        assert distribution.arrival_rate**r * found.moments(r)[0] == close(inside + beyond, 1e-9)


def test_the_door_asks_steps_where_there_are_many_fronts():
    queue = FIVE.under(ms.FCFS)
    assert count_fronts(phased_jobs(FIVE))[0] == 1270
    told = queue.distribution(fraction_of_limit=0.9)
    assert "uniformization" in told.method
    exact = queue.exact(fraction_of_limit=0.9)
    for one, other in zip(told.by_class, exact.by_class, strict=True):
        assert one.response_time.mean == close(other.mean_response_time, 1e-10)


def test_quantiles_are_those_of_a_tagged_job():
    queue = FOUR.under(ms.FCFS)
    rate = 0.8 * queue.stability().limit
    assert "uniformization" in queue.distribution(arrival_rate=rate).method
    ((most, rare), route) = quantiles_apart(queue, rate, (0.999, 0.999999))
    assert route == "chain with a tagged job"
    assert most < 1e-8
    assert rare < 1e-6


def test_where_sweeps_do_not_settle_dense_matrices_answer(monkeypatch):
    monkeypatch.setattr("multiserver.open.iteration.MOST_SWEEPS", 3)
    told = FOUR.under(ms.FCFS).distribution(fraction_of_limit=0.9)
    assert "age of the head" in told.method
    monkeypatch.setattr("multiserver.policies.phase_type.MOST_SETTLED", 10)
    many = front_door(of(100, (1, 2, 5), (1.0,) * 3, (0.5, 0.3, 0.2)))
    with pytest.raises(NotKnownError, match="after 3 sweeps"):
        many.under(ms.FCFS).distribution(load=0.5)


def test_durations_that_are_decades_apart_are_left_to_dense_matrices():
    durations = (
        Exponential(1.0),
        Exponential(1e-5),
        Erlang(2, 1.0),
        Hyperexponential((1, 3), (0.5, 0.5)),
    )
    near = PhasedJobs.of(12, (1, 2, 3, 5), (COX, *durations[2:], Exponential(1.0)), (0.25,) * 4)
    far = PhasedJobs.of(12, (1, 2, 3, 5), durations, (0.25,) * 4)
    assert uniformized_waiting.is_preferred(near)
    assert not uniformized_waiting.is_preferred(far)


@pytest.mark.parametrize("fraction", [1e-6, 1e-4, 0.01, 0.3])
def test_higher_moments_at_light_load_are_those_by_steps(fraction):
    """Dense matrices know what hardly ever is only to rounding; steps add up positive numbers."""
    systems = [
        (1000, (100, 200, 700), (1.0, 0.5, 4.0), (0.7, 0.2, 0.1)),
        (10, (1, 4, 7), (1.0, 0.1, 0.3), (0.8, 0.15, 0.05)),
    ]
    for servers, needs, rates, probabilities in systems:
        jobs = PhasedJobs.of(servers, needs, tuple(map(Exponential, rates)), probabilities)
        other, distribution = times_of(jobs, fraction)
        found = waiting_distribution(age_process.prepare(jobs).at(distribution.arrival_rate))
        for k in (1, 2, 3, 4):
            assert found.moments(k) == close(other.moments(k), 1e-9)
        assert found.imprecision < 1e-12
