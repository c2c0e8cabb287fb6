"""The job-level simulator against M/M/k.

There are eighteen z-scores in this file; each may reach Z = 5.7, which a correct simulator exceeds
with probability 1.2e-8.
"""

from __future__ import annotations

import math

import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.simulation.estimate import z_score
from multiserver.simulation.fcfs import Workload, simulate
from multiserver.sizes import Exponential

from ..theory.references import close, erlang_c

Z = 5.7


def assert_exact(found, exact):
    z = z_score(found, exact)
    assert abs(z) < Z, f"{found.mean} ± {found.half_width} for {exact}: z = {z}"


def run(workload, seed, jobs=20_000, replications=40, **options):
    return simulate(workload, jobs=jobs, replications=replications, seed=seed, **options)


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


def test_effective_size_counts_independent_jobs():
    """Without queueing, response times are independent durations: as many as were measured."""
    done = run(Workload(400, (1,), (Exponential(1),), (1,), 4.0), 17, jobs=5000, replications=200)
    found = done.mean_response_time
    assert found.jobs == 200 * 4000
    assert abs(math.log(found.effective_size / found.jobs)) < 5 * math.sqrt(2 / 199)
    # Their mean and variance are 1.
    assert found.effective_size * found.standard_error**2 == close(1.0, rel=0.02)
