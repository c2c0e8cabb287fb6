"""Two needs without preemption, against the second route, which needs many more states."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.intervals import assert_scores_below

import multiserver as ms
from atlas.enumeration import nonpreemptive
from multiserver.errors import TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import quickswap, two_needs

from .count_chains import front_door
from .second_route import jobs_of

READINGS = ["always", "if-large-waits"]
# A score is larger once in 1e6 times.
FAR = 4.9


def drawn(seed):
    """A random system, threshold and light load, at which few jobs are present."""
    rng = random.Random(seed)
    servers = rng.randint(2, 8)
    needs = sorted(rng.sample(range(1, servers + 1), 2))
    rates = [10 ** rng.uniform(-0.3, 0.3) for _ in needs]
    share = rng.uniform(0.2, 0.8)
    system = MultiserverJobSystem.of(servers, needs, rates, (share, 1 - share))
    threshold = rng.randrange(max(1, servers // needs[0]))
    return system, threshold, rng.uniform(0.03, 0.16) * system.naive_throughput


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    "seed",
    [*range(25), *(pytest.param(seed, marks=pytest.mark.verification) for seed in range(25, 110))],
)
def test_random_systems_are_those_of_the_second_route(seed, reading):
    """Two hundred and twenty in all."""
    system, threshold, rate = drawn(seed)
    policy = nonpreemptive.Nonpreemptive(jobs_of(system), threshold, reading == "always")
    exact = nonpreemptive.means(policy, rate)
    found = two_needs.solve(system, rate, threshold, reading, enough=1e-11)
    assert found.imprecision <= 1e-11
    assert found.class_jobs == pytest.approx(exact.class_jobs, rel=1e-10)
    assert found.tail(3) == pytest.approx(exact.tail(3), rel=1e-9)
    in_service = rate * np.array(system.probabilities) / system.rates
    assert found.class_in_service == pytest.approx(in_service, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS)
def test_the_stated_bound_holds_where_little_is_asked(reading):
    """At the last two points a tenth of the bound would not do."""
    for seed, factor in (*((seed, 4) for seed in range(6)), (27, 5), (33, 5)):
        system, threshold, rate = drawn(seed)
        told = system, factor * rate, threshold, reading
        fine = two_needs.solve(*told, enough=1e-9)
        for enough in (3e-2, 1e-2, 1e-4, 1e-6):
            rough = two_needs.solve(*told, enough=enough)
            assert rough.imprecision <= enough
            apart = abs(rough.class_jobs / fine.class_jobs - 1).max()
            assert apart <= rough.imprecision + fine.imprecision


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("load", [0.3, 0.7])
@pytest.mark.parametrize(("servers", "threshold"), [(3, 0), (4, 2), (6, 5)])
def test_needs_one_and_all_are_those_of_cycles(servers, threshold, load, reading):
    """Two routes that share nothing."""
    system = MultiserverJobSystem.of(servers, (1, servers), (1.0, 0.5), (0.8, 0.2))
    rate = load * system.naive_throughput
    found = two_needs.solve(system, rate, threshold, reading)
    flows = tuple(rate * np.array(system.probabilities))
    cycles = quickswap.solve(servers, (1.0, 0.5), flows, threshold, reading)
    assert found.class_jobs == pytest.approx((cycles.small_jobs, cycles.large_jobs), rel=1e-9)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("load", [0.3, 0.7])
@pytest.mark.parametrize(("servers", "threshold"), [(4, 0), (7, 3), (10, 9)])
@pytest.mark.parametrize("share", [1e-3, 1e-5])
def test_of_rare_large_jobs_no_more_digits_are_lost_than_stated(
    servers, threshold, share, load, reading
):
    system = MultiserverJobSystem.of(servers, (1, servers), (2.0, 1.0), (1 - share, share))
    rate = load * system.naive_throughput
    found = two_needs.solve(system, rate, threshold, reading, enough=1e-7)
    flows = tuple(rate * np.array(system.probabilities))
    cycles = quickswap.solve(servers, (2.0, 1.0), flows, threshold, reading)
    apart = abs(found.class_jobs / (cycles.small_jobs, cycles.large_jobs) - 1).max()
    assert apart <= found.imprecision + cycles.imprecision
    assert found.imprecision <= 1e-7


@pytest.mark.parametrize("share", [1e-9, 1e-12])
def test_a_rare_large_job_waits_until_the_others_have_left(share):
    """Needs 1 and 2 of 2 at load .5, unit rates: M/M/2 with λ = 1, and N = n with probability
    (1/2)^(n−1)/3. From there it is empty after n + 1 on average: Σ_n (n + 1) (1/2)^(n−1)/3 = 2."""
    system = MultiserverJobSystem.of(2, (1, 2), (1.0, 1.0), (1 - share, share))
    rate = 1 / (1 - share)
    found = two_needs.solve(system, rate)
    assert found.class_waiting[1] / (rate * share) == pytest.approx(2.0, rel=1e-8)


def test_of_two_jobs_that_do_not_fit_beside_each_other_the_large_ones_go_first():
    """Needs 3 and 4 of 5: nonpreemptive priority (A. Cobham, Operations Research 2, 1954)."""
    system = MultiserverJobSystem.of(5, (3, 4), (1.0, 2.0), (0.4, 0.6))
    rate = 0.9
    small, large = rate * 0.4 / 1.0, rate * 0.6 / 2.0
    remains = small / 1.0 + large / 2.0
    waits = remains / (1 - large) / (1 - large - small), remains / (1 - large)
    expected = rate * 0.4 * waits[0] + small, rate * 0.6 * waits[1] + large
    assert two_needs.solve(system, rate).class_jobs == pytest.approx(expected, rel=1e-9)


def queue_of(policy, needs=(3, 2), servers=7):
    system = MultiserverJobSystem.of(servers, needs, (0.5, 1.0), (0.3, 0.7))
    return front_door(system).under(policy)


@pytest.mark.parametrize(
    "policy",
    [
        ms.NonpreemptiveMostServersFirst,
        *(
            ms.Quickswap(threshold=threshold, last_phase=reading)
            for threshold in (1, 2)
            for reading in READINGS
        ),
    ],
    ids=repr,
)
def test_simulated_job_by_job(policy):
    """Three scores each, fifteen in all: a false alarm once in 6e4 runs."""
    queue = queue_of(policy)
    found = queue.simulate(load=0.5, jobs=200_000, seed=31)
    assert_scores_below(FAR, found, queue.exact(load=0.5))


def test_the_limit_is_known_where_needs_divide_each_other():
    assert queue_of(ms.Quickswap, (4, 2), 8).stability().load_limit == pytest.approx(1)
    methods = {row["method"] for row in queue_of(ms.Quickswap).known().rows() if row["applies"]}
    assert "jobs in service and waiting" in methods
    assert "whole capacity, λ* = n/E[S]" not in methods


def test_errors(monkeypatch):
    of = MultiserverJobSystem.of
    with pytest.raises(ValueError, match="two needs, the smaller first, found"):
        two_needs.solve(of(4, (2, 1), (1, 1), (0.5, 0.5)), 0.1)
    with pytest.raises(ValueError, match=r"from 0 to ⌊n/v⌋ - 1 = 1, found 2"):
        two_needs.solve(of(4, (2, 3), (1, 1), (0.5, 0.5)), 0.1, 2)
    with pytest.raises(UnstableError, match="need 2 arrive at rate"):
        two_needs.solve(of(4, (2, 3), (1, 1), (0.9, 0.1)), 3.0)
    with pytest.raises(TooLargeError, match="hardly ever reached"):
        two_needs.solve(of(1024, (1, 1024), (1, 1), (0.9999, 0.0001)), 836.0, 1)
    monkeypatch.setattr(two_needs, "MOST_PHASES", 120)
    with pytest.raises(TooLargeError, match="not stable, or too many jobs"):
        two_needs.solve(of(4, (2, 3), (1, 1), (0.5, 0.5)), 1.4)
    assert two_needs.solve(of(4, (2, 3), (1, 1), (0.5, 0.5)), 0.4).imprecision < 1e-10
