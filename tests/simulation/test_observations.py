"""How many observations a replication is worth: against exact chains, and simulated means."""

from __future__ import annotations

import numpy as np
import pytest

import multiserver as ms
from multiserver.policies.job_level import workload_of
from multiserver.simulation.observations import FORESEEN_OBSERVATIONS
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.time_averages import observations_over_time

UNIT = ms.Exponential(rate=1.0)


def pool(servers, size=UNIT):
    return ms.System(servers, [ms.JobClass(duration=size)])


def observations(servers, load, time):
    """Var N over the variance of its mean over a long time, in M/M/n.

    With F(i) = Σ_{j ≤ i} π_j (j − E[N]), the variance of ∫ N dt grows at the rate
    2 Σ_i F(i)²/(π_i λ).
    """
    rate, most = servers * load, servers + round(40 / (1 - load))
    N = np.arange(most + 1)
    logs = np.cumsum(np.log(rate / np.minimum(N[1:], servers)))
    π = np.exp(np.concatenate([[0.0], logs]))
    π /= π.sum()
    centred = N - π @ N
    # From the nearer end, so that no digits are lost.
    below, above = np.cumsum(π * centred), np.cumsum((π * centred)[::-1])[::-1]
    F = np.where(centred[:-1] < 0, below[:-1], -above[1:])
    growth = 2 * np.sum(F**2 / (π[:-1] * rate))
    return time * (π @ centred**2) / growth


@pytest.mark.parametrize("load", [0.6, 0.75, 0.9])
@pytest.mark.parametrize("servers", [4, 10, 30, 100])
def test_observations_of_jobs_present_against_the_exact_chain(servers, load):
    rate = servers * load
    length = RunLength.of(workload_of(pool(servers), rate), 1000, 1000, load, float(servers))
    exact = observations(servers, load, 1000 / rate)
    assert observations_over_time(length) == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("load", [0.3, 0.5])
def test_observations_of_waits_against_the_spread_of_simulated_means(load):
    """Up to 5 standard deviations of χ²; durations are constant, so that A is exact."""
    replications, queue = 400, pool(1, ms.Deterministic(value=1.0)).under(ms.FCFS)
    found = queue.simulate(load=load, jobs=2500 * replications, seed=1, replications=replications)
    length = found.counts.length
    n = length.waits.of_responses(length.jobs, 1.0, 1.0, 1.0)
    each = found.mean_response_time.effective_size / replications
    assert each == pytest.approx(n, rel=5 * np.sqrt(2 / replications))


def test_runs_worth_too_few_observations_have_no_interval_whatever_they_find():
    """When the run alone decided, 495 of 554 intervals for E[N] and 784 of 858 for E[T] held, of
    1,000 runs each."""
    for seed in range(20):
        many = pool(15).under(ms.FCFS).simulate(load=0.75, jobs=15_155, seed=seed)
        assert "observations of those present" in many.mean_jobs.lacking
        constant = pool(1, ms.Deterministic(value=1.0)).under(ms.FCFS)
        found = constant.simulate(load=0.5, jobs=2_777, seed=seed)
        assert "observations of how long jobs stay" in found.mean_response_time.lacking


def test_plain_queues_need_hardly_more_jobs_than_for_the_skewness():
    for servers, load, jobs in ((1, 0.5, 6_500), (1, 0.8, 75_000), (4, 0.7, 36_000)):
        rate = servers * load
        work = workload_of(pool(servers), rate)
        length = RunLength.of(work, jobs // 40, jobs // 160, load, float(servers))
        assert observations_over_time(length) > FORESEEN_OBSERVATIONS
        assert not length.caveat()


@pytest.mark.parametrize(
    ("speeds", "equal"), [((1.0,) * 20, 20), ((0.1,) * 3, 3), ((10.0, 1.0, 1.0, 1.0), 1)]
)
def test_servers_of_different_speeds_count_as_equal_ones(speeds, equal):
    """Slow servers beside a fast one are of little help: it is judged as one. As four of the mean
    speed, half of the runs with 2,005 jobs at load 0.5 seemed long enough."""
    system = ms.System(speeds, [ms.JobClass(duration=UNIT)])
    work = workload_of(system, system.arrival_rate(0.5))
    assert work.servers == equal
    assert work.load == pytest.approx(0.5)
