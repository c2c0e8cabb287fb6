"""Servers held by jobs drawn or given, by hand and against the exact solver."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation.estimate import z_score
from multiserver.simulation.saturated import mean_servers_held, replay
from multiserver.sizes import Deterministic, Exponential

SYSTEM = MultiserverJobSystem.of(10, [1, 3, 8], [1.0, 0.5, 0.2], [0.5, 0.3, 0.2])


def test_replaying_a_few_jobs_by_hand():
    # On 4 servers: jobs of 3 and 1 hold all until 2, then 1 is held and the next, of 4, waits until
    # 5; it holds all until 6. The last two, of 2 each, start then.
    needs, durations = np.array([3, 1, 4, 2, 2]), np.array([2.0, 5.0, 1.0, 1.0, 1.0])
    found = replay(4, needs, durations, 2)
    assert found.mean == pytest.approx((2 * 4 + 3 * 1 + 1 * 4) / 6)
    assert found.jobs == 5


def test_replayed_jobs_agree_with_the_exact_solver():
    rng = np.random.default_rng(11)
    c = rng.choice(3, size=60_000, p=SYSTEM.probabilities)
    needs = np.array(SYSTEM.needs)[c]
    durations = rng.standard_exponential(len(c)) / np.array(SYSTEM.rates)[c]
    found = replay(SYSTEM.servers, needs, durations, 32)
    exact = SYSTEM.servers - dispatch.solve(SYSTEM).wastage
    # One score: beyond 5 with a probability of 6e-7.
    assert abs(z_score(found, exact)) < 5
    assert found.half_width < 0.02 * exact


def test_drawn_jobs_agree_with_the_exact_solver():
    sizes = [Exponential(rate) for rate in SYSTEM.rates]
    found = mean_servers_held(SYSTEM, sizes, jobs=200_000, replications=32, seed=3)
    # One score: beyond 5 with a probability of 6e-7.
    assert abs(z_score(found, SYSTEM.servers - dispatch.solve(SYSTEM).wastage)) < 5


def test_jobs_of_constant_durations_drawn_and_replayed():
    """Two routes: compiled code that draws job by job, and a list of jobs drawn beforehand."""
    sizes = [Deterministic(1 / rate) for rate in SYSTEM.rates]
    drawn = mean_servers_held(SYSTEM, sizes, jobs=400_000, replications=32, seed=5)
    c = np.random.default_rng(6).choice(3, size=100_000, p=SYSTEM.probabilities)
    durations = np.array([size.value for size in sizes])[c]
    replayed = replay(SYSTEM.servers, np.array(SYSTEM.needs)[c], durations, 32)
    # The score of a difference of independent means: beyond 6 with a probability below 1e-6.
    spread = np.hypot(drawn.standard_error, replayed.standard_error)
    assert abs(drawn.mean - replayed.mean) < 6 * spread
    exponential = SYSTEM.servers - dispatch.solve(SYSTEM).wastage
    assert abs(drawn.mean - exponential) > 20 * spread
