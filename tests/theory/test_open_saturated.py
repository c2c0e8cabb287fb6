"""Queues of multiserver jobs near and beyond saturation, and properties of every system."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.theory.test_open_multiserver_jobs import at_load, blocks_of, every_system

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import UNSAMPLED, prepare
from multiserver.open.qbd import UnstableError, solve
from multiserver.saturated import stationary

from .references import close

# Saturation.


@every_system
def test_heavy_traffic(n, needs, rates, p):
    """E[N] (1 − ρ) → E[Δ(Y_d)] + 1, and the error is linear in 1 − ρ."""
    blocks = blocks_of(n, needs, rates, p)
    saturated = stationary.solve(blocks.system)
    assert blocks.throughput == close(saturated.throughput, rel=1e-13)
    limit = saturated.mean_relative_completions + 1
    gaps = 10.0 ** -np.arange(2, 8)
    scaled = np.array([at_load(blocks, 1 - gap).mean_jobs * gap for gap in gaps])
    slopes = (scaled - limit) / (gaps * limit)
    # 1 − ρ is itself known to 1e-16/(1 − ρ), the slope to 1e-16/(1 − ρ)² times some tens.
    assert slopes[-2] == close(slopes[-3], rel=2e-3)
    assert slopes[2] == close(slopes[-3], rel=0.01)
    assert abs(slopes[-3]) < 10
    assert scaled[-1] == close(limit, rel=1e-5)
    assert scaled[4] == close(limit * (1 + slopes[-3] * gaps[4]), rel=2e-8)


@every_system
def test_saturated_fronts(n, needs, rates, p):
    """The repeating level's completions are those of the saturated chain."""
    blocks = blocks_of(n, needs, rates, p)
    chain = stationary.solve(blocks.system).chain
    row = {front: i for i, front in enumerate(blocks.fronts[-1])}
    order = [
        row[tuple(counts), head]
        for counts, head in zip(chain.in_service.tolist(), chain.blocking.tolist(), strict=True)
    ]
    jumps = sum(chain.transitions()).toarray() * chain.completion_rate[:, None]
    down = blocks.completions[-1][np.ix_(order, order)]
    np.testing.assert_allclose(down, jumps, rtol=1e-13, atol=1e-15)


@every_system
def test_instability(n, needs, rates, p):
    blocks = blocks_of(n, needs, rates, p)
    for rate in (blocks.throughput, 3 * blocks.throughput):
        with pytest.raises(UnstableError) as error:
            solve(blocks.at(rate))
        assert f"{rate!r}" in str(error.value)
        named = float(str(error.value).rsplit("λ* = ")[1])
        assert named == close(blocks.throughput, rel=1e-13)


# What holds in every system.


@st.composite
def systems(draw):
    n = draw(st.integers(1, 9))
    classes = draw(st.integers(1, 3))
    needs = [draw(st.integers(1, n)) for _ in range(classes)]
    rates = [10.0 ** draw(st.integers(-2, 2)) for _ in range(classes)]
    weights = np.array([draw(st.integers(1, 20)) for _ in range(classes)])
    return MultiserverJobSystem.of(n, needs, rates, weights / weights.sum())


@settings(max_examples=40)
@given(systems(), st.sampled_from([0.001, 0.3, 0.8, 0.999]))
def test_any_system(system, load):
    blocks = prepare(system)
    assert blocks.throughput == close(stationary.solve(system).throughput, rel=1e-11)
    distribution = at_load(blocks, load)
    durations = math.fsum(p / mu for p, mu in zip(system.probabilities, system.rates, strict=True))
    arrival_rate = load * blocks.throughput
    assert distribution.mean_in_service == close(arrival_rate * durations, rel=1e-9)
    # Little's law for the jobs of each class in service.
    for c, (p, mu) in enumerate(zip(system.probabilities, system.rates, strict=True)):
        in_class = [np.array([u[c] for u, _ in fronts]) for fronts in blocks.fronts]
        served = sum(x @ u for x, u in zip(distribution.boundary, in_class, strict=False))
        assert served + distribution.above @ in_class[-1] == close(arrival_rate * p / mu, rel=1e-9)
    assert distribution.mean_jobs == close(
        distribution.mean_in_service + distribution.mean_waiting, rel=1e-12
    )
    total = sum(x.sum() for x in distribution.boundary) + distribution.above.sum()
    assert total == close(1, rel=1e-14)
    assert distribution.above.min() >= 0
    assert min(x.min() for x in distribution.boundary) > 0
    assert 0 < distribution.decay_rate < 1


@every_system
def test_levels(n, needs, rates, p):
    """B = ⌊n/v_min⌋; every state of a level is reached, and a front never exceeds the jobs."""
    blocks = blocks_of(n, needs, rates, p)
    assert blocks.at(1e-3).top == n // min(needs)
    for k, (fronts, entries) in enumerate(zip(blocks.fronts[:-1], blocks.entries, strict=False)):
        assert len(set(fronts)) == len(fronts)
        assert all(sum(counts) + (head != UNSAMPLED) <= k for counts, head in fronts)
        np.testing.assert_allclose(entries.sum(axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize("needs", [(1, 5, 10), (1, 2, 3, 5)])
def test_too_many_fronts(needs):
    share = 1 / len(needs)
    with pytest.raises(ValueError, match="matrices of more than 30000000 numbers"):
        blocks_of(100, needs, [1.0] * len(needs), [share] * len(needs))
