"""How many observations of the jobs in service a run is worth; and that intervals rest on it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import multiserver as ms
from multiserver.simulation.estimate import SETTLED_OBSERVATIONS
from multiserver.simulation.observations import FORESEEN_OBSERVATIONS
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.time_averages import observations_over_time
from multiserver.simulation.workload import Workload

REPLICATIONS = 400
EXPONENTIAL = ms.Exponential(rate=1.0)
SPREAD = ms.Hyperexponential(rates=(2.0, 0.1), probabilities=(0.7, 0.3))
POOL = ms.System(300, [ms.JobClass(duration=EXPONENTIAL)])


@pytest.mark.parametrize(
    ("sizes", "probabilities"),
    [
        ([EXPONENTIAL], [1.0]),
        ([ms.Erlang(stages=4, rate=4.0)], [1.0]),
        ([SPREAD], [1.0]),
        ([EXPONENTIAL, ms.Exponential(rate=0.1)], [0.8, 0.2]),
    ],
)
def test_observations_of_servers_for_all_against_the_spread_of_simulated_means(
    sizes, probabilities
):
    """The variance of 400 means is that of N over n, up to 5 standard deviations of χ². Half of
    the jobs are the warm-up, so that even long ones have forgotten the empty start."""
    classes = [
        ms.JobClass(duration=X, probability=p) for X, p in zip(sizes, probabilities, strict=True)
    ]
    queue = ms.System(200, classes).under(ms.LeastServersFirst)
    found = queue.simulate(
        load=0.3, jobs=4000 * REPLICATIONS, seed=1, replications=REPLICATIONS, warm_up=0.5
    )
    within = 5 * np.sqrt(2 / REPLICATIONS)
    pairs = [(None, found.mean_jobs), *((c, one.mean_jobs) for c, one in enumerate(found.by_class))]
    for c, estimate in pairs:
        n = observations_over_time(found.counts.length, c)
        assert estimate.effective_size / REPLICATIONS == pytest.approx(n, rel=within)


def test_observations_do_not_depend_on_the_unit_of_time():
    def observations(unit):
        sizes = (ms.Exponential(rate=1 / unit), ms.Exponential(rate=0.1 / unit))
        work = Workload(50, (1, 2), sizes, (0.5, 0.5), 3.0 / unit)
        return observations_over_time(RunLength.of(work, 1000, 1000, 0.5, None))

    assert observations(1e-60) == pytest.approx(observations(1.0), rel=1e-12)
    assert observations(1e60) == pytest.approx(observations(1.0), rel=1e-12)


def test_a_run_rarely_finds_fewer_observations_than_foreseen():
    freedom = 31
    more = freedom * FORESEEN_OBSERVATIONS / SETTLED_OBSERVATIONS
    assert chi2.sf(more, freedom) < 0.04


@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling, ms.MaxWeight])
def test_few_durations_are_too_few_for_means_over_time(policy):
    """A replication of 300 servers is worth 7 observations. Whether a run seems to be worth 10
    would select those with too small an error: of 120 runs, 62 of 76 such intervals for the 99 %
    point of waiting times and 71 of 83 for P(N > 310) held. E[T] rests on the durations of all
    jobs."""
    queue = POOL.under(policy)
    for seed in (1, 2, 3):
        found = queue.simulate(load=0.92, jobs=200_000, seed=seed, times=True)
        times = found.distribution
        for estimate in (
            found.mean_jobs,
            found.busy_servers,
            found.tail(270),
            found.tail(310),
            times.waiting_time.quantile(0.99),
            times.waiting_time.sf(0.01),
            times.by_class[0].waiting_time.sf(0.0),
        ):
            assert "observations of those present" in estimate.lacking
        assert found.mean_response_time.settled
        assert times.response_time.quantile(0.9).settled
        assert times.response_time.sf(1.0).settled


def test_enough_durations_are_enough():
    found = POOL.under(ms.FCFS).simulate(load=0.8, jobs=400_000, seed=1, times=True)
    assert found.mean_jobs.settled
    assert found.busy_servers.settled
    assert found.tail(240).settled


def test_means_over_time_of_other_models_and_levels():
    """Phase by phase E[T] is E[N]/λ, so that it is a mean over time too."""
    phases = POOL.under(ms.FCFS).simulate(load=0.5, jobs=80_000, seed=1, level="phases")
    for estimate in (phases.mean_jobs, phases.mean_response_time):
        assert "observations of those present" in estimate.lacking
    free = ms.System([1.0] * 200, [ms.JobClass(degree=1, duration=EXPONENTIAL)])
    found = free.under(ms.FCFS).simulate(load=0.3, jobs=40_000, seed=1)
    for estimate in (found.by_class[0].mean_jobs, found.busy_servers, found.tail(60)):
        assert "observations of those present" in estimate.lacking
    assert found.mean_response_time.settled
