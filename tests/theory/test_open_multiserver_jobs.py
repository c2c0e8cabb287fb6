"""FCFS multiserver jobs with arrivals against the second route, M/M/n and the saturated system in
heavy traffic."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.policies import FirstCome
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process
from multiserver.open.multiserver_jobs import MAX_BLOCK_ENTRIES, prepare
from multiserver.open.phase_count import block_entries
from multiserver.open.qbd import UnstableError, solve
from multiserver.phased import PhasedJobs
from multiserver.saturated import stationary
from multiserver.sizes import Exponential

from .references import close, erlang_c
from .second_route import rule_of

ONE_OR_TEN = (10, (1, 10), (1.0, 1.0), (0.9, 0.1))
SYSTEMS = [
    ONE_OR_TEN,
    (10, (1, 10), (10.0, 1.0), (0.7, 0.3)),
    (10, (1, 5, 10), (1.0, 2.0, 0.5), (0.7, 0.2, 0.1)),
    (30, (3, 10), (2.0, 1.0), (0.6, 0.4)),
    (7, (5, 2, 3), (0.5, 3.0, 1.0), (0.25, 0.5, 0.25)),
    (6, (2, 2, 5), (2.0, 0.3, 1.0), (0.3, 0.5, 0.2)),
    (5, (4, 5), (1.0, 3.0), (0.5, 0.5)),
    # M/M/2, with two servers too many.
    (8, (3, 3), (2.0, 2.0), (0.4, 0.6)),
]
every_system = pytest.mark.parametrize(("n", "needs", "rates", "p"), SYSTEMS)


def blocks_of(n, needs, rates, p):
    return prepare(MultiserverJobSystem.of(n, needs, rates, p))


def at_load(blocks, load):
    """The stationary distribution at λ = load λ*."""
    return solve(blocks.at(load * blocks.throughput))


def first_come(n, needs, rates, p):
    return rule_of(FirstCome, n, needs, map(Exponential, rates), p)


@every_system
def test_means_are_those_of_the_second_route(n, needs, rates, p):
    blocks, chain = blocks_of(n, needs, rates, p), FrontChain(first_come(n, needs, rates, p))
    assert blocks.throughput == close(chain.limit, rel=1e-12)
    for load in (1 / 3, 0.9):
        distribution, expected = at_load(blocks, load), chain.means(load * blocks.throughput)
        assert distribution.mean_jobs == close(expected.jobs, rel=1e-10)
        assert distribution.mean_waiting == close(expected.waiting, rel=1e-10)
        levels = np.array(expected.levels)
        some = np.arange(len(levels) // 3)
        np.testing.assert_allclose(distribution.level_probability(some), levels[some], rtol=1e-10)
        over = [expected.tail(k) for k in some]
        np.testing.assert_allclose(distribution.tail(some), over, rtol=1e-8)
        spread = levels @ (np.arange(len(levels)) - expected.jobs) ** 2
        assert distribution.variance == close(spread, rel=1e-9)


def test_empty_systems_that_have_no_float_cost_nothing():
    """M/M/n by levels and by fronts: an empty system has a probability below 1e-308."""
    servers, load = 800, 0.97
    system, rate = MultiserverJobSystem.of(servers, (1,), (1.0,), (1.0,)), load * servers
    levels = solve(prepare(system).at(rate))
    fronts = age_process.prepare(PhasedJobs.exponential(system)).at(rate)
    waiting = erlang_c(servers, rate) * load / (1 - load)
    for found in (levels, fronts):
        assert found.mean_jobs == close(rate + waiting, rel=1e-9)
        assert found.mean_waiting == close(waiting, rel=1e-9)


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
def test_instability(n, needs, rates, p):
    blocks = blocks_of(n, needs, rates, p)
    for rate in (blocks.throughput, 3 * blocks.throughput):
        with pytest.raises(UnstableError) as error:
            solve(blocks.at(rate))
        assert f"{rate!r}" in str(error.value)
        named = float(str(error.value).rsplit("λ* = ")[1])
        assert named == close(blocks.throughput, rel=1e-13)


@pytest.mark.parametrize("needs", [(1, 5, 10), (1, 2, 3, 5)])
def test_too_many_fronts(needs):
    share = 1 / len(needs)
    with pytest.raises(ValueError, match="matrices of more than 30000000 numbers"):
        blocks_of(100, needs, [1.0] * len(needs), [share] * len(needs))


# Phases counted without listing them.


@pytest.mark.parametrize(
    ("servers", "needs"),
    [
        (1, [1]),
        (7, [3]),
        (10, [1, 10]),
        (30, [3, 10]),
        (12, [1, 4, 6]),
        (16, [1, 4, 16]),
        (9, [2, 2, 5]),
    ],
)
def test_the_count_is_that_of_the_levels(servers, needs):
    rates, p = [1.0] * len(needs), [1 / len(needs)] * len(needs)
    blocks = prepare(MultiserverJobSystem.of(servers, needs, rates, p))
    assert block_entries(servers, needs) == sum(len(level) ** 2 for level in blocks.fronts[:-1])
    # In units a thousand million times as small, the columns of an array would take gigabytes.
    many = [10**9 * v for v in needs]
    assert block_entries(10**9 * servers + 1, many) == block_entries(servers, needs)


def test_what_cannot_be_solved_is_counted_in_no_time():
    assert block_entries(48, [1, 3, 7, 24]) > MAX_BLOCK_ENTRIES
    assert block_entries(10**8, [1, 10**8]) == float("inf")
    assert block_entries(10**9, [10**6, 10**6 + 1, 10**6 + 7]) == float("inf")


def test_a_need_above_the_servers_is_refused():
    with pytest.raises(ValueError, match="needs must lie in"):
        block_entries(4, [1, 5])
