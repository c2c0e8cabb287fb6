"""Waits behind jobs that do not fit: the skewness of simulated means, and intervals withheld."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.simulation import fcfs
from multiserver.simulation.blocking import delays, mean_drain_times, remaining
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength
from multiserver.simulation.workload import Workload

ONE = ms.Exponential(rate=1.0)


def rare(jobs, *, servers=16, wide=0.001, mean=0.4, load=0.4, in_order=True):
    """Needs 1 and n, where one job in a thousand needs all servers."""
    sizes = ONE, ms.Exponential(rate=1 / mean)
    rate = load * servers / (1 - wide + servers * wide * mean)
    work = Workload(servers, (1, servers), sizes, (1 - wide, wide), rate)
    return RunLength.of(work, jobs, jobs, load, None, in_order)


def test_one_class_that_needs_all_servers():
    """Of M/M/∞, P(D > t) = 1 − exp(−λ e^−t), a series of exponentials; and u = 1."""
    λ = 0.8
    work = Workload(3, (3,), (ONE,), (1.0,), λ)
    D = [1.0] + [
        math.factorial(k) * math.fsum(-((-λ) ** i) / math.factorial(i) / i**k for i in range(1, 30))
        for k in range(1, 7)
    ]
    moments = [
        math.fsum(math.comb(k, j) * D[j] * math.factorial(k - j) for j in range(k + 1))
        for k in range(7)
    ]
    rate, found = delays(work, work.sizes)
    assert rate == λ
    assert found == pytest.approx(moments, rel=1e-3)


@pytest.mark.parametrize(
    ("size", "exact"),
    [
        (ONE, 6),
        (ms.Hyperexponential(rates=(1.9, 0.1), probabilities=(0.95, 0.05)), 6),
        (ms.Weibull(shape=0.7, scale=1.0), 3),
        (ms.Deterministic(value=2.0), 1),
    ],
)
def test_remaining_durations_have_three_moments(size, exact):
    """All of them, if durations are a mixture of two exponentials; the mean, if they vary less."""
    moments = np.array([size.moment(k + 1) / (k + 1) / size.mean for k in range(1, 7)])
    t = np.geomspace(1e-6, 1e4, 40_000)
    left = remaining(moments[None, :3], t)[0]
    found = [k * np.trapezoid(t**k * left, np.log(t)) for k in range(1, 7)]
    assert found[:exact] == pytest.approx(moments[:exact], rel=1e-4)


def test_jobs_that_fit_delay_none():
    alone = Workload(10, (1, 1), (ONE, ONE), (0.5, 0.5), 5.0)
    assert delays(alone, alone.sizes)[0] == 0
    small, large = (
        delays(work, work.sizes)[1][1]
        for work in (
            Workload(1000, (1, need), (ONE, ONE), (0.999, 0.001), 100.0) for need in (100, 1000)
        )
    )
    assert small < 1e-9
    # The last of a hundred jobs leaves after 1 + 1/2 + … + 1/100 on average; then E[S] = 1.
    assert large == pytest.approx(5.19 + 1, rel=0.02)


def test_servers_may_be_so_many_that_squares_of_needs_are_no_integers_of_64_bits():
    few, many = (
        mean_drain_times(Workload(4 * k, (k, 2 * k), (ONE, ONE), (0.5, 0.5), 2.0), (ONE, ONE))
        for k in (1, 2**32)
    )
    assert many == pytest.approx(few, rel=1e-12)


def test_the_skewness_is_that_of_simulated_means():
    """Of 2,000 means, whose skewness has an error of about a tenth; without the delays it is a
    twentieth of that."""
    length = rare(4000)
    found = fcfs.simulate(
        length.workload, jobs=5000, replications=2000, seed=1, warm_up=0.2, overloaded=True
    )
    times, jobs = found.response_sums.sum(axis=1), found.completions.sum(axis=1)
    errors = times - times.sum() / jobs.sum() * jobs
    skewness = np.mean(errors**3) / np.mean(errors**2) ** 1.5
    assert found.length.jobs == length.jobs == 4000
    assert length.skewness() == pytest.approx(skewness, rel=0.35)
    assert rare(4000, in_order=False).skewness() < skewness / 10


def test_runs_with_few_bursts_have_no_interval():
    """Where one or two jobs of a replication need all servers. Of the intervals for a system such
    as the second, 220 of 260 held."""
    short, long = rare(1000), rare(20_000)
    assert short.skewness() > MAX_SKEWNESS > long.skewness()
    assert "skewness" in short.caveat() and not long.caveat()
    often = ms.Hyperexponential(rates=(1.905, 0.0953), probabilities=(0.952, 0.048))
    queue = rigid(6, (1, often, 0.997), (6, 1.3, 0.003)).under(ms.FCFS)
    for seed in range(3):
        found = queue.simulate(load=0.29, jobs=24_000, seed=seed)
        assert "skewness" in found.mean_response_time.lacking
