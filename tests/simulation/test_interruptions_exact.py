"""Simulated interruptions against exact means: one server, and balanced fairness at every m."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from tests.simulation.interrupted import FALSE_ALARM, PAPER_SIZE

from atlas.enumeration import balance
from multiserver.simulation.estimate import z_score
from multiserver.simulation.interruptions import Cluster, ParallelClass, simulate
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Hyperexponential, Pareto

from ..theory.references import close

# One server.


def round_robin(arrival_rate, size, theta):
    """E[T] of one server of capacity 1 with quanta Exp(1/θ) and hyperexponential sizes, exactly.

    A visit of a job of branch b lasts s_b = 1/(1/θ + μ_b) on average, and the job comes back with
    probability q_b. If it finds n jobs, branch by branch, it finds A n + λ p s_b on average after
    the next visit, where A = diag(q) + λ p s', so that E[T_b | n] is linear in n; an arriving job
    finds E[N] on average, and E[N_b] = λ p_b E[T_b].
    """
    mu, p = np.array(size.rates), np.array(size.probabilities)
    s = 1 / (1 / theta + mu)
    q = s / theta
    into = arrival_rate * p
    A = np.diag(q) + np.outer(into, s)
    slope = np.array([np.linalg.solve(np.eye(len(q)) - q_b * A.T, s) for q_b in q])
    level = (s + q * (slope @ into) * s) / (1 - q)
    responses = np.linalg.solve(np.eye(len(q)) - slope * into, level)
    return p @ responses


def check(estimates, exact, accuracy=0.02):
    """Every estimate is close enough to its exact value, and known well enough to say so."""
    for found, value in zip(estimates, exact, strict=True):
        assert found.half_width <= accuracy * found.mean
        assert abs(z_score(found, value)) < FALSE_ALARM


def test_round_robin_tends_to_fcfs_and_processor_sharing():
    """The exact means of `round_robin`: θ → ∞ Pollaczek–Khinchine, θ → 0 processor sharing.

    1 − q_b is of order θ: at 1e-9, seven digits are left of it.
    """
    wait = 0.5 * PAPER_SIZE.second_moment / (2 * (1 - 0.5))
    assert round_robin(0.5, PAPER_SIZE, 1e9) == close(1 + wait, rel=1e-7)
    assert round_robin(0.5, PAPER_SIZE, 1e-9) == close(2, rel=1e-6)
    exponential = Hyperexponential((1, 1), (0.3, 0.7))
    for theta in (0.1, 1, 10):
        assert round_robin(0.5, exponential, theta) == close(2, rel=1e-13)


@pytest.mark.parametrize(
    "size",
    [
        PAPER_SIZE,
        Deterministic(1),
        Exponential(1),
        Bimodal((0.5, 3), (0.8, 0.2)),
        Erlang(2, 2),
        Pareto(6, 1),
    ],
    ids=lambda size: type(size).__name__,
)
def test_no_interruptions_is_pollaczek_khinchine(size):
    """Capacity 2, so that a size of x takes x/2."""
    rate = 1.2 / size.mean
    cluster = Cluster((2,), (ParallelClass(rate, size, (0,)),), 0)
    found = simulate(cluster, seed=21, replications=range(40), warmup=10_000, jumps=60_000)
    response = size.mean / 2 + rate * size.second_moment / 4 / (2 * (1 - 0.6))
    check(found.response_time, [response], 0.03)
    check(found.jobs, [rate * response], 0.03)
    check(found.service_rate, [size.mean / response], 0.03)


@pytest.mark.parametrize("m", [0.5, 5, 50])
def test_one_server_at_any_rate_of_interruptions(m):
    cluster = Cluster((1,), (ParallelClass(0.5, PAPER_SIZE, (0,)),), m)
    jumps = int(40_000 * (1 + m / 4))
    found = simulate(cluster, seed=22, replications=range(24), warmup=jumps // 10, jumps=jumps)
    check(found.response_time, [round_robin(0.5, PAPER_SIZE, 1 / m)], 0.05)
    check(found.interruptions, [m], 0.03)


# Several servers and exponential sizes: the same for every m.


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
    check(found.interruptions, [m, m])


@pytest.mark.parametrize(("d", "m"), [(1, 2), (2, 0), (2, 3), (3, 1), (6, 1)])
def test_random_assignment(d, m):
    """S = 6 and sizes of mean 1."""
    S, rate = 6, 4.2
    cluster = Cluster((1,) * S, (ParallelClass(rate, Exponential(1), d),), m)
    jumps = 30_000 * (1 + m)
    found = simulate(cluster, seed=32, replications=range(24), warmup=jumps // 10, jumps=jumps)
    check(found.response_time, [balance.random_assignment(S, d, 1, rate)], 0.03)


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
