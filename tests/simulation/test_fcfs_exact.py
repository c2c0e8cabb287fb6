"""The job-level simulator against exact formulas, by z-scores.

There are fewer than a hundred in this file; each may reach Z = 5.7. A correct simulator exceeds it
with probability 1.2e-8 for one score and 1.2e-6 for any of them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.simulation.workloads import WORKLOADS

from multiserver.model import MultiserverJobSystem
from multiserver.simulation import fcfs
from multiserver.simulation.estimate import estimate, z_score
from multiserver.simulation.fcfs import Workload, simulate
from multiserver.sizes import (
    Bimodal,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    Weibull,
)

from ..theory.references import close, erlang_c

Z = 5.7


# Exact formulas.


def assert_exact(found, exact):
    z = z_score(found, exact)
    assert abs(z) < Z, f"{found.mean} ± {found.half_width} for {exact}: z = {z}"


def run(workload, seed, jobs=20_000, replications=40, **options):
    return simulate(workload, jobs=jobs, replications=replications, seed=seed, **options)


def test_one_exponential_server():
    """M/M/1 with ρ = 0.7: N is geometric."""
    rho = 0.7
    done = run(Workload.of(MultiserverJobSystem.of(1, [1], [2.0], [1.0]), 2 * rho), 10)
    assert_exact(done.mean_jobs, rho / (1 - rho))
    assert_exact(done.mean_waiting, rho**2 / (1 - rho))
    assert_exact(done.mean_held, rho)
    assert_exact(done.mean_response_time, 1 / (2 - 2 * rho))
    for k in (0, 1, 4, 9, 20):
        assert_exact(done.tail(k), rho ** (k + 1))


@pytest.mark.parametrize(
    ("servers", "need", "k", "rho"), [(4, 1, 4, 0.8), (11, 3, 3, 0.6), (2000, 20, 100, 0.9)]
)
def test_several_exponential_servers(servers, need, k, rho):
    """M/M/k, k = ⌊n/v⌋, by Erlang's C."""
    system = MultiserverJobSystem.of(servers, [need], [0.5], [1.0])
    done = run(Workload.of(system, rho * k * 0.5), 11, levels=k + 20)
    waits = erlang_c(k, rho * k)
    assert_exact(done.mean_waiting, waits * rho / (1 - rho))
    assert_exact(done.mean_jobs, waits * rho / (1 - rho) + rho * k)
    assert_exact(done.mean_held, rho * k * need)
    assert_exact(done.mean_response_time, waits / (0.5 * k * (1 - rho)) + 2)
    assert_exact(done.tail(k - 1), waits)
    assert_exact(done.tail(k + 4), waits * rho**5)


SIZES = [
    Deterministic(0.5),
    Erlang(3, 4.0),
    Hyperexponential((2, 2 / 3), (0.5, 0.5)),
    Bimodal((5.0, 0.2), (1 / 6, 5 / 6)),
    Pareto(6.0, 1.0),
    Lognormal(1.0, 0.8),
    Weibull(0.7, 1.0),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda s: type(s).__name__)
def test_one_server_by_pollaczek_and_khinchine(size):
    """E[W] = λ E[S²]/(2 (1 − ρ)), P(N > 0) = ρ; the same if every job holds all servers."""
    rho = 0.6
    rate = rho / size.mean
    done = run(Workload(7, (7,), (size,), (1.0,), rate), 12)
    wait = rate * size.second_moment / (2 * (1 - rho))
    assert_exact(done.mean_waiting, rate * wait)
    assert_exact(done.mean_jobs, rate * (wait + size.mean))
    assert_exact(done.mean_response_time, wait + size.mean)
    assert_exact(done.tail(0), rho)
    assert_exact(done.mean_held, 7 * rho)


def test_classes_that_share_one_server():
    """Every class waits as long: E[T_c] = E[W] + E[S_c]."""
    sizes, p, rate = (Erlang(2, 4.0), Exponential(0.5), Deterministic(0.1)), (0.5, 0.2, 0.3), 0.9
    done = run(Workload(4, (4, 3, 4), sizes, p, rate), 13)
    second = math.fsum(q * s.second_moment for q, s in zip(p, sizes, strict=True))
    mean = math.fsum(q * s.mean for q, s in zip(p, sizes, strict=True))
    wait = rate * second / (2 * (1 - rate * mean))
    for c, size in enumerate(sizes):
        assert_exact(done.class_response_time(c), wait + size.mean)
    assert_exact(done.mean_response_time, wait + mean)


def test_independent_servers_hold_a_poisson_number():
    """Servers that never run out: N is Poisson whatever the sizes, and nobody waits."""
    sizes, p, rate = (Pareto(3.5, 0.5), Bimodal((1, 3), (0.5, 0.5))), (0.6, 0.4), 4.0
    workload = Workload(400, (1, 3), sizes, p, rate)
    done = run(workload, 14, jobs=10_000)
    mean = rate * math.fsum(q * s.mean for q, s in zip(p, sizes, strict=True))
    assert not done.areas[:, fcfs.WAITING].any()
    assert_exact(done.mean_jobs, mean)
    for k in (1, 4, 8):
        below = math.fsum(mean**i * math.exp(-mean) / math.factorial(i) for i in range(k + 1))
        assert_exact(done.tail(k), 1 - below)


@pytest.mark.parametrize("name", ["1-10-10", "values"])
def test_conservation(name):
    """Servers are held by the load, and by Little's law λ E[T] = E[N], class by class too."""
    workload = WORKLOADS[name]
    done = run(workload, 15)
    assert_exact(done.mean_held, workload.load * workload.servers)
    # One z-score for the difference of the two sides, replication by replication.
    measured = done.areas[:, fcfs.TIME] * workload.arrival_rate
    response = done.response_sums.sum(axis=1) / done.completions.sum(axis=1)
    difference = done.areas[:, fcfs.JOBS] - measured * response
    assert_exact(estimate(difference, measured, variance=1.0, jobs=1), 0.0)
    # The mean of all jobs is that of the classes, weighted by their numbers.
    classes = [done.class_response_time(c).mean for c in range(2)]
    weights = done.completions.sum(axis=0)
    assert done.mean_response_time.mean == close(classes @ weights / weights.sum(), rel=1e-12)
    # In service: what does not wait.
    serving = workload.arrival_rate * math.fsum(
        p * s.mean for p, s in zip(workload.probabilities, workload.sizes, strict=True)
    )
    in_service = done.areas[:, fcfs.JOBS] - done.areas[:, fcfs.WAITING]
    assert_exact(estimate(in_service, done.areas[:, fcfs.TIME], variance=1.0, jobs=1), serving)


def test_coverage_of_the_intervals():
    """1000 intervals of 10 replications each for M/M/1: 95 % cover, within five standard deviations
    (false alarm 6e-7 each) and 1 % for the skewness of the replications."""
    rho, groups = 0.5, 1000
    done = simulate(
        Workload(1, (1,), (Exponential(1),), (1,), rho), jobs=600, replications=10 * groups, seed=16
    )
    columns = {
        rho / (1 - rho): (done.areas[:, fcfs.JOBS], done.areas[:, fcfs.TIME]),
        rho: (done.areas[:, fcfs.HELD], done.areas[:, fcfs.TIME]),
        1 / (1 - rho): (done.response_sums[:, 0], done.completions[:, 0]),
    }
    for exact, (totals, weights) in columns.items():
        found = [
            estimate(*rows, variance=1.0, jobs=1)
            for rows in zip(totals.reshape(groups, 10), weights.reshape(groups, 10), strict=True)
        ]
        covered = np.mean([abs(e.mean - exact) <= e.margin for e in found])
        assert covered == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / groups) + 0.01)


def test_effective_size_counts_independent_jobs():
    """Without queueing, response times are independent durations: as many as were measured."""
    done = run(Workload(400, (1,), (Exponential(1),), (1,), 4.0), 17, jobs=5000, replications=200)
    found = done.mean_response_time
    assert found.jobs == 200 * 4000
    assert abs(math.log(found.effective_size / found.jobs)) < 5 * math.sqrt(2 / 199)
    # Their mean and variance are 1.
    assert found.effective_size * found.standard_error**2 == close(1.0, rel=0.02)
