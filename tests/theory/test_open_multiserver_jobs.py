"""FCFS multiserver jobs with arrivals against chains that follow every job, and heavy traffic."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve

from .references import close, shifted
from .sparse_chains import explore

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


# Job by job: the state is the classes of all jobs in the system in the order of arrival. Under
# FCFS those in service are the longest prefix that fits, in which the order does not matter.


def in_service(n, needs, jobs):
    held = 0
    for i, c in enumerate(jobs):
        held += needs[c]
        if held > n:
            return i
    return len(jobs)


def canonical(n, needs, jobs):
    served = in_service(n, needs, jobs)
    return (*sorted(jobs[:served]), *jobs[served:])


def follow_every_job(n, needs, rates, p, arrival_rate, room):
    """P(N = k), E[N] and E[N in service] with at most `room` jobs in the system."""

    def successors(jobs):
        for c in range(len(needs)):
            if len(jobs) < room:
                yield canonical(n, needs, (*jobs, c)), arrival_rate * p[c]
        for i in range(in_service(n, needs, jobs)):
            yield canonical(n, needs, (*jobs[:i], *jobs[i + 1 :])), rates[jobs[i]]

    distribution = explore((), successors)
    jobs = np.zeros(room + 1)
    for state, probability in distribution.items():
        jobs[len(state)] += probability
    served = sum(q * in_service(n, needs, state) for state, q in distribution.items())
    return jobs, jobs @ np.arange(room + 1), served


@pytest.mark.parametrize(
    ("system", "load", "room"),
    [
        (ONE_OR_TEN, 0.01, 10),
        (SYSTEMS[1], 0.002, 9),
        (SYSTEMS[2], 0.008, 8),
        (SYSTEMS[3], 0.05, 11),
        (SYSTEMS[4], 0.01, 8),
        (SYSTEMS[5], 0.02, 8),
        (SYSTEMS[6], 0.05, 11),
    ],
)
def test_light_traffic_job_by_job(system, load, room):
    """The whole queue is kept: little enough traffic that its room cuts off 1e-11 of E[N]."""
    blocks = blocks_of(*system)
    distribution = at_load(blocks, load)
    jobs, mean, served = follow_every_job(*system, load * blocks.throughput, room)
    assert distribution.mean_jobs == close(mean, rel=1e-10)
    assert distribution.mean_in_service == close(served, rel=1e-10)
    np.testing.assert_allclose(distribution.level_probability(range(4)), jobs[:4], rtol=1e-10)


# With classes sampled when they are needed: (u, h, jobs waiting unsampled) and a longer queue.


def start_jobs(n, needs, p, counts, head, unsampled):
    """The distribution of the state once all jobs that can start have, one job at a time."""
    idle = n - sum(u * v for u, v in zip(counts, needs, strict=True))
    if head is not None:
        if needs[head] > idle:
            return {(counts, head, unsampled): 1.0}
        return start_jobs(n, needs, p, shifted(counts, head, 1), None, unsampled)
    if unsampled == 0 or idle < min(needs):
        return {(counts, None, unsampled): 1.0}
    distribution = defaultdict(float)
    for drawn, chance in enumerate(p):
        for state, q in start_jobs(n, needs, p, counts, drawn, unsampled - 1).items():
            distribution[state] += chance * q
    return distribution


def truncated(n, needs, rates, p, arrival_rate, room):
    """P(N = k), E[N] and E[N waiting] with at most `room` jobs in the system."""

    def size(state):
        return sum(state[0]) + (state[1] is not None) + state[2]

    def successors(state):
        counts, head, unsampled = state
        if size(state) < room:
            for after, q in start_jobs(n, needs, p, counts, head, unsampled + 1).items():
                yield after, arrival_rate * q
        for c, u in enumerate(counts):
            if u:
                left = shifted(counts, c, -1)
                for after, q in start_jobs(n, needs, p, left, head, unsampled).items():
                    yield after, u * rates[c] * q

    distribution = explore(((0,) * len(needs), None, 0), successors)
    jobs = np.zeros(room + 1)
    for state, probability in distribution.items():
        jobs[size(state)] += probability
    waiting = sum(q * (size(state) - sum(state[0])) for state, q in distribution.items())
    return jobs, jobs @ np.arange(room + 1), waiting


@every_system
def test_truncated_chain(n, needs, rates, p):
    """At a third of λ*, with room for so many jobs that less than 1e-13 is cut off."""
    blocks = blocks_of(n, needs, rates, p)
    distribution = at_load(blocks, 1 / 3)
    room = len(blocks.entries) + math.ceil(math.log(1e-14) / math.log(distribution.decay_rate))
    jobs, mean, waiting = truncated(n, needs, rates, p, blocks.throughput / 3, room)
    assert distribution.mean_jobs == close(mean, rel=1e-10)
    assert distribution.mean_waiting == close(waiting, rel=1e-10)
    some = np.arange(room // 3)
    np.testing.assert_allclose(distribution.level_probability(some), jobs[some], rtol=1e-10)
    over = jobs[::-1].cumsum()[::-1][1:]
    np.testing.assert_allclose(distribution.tail(some), over[some], rtol=1e-8)
    assert distribution.variance == close(jobs @ (np.arange(room + 1) - mean) ** 2, rel=1e-9)


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
    a = load * servers
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = a * blocking / (k + a * blocking)
    delayed = blocking / (1 - load * (1 - blocking))
    assert distribution.mean_in_service == close(a, rel=1e-12)
    assert distribution.mean_waiting == close(delayed * load / (1 - load), rel=1e-11)
    assert distribution.tail(servers - 1) == close(delayed, rel=1e-11)
    assert distribution.decay_rate == close(load, rel=1e-12)
