"""FCFS multiserver jobs with arrivals against the second route and a chain that knows every job."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.policies import FirstCome
from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.sizes import Exponential

from .references import close, erlang_c
from .second_route import drawn_on_arrival, front_of, rule_of

ONE_OR_TEN = (10, (1, 10), (1.0, 1.0), (0.9, 0.1))
SYSTEMS = [
    ONE_OR_TEN,
    (10, (1, 10), (10.0, 1.0), (0.7, 0.3)),
    (10, (1, 5, 10), (1.0, 2.0, 0.5), (0.7, 0.2, 0.1)),
    (30, (3, 10), (2.0, 1.0), (0.6, 0.4)),
    (7, (5, 2, 3), (0.5, 3.0, 1.0), (0.25, 0.5, 0.25)),
    (6, (2, 2, 5), (2.0, 0.3, 1.0), (0.3, 0.5, 0.2)),
    (5, (4, 5), (1.0, 3.0), (0.5, 0.5)),
]
every_system = pytest.mark.parametrize(("n", "needs", "rates", "p"), SYSTEMS)


def blocks_of(n, needs, rates, p):
    return prepare(MultiserverJobSystem.of(n, needs, rates, p))


def at_load(blocks, load):
    """The stationary distribution at λ = load λ*."""
    return solve(blocks.at(load * blocks.throughput))


def first_come(n, needs, rates, p):
    return rule_of(FirstCome, n, needs, map(Exponential, rates), p)


@pytest.mark.parametrize(
    ("system", "load", "room"),
    [
        (ONE_OR_TEN, 0.01, 10),
        (SYSTEMS[2], 0.008, 8),
        (SYSTEMS[4], 0.01, 8),
        (SYSTEMS[5], 0.02, 8),
    ],
)
def test_light_traffic_job_by_job(system, load, room):
    """The whole queue is kept: little enough traffic that its room cuts off 1e-11 of E[N]."""
    blocks = blocks_of(*system)
    distribution = at_load(blocks, load)
    rule, arrival_rate = first_come(*system), load * blocks.throughput
    levels, served = np.zeros(room + 1), 0.0
    for jobs, mass in drawn_on_arrival(rule, arrival_rate, room).items():
        levels[len(jobs)] += mass
        served += mass * rule.in_service(front_of(rule, jobs))
    assert distribution.mean_jobs == close(levels @ np.arange(room + 1), rel=1e-10)
    assert distribution.mean_in_service == close(served, rel=1e-10)
    np.testing.assert_allclose(distribution.level_probability(range(4)), levels[:4], rtol=1e-10)


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


def test_front_of_one_job_at_a_time():
    """Needs above n/2: an M/G/1 queue of hyperexponential jobs (Pollaczek and Khinchine)."""
    blocks = blocks_of(5, (3, 4), (1.0, 4.0), (0.25, 0.75))
    mean, square = 0.25 + 0.75 / 4, 2 * (0.25 + 0.75 / 16)
    assert blocks.throughput == close(1 / mean, rel=1e-14)
    for load in (1e-3, 0.5, 0.999):
        rate, distribution = load / mean, at_load(blocks, load)
        waiting = rate**2 * square / (2 * (1 - load))
        assert distribution.mean_waiting == close(waiting, rel=1e-12 / (1 - load))
        assert distribution.mean_jobs == close(waiting + load, rel=1e-12 / (1 - load))


@pytest.mark.parametrize("servers", [1, 2, 10, 30])
@pytest.mark.parametrize("load", [0.01, 0.7, 0.99])
def test_jobs_of_one_need_are_an_m_m_k_queue(servers, load):
    """Two classes alike on 3k + 2 servers of which each job holds 3: Erlang's C formula."""
    blocks = blocks_of(3 * servers + 2, (3, 3), (2.0, 2.0), (0.4, 0.6))
    assert blocks.throughput == close(2.0 * servers, rel=1e-13)
    distribution = at_load(blocks, load)
    delayed = erlang_c(servers, load * servers)
    assert distribution.mean_in_service == close(load * servers, rel=1e-12)
    assert distribution.mean_waiting == close(delayed * load / (1 - load), rel=1e-11)
    assert distribution.tail(servers - 1) == close(delayed, rel=1e-11)
    assert distribution.decay_rate == close(load, rel=1e-12)
