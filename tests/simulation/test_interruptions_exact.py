"""Simulated interruptions against balanced fairness, which is exact at every m if sizes are
exponential, and a limit if they are not."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from tests.simulation.interrupted import FALSE_ALARM, PAPER_SIZE

from atlas.enumeration import balance
from multiserver.simulation.estimate import z_score
from multiserver.simulation.interruptions import Cluster, ParallelClass, simulate
from multiserver.sizes import Deterministic, Exponential


def check(estimates, exact, accuracy=0.02):
    """Every estimate is close enough to its exact value, and known well enough to say so."""
    for found, value in zip(estimates, exact, strict=True):
        assert found.half_width <= accuracy * found.mean
        assert abs(z_score(found, value)) < FALSE_ALARM


def fair_jobs(arrival_rates, sets, capacities):
    """E[X_i] under balanced fairness, for sizes of mean 1."""
    return balance.means(capacities, [frozenset(s) for s in sets], arrival_rates).class_jobs


@pytest.mark.parametrize("m", [0, 1, 5])
@pytest.mark.parametrize(
    ("rates", "sets", "capacities"),
    [
        ((0.9, 0.9), ((0, 2), (1, 2)), (1, 1, 1)),
        ((1.0, 0.3), ((0, 1), (1,)), (1, 1)),
        ((0.4, 1.5), ((2, 0), (1, 2)), (0.5, 1, 2)),
    ],
)
def test_exponential_sizes_give_balanced_fairness_at_every_m(rates, sets, capacities, m):
    classes = tuple(map(ParallelClass, rates, [Exponential(1)] * 2, sets))
    cluster = Cluster(capacities, classes, m)
    jumps = 30_000 * (1 + m)
    found = simulate(cluster, seed=31, replications=range(24), warmup=jumps // 10, jumps=jumps)
    exact = fair_jobs(rates, sets, capacities)
    check(found.jobs, exact, 0.03)
    check(found.service_rate, [λ / x for λ, x in zip(rates, exact, strict=True)], 0.03)
    check(found.response_time, [x / λ for λ, x in zip(rates, exact, strict=True)], 0.03)
    check(found.interruptions, [m, m])


@pytest.mark.parametrize(("size", "sign"), [(PAPER_SIZE, 1), (Deterministic(1), -1)])
def test_interruptions_lead_to_balanced_fairness(size, sign):
    """Three servers: γ tends to balanced fairness with m, from below if sizes vary more than the
    exponential and from above if less. 2 % is left at m = 40, where the gap falls as 1/m."""
    rates, sets = (0.6, 0.6), ((0, 2), (1, 2))
    limit = 0.6 / fair_jobs(rates, sets, (1, 1, 1))[0]
    gap = []
    for m in (0, 1, 5, 40):
        cluster = Cluster((1, 1, 1), tuple(map(ParallelClass, rates, [size] * 2, sets)), m)
        jumps = 60_000 + 10_000 * m
        found = simulate(cluster, seed=33, replications=range(24), warmup=jumps // 10, jumps=jumps)
        error = found.service_rate[0].standard_error
        assert error < 0.01 * limit
        gap.append((sign * (limit - found.service_rate[0].mean), error))
    for (far, error), (near, other) in pairwise(gap[:3]):
        assert far - near > FALSE_ALARM * math.hypot(error, other)
    assert abs(gap[3][0]) < 0.02 * limit + FALSE_ALARM * gap[3][1]
