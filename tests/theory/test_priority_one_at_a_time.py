"""One job at a time, by priority of needs: chains, a conservation law, and simulations."""

from __future__ import annotations

import math
import random

import pytest
from tests.intervals import assert_scores_below
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, two_needs
from multiserver.open.count_rules import by_need

from .count_chains import front_door
from .references import close

POLICIES = [ms.MostServersFirst, ms.LeastServersFirst, ms.NonpreemptiveMostServersFirst]
# Durations of several kinds; the first and the last have one need.
SYSTEM = rigid(
    5,
    (3, ms.Erlang(stages=2, rate=1.0), 0.3),
    (4, ms.Hyperexponential(rates=(1.0, 0.2), probabilities=(0.8, 0.2)), 0.3),
    (5, ms.Deterministic(1.5), 0.2),
    (3, 3.0, 0.2),
)


@pytest.mark.parametrize(
    ("seed", "load", "largest_first"),
    [(0, 0.5, False), (3, 0.5, True), (2, 0.2, True), (1, 0.2, False)],
)
def test_preemptive_priority_by_the_chain_of_numbers_of_jobs(seed, load, largest_first):
    draws = random.Random(seed)
    rates = [10 ** draws.uniform(-0.5, 0.5) for _ in range(3)]
    parts = MultiserverJobSystem.of(7, (4, 5, 7), rates, (0.3, 0.5, 0.2))
    limit = 1 / math.fsum(p / r for p, r in zip(parts.probabilities, rates, strict=True))
    rule = by_need(7, (4, 5, 7), largest_first=largest_first)
    rate = load * limit
    chain = class_counts.means(parts, rule, rate, limit, enough=1e-10, most_states=10**6)
    queue = front_door(parts).under(POLICIES[0] if largest_first else POLICIES[1])
    found = queue.exact(arrival_rate=rate)
    assert "one job at a time" in found.method
    jobs = [one.mean_jobs for one in found.by_class]
    assert jobs == close(list(chain.class_jobs), rel=1e-8)
    assert math.fsum(found.tail(k) for k in range(300)) == close(found.mean_jobs, rel=1e-7)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.8])
def test_priority_without_preemption_by_jobs_in_service_and_waiting(load):
    parts = MultiserverJobSystem.of(5, (3, 4), (1.0, 2.0), (0.4, 0.6))
    rate = load / 0.7
    chain = two_needs.solve(parts, rate, enough=1e-11)
    found = front_door(parts).under(POLICIES[2]).exact(arrival_rate=rate)
    jobs = [one.mean_jobs for one in found.by_class]
    assert jobs == close(chain.class_jobs.tolist(), rel=1e-10)
    assert found.tail(4) == close(chain.tail(4), rel=1e-9)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_any_durations_by_simulation(policy):
    """Ten scores a policy; any of the 30 exceeds 5.5 by chance with probability 2e-4, by Student's
    law with 31 degrees of freedom."""
    queue = SYSTEM.under(policy)
    rate = 0.7 * queue.stability().limit
    found = queue.simulate(arrival_rate=rate, jobs=200_000, seed=4)
    times = "mean_response_time", "mean_waiting_time"
    assert_scores_below(5.5, found, queue.exact(arrival_rate=rate), times)


def test_without_preemption_priorities_share_out_one_work():
    """Σ ρ_c E[W_c] is that of FCFS (L. Kleinrock, Naval Res. Logist. Quart. 12, 1965)."""
    rate, sums = 0.5, []
    for policy in (ms.FCFS, ms.NonpreemptiveMostServersFirst):
        waits = SYSTEM.under(policy).exact(arrival_rate=rate).by_class
        work = [rate * c.probability * c.duration.mean for c in SYSTEM.classes]
        sums.append(math.fsum(w * x.mean_waiting_time for w, x in zip(work, waits, strict=True)))
    assert sums[0] == close(sums[1], rel=1e-13)


def test_long_jobs_of_the_last_priority_do_not_delay_those_that_interrupt_them():
    system = rigid(5, (3, ms.Pareto(shape=1.5, scale=0.1), 0.5), (4, 2.0, 0.5))
    found = system.under(ms.MostServersFirst).exact(arrival_rate=1.0)
    first, last = found.by_class[1], found.by_class[0]
    assert first.mean_response_time == close(1 / (2.0 - 0.5), rel=1e-14)
    assert last.mean_response_time == math.inf
