"""Runs that are short compared with the time to fill their servers have honest intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import norm
from tests.intervals import assert_intervals_hold

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.saturated import dispatch
from multiserver.saturated.chain import enumerate_chain
from multiserver.simulation import fcfs, phase
from multiserver.simulation.cluster import SETTLING_RELAXATION_TIMES, Cluster, ParallelClass
from multiserver.simulation.saturated import mean_servers_held
from multiserver.simulation.workload import (
    MAX_JOBS,
    MISSING_LOAD,
    RELAXATION_FACTOR,
    Workload,
    mean_remaining_duration,
    with_warm_up,
)
from multiserver.sizes import Deterministic, Exponential, Pareto

# Each of the three tests of scores fails by chance with this probability.
FALSE_ALARM = 1e-6


@pytest.mark.parametrize("seed", range(40))
def test_exact_chains_relax_in_little_more_than_the_longest_durations(seed):
    """1/gap of the saturated chain in time, by all its eigenvalues."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 17))
    needs = sorted(rng.choice(np.arange(1, n + 1), size=rng.integers(2, 4), replace=False).tolist())
    rates = np.exp(rng.uniform(-4, 0, len(needs)))
    probabilities = np.maximum(rng.dirichlet(np.full(len(needs), 0.7)), 1e-3)
    probabilities /= probabilities.sum()
    chain = enumerate_chain(
        MultiserverJobSystem.of(n, needs, rates.tolist(), probabilities.tolist())
    )
    jumps = sum(matrix.toarray() for matrix in chain.transitions())
    generator = chain.completion_rate[:, None] * (jumps - np.eye(len(jumps)))
    decay = np.sort(-np.linalg.eigvals(generator).real)
    assert decay[0] == pytest.approx(0, abs=1e-9)
    if len(decay) > 1:
        assert 1 / decay[1] <= RELAXATION_FACTOR / rates.min()


def test_short_saturated_runs_cover():
    """At 20,000 jobs in 32 replications: without the longer warm-up none of 20 intervals held the
    exact value in four of these six systems, which wasted up to ten times too much."""
    estimates, means = [], []
    for servers in (48, 192):
        for needs, rates, probabilities in (
            ((1, 3, 8), (1 / 60, 1 / 90, 1 / 150), (0.5, 0.3, 0.2)),
            ((1, 10), (1.0, 0.1), (0.9, 0.1)),
        ):
            system = MultiserverJobSystem.of(servers, needs, rates, probabilities)
            sizes, effort = list(map(Exponential, rates)), {"jobs": 20_000, "replications": 32}
            estimates += [mean_servers_held(system, sizes, seed=s, **effort) for s in range(10)]
            means += [servers - dispatch.solve(system).wastage] * 10
    assert_intervals_hold(estimates, means, FALSE_ALARM)


def test_short_open_runs_cover():
    """A thousand servers that fill in more jobs than a replication has, against M/M/1000."""
    work = Workload(1000, (1,), (Exponential(1.0),), (1.0,), 500.0)
    runs = [fcfs.simulate(work, jobs=400, replications=32, seed=seed) for seed in range(12)]
    # No job waits, in effect: Poisson.
    assert_intervals_hold([run.mean_jobs for run in runs], [500.0] * 12, FALSE_ALARM)


def test_the_phase_level_warms_up_as_long():
    system = MultiserverJobSystem.of(16, (1,), (1.0,), (1.0,))
    work = Workload.of(system, 8.0)
    chain = prepare(system).at(8.0)
    effort = {"steps": 1, "replications": 32, "least_warm_up": work.least_warm_up}
    found = [phase.simulate(chain, 32 * 40, seed=s, **effort).mean_jobs for s in range(12)]
    assert [one.jobs for one in found] == pytest.approx([32 * 36] * 12, rel=0.3)
    assert_intervals_hold(found, [solve(chain).mean_jobs] * 12, FALSE_ALARM)


def test_as_many_jobs_are_measured():
    work = Workload(100, (1,), (Exponential(1.0),), (1.0,), 50.0)
    least = work.least_warm_up
    assert least == math.ceil(50 * RELAXATION_FACTOR * math.log(1 / MISSING_LOAD))
    assert with_warm_up(work, 100, 0.2) == (least, least + 80)
    assert with_warm_up(work, 100_000, 0.2) == (20_000, 100_000)
    assert with_warm_up(work, 100, 0.0) == (0, 100)
    found = fcfs.simulate(work, jobs=100, replications=2, seed=1, warm_up=0.2)
    assert found.mean_jobs.jobs == 160


def test_classes_that_bring_little_need_not_be_waited_for():
    def least(probability: float) -> int:
        sizes = (Exponential(1.0), Exponential(1e-3))
        return Workload(100, (1, 1), sizes, (1 - probability, probability), 1.0).least_warm_up

    assert least(1e-8) == least(1e-9) < 13 < least(1e-4) < least(1e-2)


def test_a_brownian_queue_that_was_empty_has_its_mean_but_for_1e_4():
    """Regulated Brownian motion of drift −1 and variance 1, whose relaxation time is 2."""
    t = 2 * SETTLING_RELAXATION_TIMES
    missing = 2 * (1 + t) * norm.sf(np.sqrt(t)) - 2 * np.sqrt(t) * norm.pdf(np.sqrt(t))
    assert 0.9e-4 < missing < 1e-4


@pytest.mark.parametrize("load", [0.8, 0.9, 0.95])
def test_a_single_server_settles_as_in_heavy_traffic(load):
    """M/M/1 from its generator, cut where less than 1e-13 is beyond: it jumps 2λ times in a unit of
    time. What is missing of E[N] tends to 1e-4 as the load tends to 1."""
    cluster = Cluster((1.0,), (ParallelClass(load, Exponential(1.0), (0,)),), 0)
    passed = cluster.settling_jumps() / (2 * load)
    jobs = np.arange(math.ceil(math.log(1e-13) / math.log(load)))
    generator = np.diag(np.full(len(jobs) - 1, load), 1) + np.diag(np.ones(len(jobs) - 1), -1)
    generator -= np.diag(generator.sum(axis=1))
    missing = 1 - expm(generator * passed)[0] @ jobs / (load / (1 - load))
    assert 1e-4 < missing < 1e-4 * (1 + 8 * (1 - load))


def test_how_long_jobs_stay():
    assert mean_remaining_duration(Exponential(0.5)) == 2
    assert mean_remaining_duration(Deterministic(2.0)) == 2
    assert mean_remaining_duration(Pareto(1.5, 1.0)) == Pareto(1.5, 1.0).mean


def test_what_never_fills_is_refused():
    sizes = (Exponential(1.0), Exponential(1e-9))
    work = Workload(100, (1, 1), sizes, (0.5, 0.5), 1.0)
    assert work.least_warm_up > MAX_JOBS
    with pytest.raises(ValueError, match="have forgotten that they were empty"):
        fcfs.simulate(work, jobs=1000, replications=2, seed=1, overloaded=True)
