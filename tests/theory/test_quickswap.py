"""Quickswap by cycles against the second route and simulation."""

from __future__ import annotations

import random

import pytest
from tests.intervals import assert_scores_below
from tests.rigid_jobs import rigid

import multiserver as ms
from atlas.enumeration import counts, nonpreemptive
from multiserver.errors import TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open.quickswap import solve

from .count_chains import front_door
from .references import erlang_c

of = MultiserverJobSystem.of
READINGS = ["always", "if-large-waits"]
# A score is larger once in 1e6 times.
FAR = 4.9


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("servers", [2, 3, 5])
def test_cycles_are_the_second_route(servers, reading):
    for threshold in range(servers):
        rng = random.Random(100 * servers + threshold)
        rates = 10 ** rng.uniform(-0.3, 0.3), 10 ** rng.uniform(-0.3, 0.3)
        loads = rng.uniform(0.03, 0.12), rng.uniform(0.03, 0.1)
        flows = loads[0] * servers * rates[0], loads[1] * rates[1]
        found = solve(servers, rates, flows, threshold, reading)
        share = tuple(flow / sum(flows) for flow in flows)
        jobs = counts.Jobs(servers, (1, servers), rates, share)
        policy = nonpreemptive.Nonpreemptive(jobs, threshold, reading == "always")
        expected = nonpreemptive.means(policy, sum(flows)).class_jobs
        assert (found.small_jobs, found.large_jobs) == pytest.approx(expected, rel=1e-10)
        assert found.imprecision <= 1e-11


def test_four_numbers_found_elsewhere():
    """Needs 1 and 8 of 8, probabilities .9 and .1, unit rates, load .6; always."""
    system = front_door(of(8, (1, 8), (1.0, 1.0), (0.9, 0.1)))
    policies = (
        ms.FCFS,
        ms.NonpreemptiveMostServersFirst,
        ms.Quickswap,
        ms.Quickswap(threshold=2),
    )
    found = [system.under(p).exact(load=0.6).mean_response_time for p in policies]
    assert found == pytest.approx([222.27, 3.205, 2.936, 3.141], abs=5e-3, rel=0)
    other = system.under(ms.Quickswap(last_phase="if-large-waits")).exact(load=0.6)
    assert other.mean_response_time == pytest.approx(2.791628769776, rel=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.01, 1e-5])
@pytest.mark.parametrize("load", [0.05, 0.6, 0.99])
@pytest.mark.parametrize("servers", [2, 8, 20])
def test_readings_agree_without_a_last_phase(servers, load, share):
    """Their equations differ: of one k is where small jobs are after an exponential time."""
    total = load / ((1 - share) / (2 * servers) + share / 0.5)
    flows = (1 - share) * total, share * total
    always, waits = (solve(servers, (2.0, 0.5), flows, 0, reading) for reading in READINGS)
    for name in ("small_jobs", "large_jobs"):
        apart = abs(getattr(always, name) / getattr(waits, name) - 1)
        assert apart <= always.imprecision + waits.imprecision
    assert max(always.imprecision, waits.imprecision) < 1e-8


def test_digits_are_lost_as_stated_or_refused():
    """Rates and probabilities decades apart: there both readings of threshold 0 are the same."""
    rng = random.Random(1956)
    refused = 0
    for _ in range(80):
        servers = rng.choice([2, 3, 6, 12])
        rates = 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-4, 4)
        share = rng.choice([10 ** rng.uniform(-12, 0), 1 - 10 ** rng.uniform(-12, 0)])
        load = rng.choice([10 ** rng.uniform(-6, 0), 1 - 10 ** rng.uniform(-4, 0)])
        total = load / ((1 - share) / (servers * rates[0]) + share / rates[1])
        flows = (1 - share) * total, share * total
        try:
            always, waits = (solve(servers, rates, flows, 0, reading) for reading in READINGS)
        except TooLargeError:
            refused += 1
            continue
        for name in ("small_jobs", "large_jobs"):
            apart = abs(getattr(always, name) / getattr(waits, name) - 1)
            assert apart <= always.imprecision + waits.imprecision
    assert refused < 20


@pytest.mark.parametrize("servers", [16, 1024])
def test_small_jobs_alone_are_a_queue_of_many_servers(servers):
    """E[N] of M/M/n, at load .98; of large jobs there is one in 1e15."""
    flow = 0.98 * servers
    waits = erlang_c(servers, flow)
    flows = flow, 1e-15 * flow
    found = solve(servers, (1.0, 1.0), flows, servers - 1, "if-large-waits")
    assert found.small_jobs == pytest.approx(flow + waits * 0.98 / (1 - 0.98), rel=1e-8)


@pytest.mark.parametrize(
    "policy",
    [
        ms.NonpreemptiveMostServersFirst,
        ms.Quickswap(threshold=1),
        ms.Quickswap(threshold=3),
        ms.Quickswap(threshold=3, last_phase="if-large-waits"),
        ms.Quickswap(threshold=5),
        ms.Quickswap(threshold=5, last_phase="if-large-waits"),
    ],
    ids=repr,
)
def test_simulated_job_by_job(policy):
    """All and each class at both loads: 36 scores, a false alarm in all once in 3e4 runs."""
    queue = front_door(of(6, (6, 1), (0.5, 2.0), (0.1, 0.9))).under(policy)
    for load in (0.3, 0.7):
        found = queue.simulate(load=load, jobs=200_000, seed=31)
        assert_scores_below(FAR, found, queue.exact(load=load))


@pytest.mark.parametrize("reading", READINGS)
def test_many_servers_at_high_load(reading):
    """64 servers, one large job in a hundred, load .9: 3 scores, beyond `FAR` once in 3e5 runs."""
    policy = ms.Quickswap(threshold=32, last_phase=reading)
    queue = front_door(of(64, (1, 64), (1.0, 1.0), (0.99, 0.01))).under(policy)
    found = queue.simulate(load=0.9, jobs=2e6, seed=64)
    assert_scores_below(FAR, found, queue.exact(load=0.9))


def test_any_durations_and_needs_are_simulated():
    """Deterministic durations, three needs: stable, and a class with little need waits."""
    system = rigid(6, *((v, ms.Deterministic(1.0), 1 / 3) for v in (1, 3, 4)))
    queue = system.under(ms.NonpreemptiveMostServersFirst)
    found = queue.simulate(load=0.4, jobs=20_000, seed=3)
    assert all(c.mean_response_time.mean > 1 for c in found.by_class)


def test_what_is_out_of_reach_is_refused():
    flows = (1 - 1e-9) / 2 * 64, (1 - 1e-9) / 2
    with pytest.raises(TooLargeError, match=r"steps from cycle to cycle, so near to λ\* = 32\.5"):
        solve(64, (1.0, 1.0), flows, 32)
    with pytest.raises(TooLargeError, match="more than 2,048 servers"):
        solve(2049, (1.0, 1.0), (1.0, 0.1), 32)
    with pytest.raises(TooLargeError, match="rates so far apart that rounding leaves"):
        solve(11, (1e-4, 1e-5), (1e-18, 5e-7), 10, "if-large-waits")


def test_what_takes_for_ever_is_refused_at_once():
    """n = 1,024: without a swap small jobs are waited for until none is left, which is never."""
    rates, flows = (1.0, 1.0), (0.3 * 1024, 0.3)
    with pytest.raises(TooLargeError, match=r"takes 1e\+131 units of time, in which more than"):
        solve(1024, rates, flows, 0)
    with pytest.raises(TooLargeError, match=r"takes 3e\+40 units of time, in which more than"):
        solve(1024, rates, flows, 100)


def test_errors():
    with pytest.raises(UnstableError):
        solve(4, (1.0, 1.0), (2.0, 0.5), 1)
    with pytest.raises(ValueError, match="threshold an integer from 0 to n - 1"):
        solve(4, (1.0, 1.0), (0.2, 0.1), 4)
    system = front_door(of(4, (1, 4), (1.0, 1.0), (0.5, 0.5)))
    with pytest.raises(ValueError, match=r"must be an integer from 0 to .* 3, .* found 0\.5"):
        system.under(ms.Quickswap(threshold=0.5)).exact(load=0.3)
    with pytest.raises(ValueError, match="from 0 to"):
        system.under(ms.Quickswap(threshold=4)).simulate(load=0.3, jobs=1000, seed=1)
    for threshold in (4, 7, 1.5):
        with pytest.raises(ValueError, match=f"to .* = 3, .* smaller need, found {threshold}"):
            system.under(ms.Quickswap(threshold=threshold))
    assert system.under(ms.Quickswap(threshold=3)).stability().limit == 1.6
    with pytest.raises(ValueError, match="last_phase must be"):
        ms.Quickswap(last_phase="never")
