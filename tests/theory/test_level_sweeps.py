"""Sweeps over levels: against dense matrices of fronts, with phases and with many fronts, against
simulation, Little's law class by class and light traffic; `test_phased` has another process."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.enumeration.elimination import stationary
from multiserver.errors import NotKnownError, TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, fcfs_levels, iteration
from multiserver.open.anderson import Mixing
from multiserver.open.gauss_seidel import balancing_factors
from multiserver.phase_type import coxian
from multiserver.phased import PhasedJobs
from multiserver.simulation import fcfs
from multiserver.simulation.workload import Workload
from multiserver.sizes import Erlang, Exponential, Hyperexponential

from .references import close

COX = coxian((2.0, 0.5, 4.0), (0.4, 0.7))
PHASED = {
    "Erlang and Cox": (3, (1, 3), (Erlang(2, 1.0), COX), (0.7, 0.3)),
    "branches": (6, (1, 5), (Hyperexponential((3.0, 0.2), (0.9, 0.1)), Erlang(2, 1.0)), (0.8, 0.2)),
    "three classes": (
        9,
        (1, 2, 4),
        (Erlang(2, 4.0), Exponential(0.5), Erlang(3, 1.0)),
        (0.5, 0.3, 0.2),
    ),
    # Phases that are left for earlier ones.
    "loops": (5, (1, 2), (COX, Hyperexponential((1.0, 4.0), (0.5, 0.5))), (0.6, 0.4)),
    "five classes": (
        10,
        (1, 2, 3, 5, 10),
        tuple(Exponential(r) for r in (1.0, 0.8, 0.6, 0.5, 0.4)),
        (0.4, 0.25, 0.15, 0.12, 0.08),
    ),
    "needs 1 and n": (40, (1, 40), (Exponential(1.0), Exponential(0.2)), (0.96, 0.04)),
}


@pytest.mark.parametrize("case", PHASED.values(), ids=PHASED.keys())
def test_against_dense_matrices_of_fronts(case):
    jobs = PhasedJobs.of(*case)
    process, dense = fcfs_levels.prepare(jobs), age_process.prepare(jobs)
    assert process.limit == dense.limit
    for fraction in (0.3, 0.95):
        distribution, other = (x.at(fraction * process.limit) for x in (process, dense))
        assert distribution.class_response_times == close(other.class_response_times, 1e-10)
        assert distribution.mean_waiting == close(other.mean_waiting, 1e-10, abs=1e-13)
        assert [distribution.tail(k) for k in (1, 8, 40)] == close(
            [other.tail(k) for k in (1, 8, 40)], 1e-9, abs=1e-12
        )
        # Little's law, which the sweeps do not know, of all jobs and class by class.
        assert distribution.mean_jobs == close(
            distribution.arrival_rate * distribution.mean_response_time, 1e-11
        )
        assert distribution.imprecision < 1e-10


def test_simulation_of_three_needs_on_100_servers():
    """3,136 fronts. One test in a million would fail by chance: 32 replications, Student's t."""
    system = MultiserverJobSystem.of(100, (1, 2, 5), (1.0, 0.5, 2.0), (0.5, 0.3, 0.2))
    process = fcfs_levels.prepare(PhasedJobs.exponential(system))
    distribution = process.at(0.9 * process.limit)
    assert distribution.imprecision < 1e-10
    found = fcfs.simulate(
        Workload.of(system, distribution.arrival_rate),
        jobs=400_000,
        replications=32,
        seed=17,
        warm_up=0.3,
        confidence=1 - 1e-6,
    )
    mean = found.mean_response_time
    assert abs(mean.mean - distribution.mean_response_time) < mean.half_width
    assert mean.half_width < 0.015 * distribution.mean_response_time


def test_light_traffic_of_1000_servers():
    """At λ → 0 a job meets nobody, and P(N > 0) = 1 − exp(−λ E[X]) is that of M/M/∞."""
    system = MultiserverJobSystem.of(1000, (1, 400, 700), (1.0, 0.5, 4.0), (0.7, 0.2, 0.1))
    process = fcfs_levels.prepare(PhasedJobs.exponential(system))
    distribution = process.at(1e-7 * process.limit)
    assert distribution.class_response_times == close([1.0, 2.0, 0.25], 1e-5)
    services = np.dot(system.probabilities, 1 / np.array(system.rates))
    assert distribution.tail(0) == close(-np.expm1(-distribution.arrival_rate * services), 1e-5)


@pytest.mark.parametrize("rate", [1e-8, 1e-30])
@pytest.mark.parametrize("durations", [(Exponential(1.0), Exponential(0.5)), (Erlang(2, 2.0), COX)])
def test_masses_may_underflow(rate, durations):
    jobs = PhasedJobs.of(8, (1, 3), durations, (0.7, 0.3))
    distribution = fcfs_levels.prepare(jobs).at(rate)
    assert distribution.class_response_times == close([X.mean for X in durations], 1e-7)
    assert distribution.imprecision < 1e-10


def test_scales_balance_a_chain_of_levels():
    """Against its stationary distribution: up by one at rate λ, down by i + 1 or more at t_qi."""
    rng = np.random.default_rng(1)
    top, most, rate, fall = 60, 4, 0.6, 0.0
    mass = rng.uniform(0.5, 2.0, top + 1)
    draws = mass[:, None] * np.cumsum(rng.uniform(0.1, 0.5, (top + 1, most)), axis=1)[:, ::-1]
    scales = balancing_factors(mass, draws, rate, fall)
    moves = np.zeros((top + 1, top + 1))
    jumps = draws - np.append(draws[:, 1:], np.zeros((top + 1, 1)), axis=1)
    for q in range(top + 1):
        if q < top:
            moves[q, q + 1] = rate
        for i in range(most):
            moves[q, max(q - i - 1, 0)] += jumps[q, i] / mass[q]
    np.fill_diagonal(moves, 0.0)
    found = scales * mass
    assert found / found.sum() == close(stationary(moves), 1e-8, abs=1e-14)


def test_mixing_ends_after_as_many_points_as_there_are_unknowns():
    rng = np.random.default_rng(2)
    A, b = rng.uniform(-1, 1, (6, 6)) / 4, rng.uniform(-1, 1, 6)
    mixing, x = Mixing(6), np.zeros(6)
    for _ in range(8):
        x = mixing.next(x, A @ x + b)
    assert x == close(np.linalg.solve(np.eye(6) - A, b), 1e-9)
    plain = np.zeros(6)
    for _ in range(8):
        plain = A @ plain + b
    assert abs(plain - x).max() > 1e-6


def test_refusals(monkeypatch):
    jobs = PhasedJobs.of(3, (1, 3), (Erlang(2, 1.0), COX), (0.7, 0.3))
    process = fcfs_levels.prepare(jobs)
    with pytest.raises(UnstableError, match=r"below λ\* = ") as caught:
        process.at(1.01 * process.limit)
    assert caught.value.limit == process.limit
    large = PhasedJobs.of(300, (1, 2, 5), (Exponential(1.0),) * 3, (0.4, 0.3, 0.3))
    with pytest.raises(TooLargeError, match=r"fronts; 200000 fit"):
        fcfs_levels.prepare(large)
    many = PhasedJobs.of(9_000, (1, 9_000), (Exponential(1.0),) * 2, (0.9999, 0.0001))
    with pytest.raises(TooLargeError, match=r"are drawn at once"):
        fcfs_levels.prepare(many).at(0.1)
    monkeypatch.setattr(iteration, "MOST_SWEEPS", 3)
    with pytest.raises(NotKnownError, match="after 3 sweeps over 16 levels"):
        process.at(0.5 * process.limit)
    monkeypatch.setattr(iteration, "MOST_NUMBERS", 10)
    with pytest.raises(TooLargeError, match=r"more than 1e\+01 numbers"):
        process.at(0.5 * process.limit)
