"""FCFS multiserver jobs with arrivals against chains that follow every job, and heavy traffic."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import spsolve

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import UNSAMPLED, prepare
from multiserver.open.qbd import UnstableError, solve
from multiserver.saturated import stationary

from .references import close, shifted

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
    """The stationary law at λ = load λ*."""
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


def explore(start, successors):
    """The stationary law, by sparse elimination, of the chain that `successors(state)` defines as
    pairs of a state and a rate."""
    rows, transitions, frontier = {start: 0}, [], [start]
    while frontier:
        state = frontier.pop()
        for after, rate in successors(state):
            if after not in rows:
                rows[after] = len(rows)
                frontier.append(after)
            transitions.append((rows[state], rows[after], rate))
    origin, target, rate = map(np.array, zip(*transitions, strict=True))
    moves = sparse.coo_array((rate, (origin, target)), shape=(len(rows),) * 2).tocsr()
    balance = (moves.T - sparse.diags_array(moves.sum(axis=1))).tocsc()
    # The flow of the empty state is fixed and its balance equation dropped.
    rest = spsolve(balance[1:, 1:], -balance[1:, [0]].toarray().ravel())
    law = np.append(1.0, rest)
    return dict(zip(rows, law / law.sum(), strict=True))


def follow_every_job(n, needs, rates, p, arrival_rate, room):
    """P(N = k), E[N] and E[N in service] with at most `room` jobs in the system."""

    def successors(jobs):
        for c in range(len(needs)):
            if len(jobs) < room:
                yield canonical(n, needs, (*jobs, c)), arrival_rate * p[c]
        for i in range(in_service(n, needs, jobs)):
            yield canonical(n, needs, (*jobs[:i], *jobs[i + 1 :])), rates[jobs[i]]

    law = explore((), successors)
    jobs = np.zeros(room + 1)
    for state, probability in law.items():
        jobs[len(state)] += probability
    served = sum(q * in_service(n, needs, state) for state, q in law.items())
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
    law = at_load(blocks, load)
    jobs, mean, served = follow_every_job(*system, load * blocks.throughput, room)
    assert law.mean_jobs == close(mean, rel=1e-10)
    assert law.mean_in_service == close(served, rel=1e-10)
    np.testing.assert_allclose(law.level_probability(range(4)), jobs[:4], rtol=1e-10)


# With classes sampled when they are needed: (u, h, jobs waiting unsampled) and a longer queue.


def start_jobs(n, needs, p, counts, head, unsampled):
    """The law of the state once all jobs that can start have started, one job at a time."""
    idle = n - sum(u * v for u, v in zip(counts, needs, strict=True))
    if head is not None:
        if needs[head] > idle:
            return {(counts, head, unsampled): 1.0}
        return start_jobs(n, needs, p, shifted(counts, head, 1), None, unsampled)
    if unsampled == 0 or idle < min(needs):
        return {(counts, None, unsampled): 1.0}
    law = defaultdict(float)
    for drawn, chance in enumerate(p):
        for state, q in start_jobs(n, needs, p, counts, drawn, unsampled - 1).items():
            law[state] += chance * q
    return law


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

    law = explore(((0,) * len(needs), None, 0), successors)
    jobs = np.zeros(room + 1)
    for state, probability in law.items():
        jobs[size(state)] += probability
    waiting = sum(q * (size(state) - sum(state[0])) for state, q in law.items())
    return jobs, jobs @ np.arange(room + 1), waiting


@every_system
def test_truncated_chain(n, needs, rates, p):
    """At a third of λ*, with room for so many jobs that less than 1e-13 is cut off."""
    blocks = blocks_of(n, needs, rates, p)
    law = at_load(blocks, 1 / 3)
    room = len(blocks.entries) + math.ceil(math.log(1e-14) / math.log(law.decay_rate))
    jobs, mean, waiting = truncated(n, needs, rates, p, blocks.throughput / 3, room)
    assert law.mean_jobs == close(mean, rel=1e-10)
    assert law.mean_waiting == close(waiting, rel=1e-10)
    some = np.arange(room // 3)
    np.testing.assert_allclose(law.level_probability(some), jobs[some], rtol=1e-10)
    over = jobs[::-1].cumsum()[::-1][1:]
    np.testing.assert_allclose(law.tail(some), over[some], rtol=1e-8)
    assert law.variance == close(jobs @ (np.arange(room + 1) - mean) ** 2, rel=1e-9)


def test_front_of_one_job_at_a_time():
    """Needs above n/2: an M/G/1 queue of hyperexponential jobs (Pollaczek and Khinchine)."""
    blocks = blocks_of(5, (3, 4), (1.0, 4.0), (0.25, 0.75))
    mean, square = 0.25 + 0.75 / 4, 2 * (0.25 + 0.75 / 16)
    assert blocks.throughput == close(1 / mean, rel=1e-14)
    for load in (1e-3, 0.5, 0.999):
        rate, law = load / mean, at_load(blocks, load)
        waiting = rate**2 * square / (2 * (1 - load))
        assert law.mean_waiting == close(waiting, rel=1e-12 / (1 - load))
        assert law.mean_jobs == close(waiting + load, rel=1e-12 / (1 - load))


@pytest.mark.parametrize("servers", [1, 2, 10, 30])
@pytest.mark.parametrize("load", [0.01, 0.7, 0.99])
def test_jobs_of_one_need_are_an_m_m_k_queue(servers, load):
    """Two classes alike on 3k + 2 servers of which each job holds 3: Erlang's C formula."""
    blocks = blocks_of(3 * servers + 2, (3, 3), (2.0, 2.0), (0.4, 0.6))
    assert blocks.throughput == close(2.0 * servers, rel=1e-13)
    law = at_load(blocks, load)
    a = load * servers
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = a * blocking / (k + a * blocking)
    delayed = blocking / (1 - load * (1 - blocking))
    assert law.mean_in_service == close(a, rel=1e-12)
    assert law.mean_waiting == close(delayed * load / (1 - load), rel=1e-11)
    assert law.tail(servers - 1) == close(delayed, rel=1e-11)
    assert law.decay_rate == close(load, rel=1e-12)


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
    law = at_load(blocks, load)
    durations = math.fsum(p / mu for p, mu in zip(system.probabilities, system.rates, strict=True))
    arrival_rate = load * blocks.throughput
    assert law.mean_in_service == close(arrival_rate * durations, rel=1e-9)
    # Little's law for the jobs of each class in service.
    for c, (p, mu) in enumerate(zip(system.probabilities, system.rates, strict=True)):
        in_class = [np.array([u[c] for u, _ in fronts]) for fronts in blocks.fronts]
        served = sum(x @ u for x, u in zip(law.boundary, in_class, strict=False))
        assert served + law.above @ in_class[-1] == close(arrival_rate * p / mu, rel=1e-9)
    assert law.mean_jobs == close(law.mean_in_service + law.mean_waiting, rel=1e-12)
    total = sum(x.sum() for x in law.boundary) + law.above.sum()
    assert total == close(1, rel=1e-14)
    assert law.above.min() >= 0
    assert min(x.min() for x in law.boundary) > 0
    assert 0 < law.decay_rate < 1


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
