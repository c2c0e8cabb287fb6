"""Distributions of waiting and response times against closed forms; `test_waiting_routes` has
chains with a tagged job, and Little's law in its distributional form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import gamma
from tests.door.systems import SYSTEMS
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, one_or_n
from multiserver.open.waiting_distribution import waiting_distribution
from multiserver.phased import PhasedJobs
from multiserver.policies.phase_type import phased_jobs

from .count_chains import front_door
from .references import phases_of_wait

of = MultiserverJobSystem.of

TIMES = np.array([0.0, 1e-6, 0.01, 0.3, 1.0, 4.0, 20.0, 100.0])
PROBABILITIES = np.array([0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999])


@pytest.mark.parametrize(
    "duration",
    [
        ms.Erlang(stages=20, rate=20.0),
        ms.Hyperexponential(rates=(1.0, 1e-3), probabilities=(0.999, 0.001)),
        ms.coxian(rates=(1.0, 100.0, 0.1), further=(0.3, 0.2)),
    ],
)
@pytest.mark.parametrize("load", [1e-3, 0.5, 0.98])
def test_one_server_is_the_classical_queue(duration, load):
    queue = one_class(1, duration).under(ms.FCFS)
    found = queue.distribution(load=load)
    initial, T = duration.phases()
    remaining, generator = phases_of_wait(initial, T, load / duration.mean)
    times = TIMES * duration.mean
    exact = [(remaining @ expm(generator * t)).sum() for t in times]
    np.testing.assert_allclose(found.waiting_time.sf(times), exact, rtol=1e-10)
    assert found.waiting_time.at_zero == pytest.approx(1 - load, rel=1e-13)
    mean = queue.exact(load=load).mean_waiting_time
    assert found.waiting_time.mean == pytest.approx(mean, rel=1e-11)
    together = np.block([[generator, np.outer(-generator.sum(axis=1), initial)], [0 * T, T]])
    start = np.concatenate([remaining, (1 - load) * initial])
    exact = [(start @ expm(together * t)).sum() for t in times]
    np.testing.assert_allclose(found.response_time.sf(times), exact, rtol=1e-10)


@pytest.mark.parametrize(("servers", "share"), [(2, 0.3), (30, 0.05), (10_000, 1e-3)])
def test_large_jobs_are_sums_of_exponentials(servers, share):
    """T_n of needs 1 and n by `one_or_n`, whose tail is absolute; n = 10,000 is interpolated."""
    large = ms.Hyperexponential(rates=(2.0, 0.5), probabilities=(0.5, 0.5))
    queue = rigid(servers, (1, 1.0, 1 - share), (servers, large, share)).under(ms.FCFS)
    found = queue.distribution(fraction_of_limit=0.9)
    distribution = one_or_n.solve(servers, 1.0, large, (1 - share, share), found.arrival_rate)
    response = found.by_class[1].response_time
    for t in response.quantile(PROBABILITIES):
        assert response.sf(t) == pytest.approx(distribution.tail_of_large(t), rel=2e-11, abs=2e-12)


@pytest.mark.parametrize(
    ("servers", "large", "share", "fraction"),
    [(200, 100, 0.1, 0.9), (200, 170, 0.01, 0.98), (240, 200, 1e-3, 0.999)],
)
def test_interpolated_fronts_have_the_tail_of_all_fronts(servers, large, share, fraction):
    """Also where one job in ten is large, and some fronts hardly ever occur."""
    jobs = PhasedJobs.exponential(of(servers, (1, large), (1.0, 2.0), (1 - share, share)))
    whole, few = age_process.prepare(jobs), age_process.interpolate(jobs)
    assert few.interpolated and not whole.interpolated
    rate = fraction * whole.limit
    exact, found = (waiting_distribution(process.at(rate)) for process in (whole, few))
    levels, columns = np.meshgrid([*(1 - PROBABILITIES), 1e-12], np.arange(6))
    asked = levels.ravel(), columns.ravel()
    np.testing.assert_allclose(found.quantiles(*asked), exact.quantiles(*asked), rtol=1e-10)
    np.testing.assert_allclose(found.moments(3), exact.moments(3), rtol=1e-10)


def test_rates_over_six_decades():
    system = of(4, (1, 2, 4), (1e3, 1.0, 1e-3), (1 - 1e-3 - 1e-9, 1e-3, 1e-9))
    queue = front_door(system).under(ms.FCFS)
    for fraction in (1e-6, 0.9, 0.98):
        found, exact = (
            ask(fraction_of_limit=fraction) for ask in (queue.distribution, queue.exact)
        )
        assert found.imprecision < 1e-9
        for times, means in zip(found.by_class, exact.by_class, strict=True):
            assert times.response_time.mean == pytest.approx(means.mean_response_time, rel=1e-10)
            points = times.waiting_time.quantile(PROBABILITIES)
            back = times.waiting_time.sf(points[points > 0])
            np.testing.assert_allclose(back, 1 - PROBABILITIES[points > 0], rtol=1e-9)


def test_slow_durations_beside_fast_ones_keep_their_digits():
    """Where nobody waits T is X, a million times as long as the shortest durations."""
    system = rigid(9, (1, 1e3, 0.5), (2, 1e-3, 0.25), (1, ms.Erlang(stages=2, rate=1e-3), 0.25))
    found = system.under(ms.FCFS).distribution(fraction_of_limit=1e-6)
    points = -1e3 * np.log1p(-PROBABILITIES)
    response = found.by_class[1].response_time
    np.testing.assert_allclose(response.quantile(PROBABILITIES), points, rtol=1e-11)
    exact = gamma(2, scale=1e3).ppf(PROBABILITIES)
    response = found.by_class[2].response_time
    np.testing.assert_allclose(response.quantile(PROBABILITIES), exact, rtol=1e-11)


def test_shapes_ends_and_refusals():
    queue = one_class(2, 1.0).under(ms.FCFS)
    found = queue.distribution(load=0.5)
    wait = found.waiting_time
    assert isinstance(wait.sf(1.0), float) and wait.sf([[1.0, 2.0]]).shape == (1, 2)
    assert wait.sf(-1.0) == 1 and wait.sf(math.inf) == 0 and wait.sf(1e300) == 0
    assert wait.cdf(0.0) == pytest.approx(wait.at_zero, abs=1e-15)
    assert wait.quantile(0.0) == 0 and wait.quantile(wait.at_zero / 2) == 0
    assert found.response_time.at_zero == 0 and found.response_time.quantile(0.0) == 0
    # P(T > t) rounds to 1 at small t, as no job has passed all its stages by then.
    stages = one_class(2, ms.Erlang(stages=8, rate=1.0)).under(ms.FCFS).distribution(load=1e-3)
    assert stages.response_time.quantile(0.0) == 0 < stages.response_time.quantile(1e-6)
    for bad in (1.0, -0.1, math.nan, [0.5, 1.0]):
        with pytest.raises(ValueError, match=r"a probability must lie in \[0, 1\)"):
            wait.quantile(bad)
    for bad in (0, 1.5, True):
        with pytest.raises(ValueError, match="k must be a positive integer"):
            wait.moment(bad)
    with pytest.raises(ValueError, match="times must be numbers"):
        wait.sf(math.nan)
    assert len(found.rows()) == 2 * 5 and len(found.rows(0.5)) == 2 * 3 and "95 %" in str(found)
    with pytest.raises(ms.UnstableError):
        queue.distribution(load=1.0)
    known = r"for phase-type durations of at most 5000 phases\); ask .*simulate\(\)"
    with pytest.raises(ms.NotKnownError, match=known):
        one_class(2, ms.Deterministic(value=1.0)).under(ms.FCFS).distribution(load=0.5)
    with pytest.raises(ms.NotKnownError, match=r"is known \(M/M/k is for .*\); ask"):
        SYSTEMS["multiserver-jobs"].under(ms.MaxWeight).distribution(load=0.5)


def test_steps_keep_the_decay_that_they_are_scaled_to():
    """Near λ* the far tail falls by the slowest rate, which M/M/c gives: 1e8 first steps later."""
    jobs = phased_jobs(one_class(50, 1.0))
    found = waiting_distribution(age_process.prepare(jobs).at(50 * (1 - 1e-6)))
    at_once, later = found.survival(np.array([0.0, 20 / (50 * 1e-6)]))[:, 0]
    assert later / at_once == pytest.approx(math.exp(-20), rel=1e-8)


def test_the_distribution_tells_its_rounding():
    jobs = phased_jobs(one_class(3, ms.Erlang(stages=2, rate=1.0)))
    process = age_process.prepare(jobs)
    distribution = waiting_distribution(process.at(0.9 * process.limit))
    assert 0 <= distribution.imprecision < 1e-13
    np.testing.assert_allclose(
        distribution.moments(1)[: len(distribution.little)], distribution.little, rtol=1e-13
    )
