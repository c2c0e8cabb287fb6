"""Servers held by jobs drawn or given, by hand and against the exact solver."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation.estimate import z_score
from multiserver.simulation.saturated import replay

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
