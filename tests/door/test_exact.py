"""The public API is consistent, in any order of classes, and hands on what the engines say.

`tests/referee/test_reference.py` compares exact means with those of a second route."""

from __future__ import annotations

import math
from functools import cache

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.open import finite_skip, multiserver_jobs
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.priority_by_need import stability_limit
from multiserver.open.qbd import solve
from multiserver.saturated import dispatch
from multiserver.sharing.queue import MultiServerQueue, stability
from multiserver.wcfs import models

from .systems import EVERY, MIXED, NAMES, SYSTEMS, turned

LOAD = 0.3
JOBS = ms.MultiserverJobSystem.of(4, (4, 1, 2), (0.5, 5.0, 2.0), (0.2, 0.5, 0.3))
# E[T] of a job that never waits, on the fastest servers that it can use.
LEAST = {
    "multiserver-jobs": 0.2 / 0.5 + 0.5 / 5 + 0.3 / 2,
    "threshold-parallelism": 0.5 * 1.5 + 0.5 * 4,
    "heterogeneous": 1 / 0.4,
    "limited-processor-sharing": 1.0,
}
PARALLEL = (8, (8, 1), (ms.Exponential(2 / 3), ms.Exponential(2.0)), (0.5, 0.5))
NOT_EXACT = {
    *("conservative-backfilling", "easy-backfilling", "first-fit", "preemptive-first-fit"),
    "nonpreemptive-most-servers-first",
}
QUEUE = MultiServerQueue((1.0, 2.0, 1.0), (frozenset({1, 2}), frozenset({0, 1})))


@cache
def ask(name):
    model, policy = EVERY[NAMES.index(name)]
    return SYSTEMS[model].under(policy).exact(load=LOAD)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_results_are_consistent(model, policy):
    """Little's law, and nothing idle that works."""
    if policy.name in NOT_EXACT:
        with pytest.raises(
            ms.NotKnownError, match=r"no exact solution is known.*; ask .*simulate\(\)"
        ):
            ask(f"{model}-{policy.name}")
        return
    system = SYSTEMS[model]
    found = ask(f"{model}-{policy.name}")
    assert found.kind == "exact"
    assert found.load == pytest.approx(LOAD, rel=1e-13, abs=0)
    assert found.busy_servers == pytest.approx(LOAD * system.capacity, rel=1e-12, abs=0)
    assert found.busy_servers + found.idle_servers == pytest.approx(system.capacity, rel=1e-13)
    expected = found.arrival_rate * found.mean_response_time
    assert found.mean_jobs == pytest.approx(expected, rel=1e-10, abs=0)
    total = math.fsum(c.mean_jobs for c in found.by_class)
    assert found.mean_jobs == pytest.approx(total, rel=1e-9, abs=0)
    if model != "network":
        for p, c in zip(system.probabilities, found.by_class, strict=True):
            expected = found.arrival_rate * p * c.mean_response_time
            assert c.mean_jobs == pytest.approx(expected, rel=1e-10, abs=0)
    if "mean_waiting" in found.means:
        waiting = found.arrival_rate * found.mean_waiting_time
        assert found.mean_waiting == pytest.approx(waiting, rel=1e-12, abs=0)
    if model == "multiserver-jobs":
        pairs = zip(system.probabilities, found.by_class, strict=True)
        mean = math.fsum(p * c.mean_waiting_time for p, c in pairs)
        assert found.mean_waiting_time == pytest.approx(mean, rel=1e-9, abs=0)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_the_order_of_the_classes_is_the_user_s(model, policy):
    if policy.name in NOT_EXACT or model == "network":
        return
    here = ask(f"{model}-{policy.name}")
    there = turned(SYSTEMS[model]).under(policy).exact(load=LOAD)
    assert there.mean_jobs == pytest.approx(here.mean_jobs, rel=1e-11, abs=0)
    for mine, theirs in zip(here.by_class, there.by_class[::-1], strict=True):
        time = theirs.mean_response_time
        assert mine.mean_response_time == pytest.approx(time, rel=1e-11, abs=0)


def test_limits_are_the_engines():
    jobs = SYSTEMS["multiserver-jobs"]
    found = jobs.under(ms.FCFS).stability()
    expected = dispatch.solve(JOBS, relative_completions=False)
    assert (found.limit, found.wastage) == (expected.throughput, expected.wastage)
    assert expected.method in found.method
    assert found.utilisation == pytest.approx(found.load_limit, rel=1e-12, abs=0)
    assert jobs.under(ms.LeastServersFirst).stability().limit == stability_limit(JOBS)
    assert turned(jobs).under(ms.LeastServersFirst).stability().limit == stability_limit(JOBS)
    most = jobs.under(ms.MostServersFirst).stability().limit
    assert most == stability_limit(JOBS, largest_first=True)
    parallel = SYSTEMS["parallel-processing"].under(ms.BalancedFairness).stability()
    assert parallel.limit == stability(QUEUE, [0.8, 0.2]).scale
    assert parallel.load_limit < 1
    for model in ("heterogeneous", "limited-processor-sharing", "threshold-parallelism"):
        for policy in (p for m, p in EVERY if m == model):
            assert SYSTEMS[model].under(policy).stability().load_limit == pytest.approx(
                1, rel=1e-15
            )


def test_relative_completions_come_when_asked_for():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    expected = dispatch.solve(JOBS).relative_completions
    assert queue.stability(relative_completions=True).relative_completions == expected
    # In heavy traffic E[Q (1 − λ/λ*)] tends to E[Δ(Y_d)] + 1, Q being the jobs in no service.
    found = queue.exact(fraction_of_limit=1 - 1e-6)
    assert found.mean_jobs * 1e-6 == pytest.approx(expected + 1, rel=1e-4)
    filling = SYSTEMS["multiserver-jobs"].under(ms.ServerFilling)
    assert filling.stability(relative_completions=True).relative_completions is None


def test_migration_by_slot_is_exact_and_sampled():
    queue = SYSTEMS["heterogeneous"].under(ms.FastestServerFirst(migration="slot"))
    found = queue.exact(load=0.6)
    servers = HeterogeneousServers((0.4, 0.3, 0.2, 0.1), MIXED, "slot")
    assert found.mean_jobs == solve(finite_skip.prepare(servers).at(0.6)).mean_jobs
    assert found.policy == "fastest-server-first(migration='slot')"
    with pytest.raises(ms.NotKnownError, match=r"ask exact\(\), bounds\(\), simulate\(level"):
        queue.simulate(load=0.6, jobs=1000, seed=1)
    with pytest.raises(ValueError, match="migration must be 'age' or 'slot', found 'up'"):
        SYSTEMS["heterogeneous"].under(ms.FastestServerFirst(migration="up")).exact(load=0.6)


def test_tails_are_those_of_the_distribution():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    found = queue.exact(load=0.5)
    law = solve(multiserver_jobs.prepare(JOBS).at(found.arrival_rate))
    assert [found.tail(k) for k in (0, 3, 40)] == [law.tail(k) for k in (0, 3, 40)]
    with pytest.raises(ms.NotKnownError, match="P\\(N > k\\) is not known"):
        SYSTEMS["threshold-parallelism"].under(ms.ElasticFirst).exact(load=0.5).tail(3)


@pytest.mark.parametrize("refined", [False, True])
def test_bounds_are_the_engine_s_and_hold(refined):
    durations = tuple(c.duration for c in SYSTEMS["multiserver-jobs"].classes)
    args = 4, (4, 1, 2), durations, (0.2, 0.5, 0.3)
    expected = {
        ("multiserver-jobs", "server-filling"): models.server_filling(*args, refined=refined),
        ("multiserver-jobs", "server-filling-divisible"): models.divisible_server_filling(
            *args, refined=refined
        ),
        ("threshold-parallelism", "fcfs"): models.threshold_parallelism(*PARALLEL, refined=refined),
        ("heterogeneous", "fastest-server-first"): models.heterogeneous(
            (0.4, 0.3, 0.2, 0.1), MIXED, fastest_first=True
        ),
        ("limited-processor-sharing", "equal-shares"): models.limited_processor_sharing(4, MIXED),
    }
    known = set()
    for model, policy in EVERY:
        queue = SYSTEMS[model].under(policy)
        if (model, policy.name) in expected:
            found = queue.bounds(load=0.7, refined=refined)
            bounds = expected[model, policy.name].at(found.arrival_rate).response
            assert found.mean_response_time == bounds.at_least(LEAST[model])
            exact = queue.exact(load=0.7).mean_response_time
            assert found.mean_response_time.lower <= exact <= bounds.upper
            known.add((model, policy.name))
        else:
            with pytest.raises(ms.NotKnownError, match="no bound is known"):
                queue.bounds(load=0.3)
    assert known == expected.keys()


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.PreemptiveFirstFit])
def test_why_nothing_is_exact_is_said_where_nothing_is(policy):
    queue, other = (rigid(n, (2, 1.0, 0.5), (3, 1.0, 0.5)).under(policy) for n in (6, 3))
    reason = "the policy depends on the order of the waiting jobs"
    assert reason in " ".join(str(queue.known()).split())
    with pytest.raises(ms.NotKnownError, match=reason) as caught:
        queue.exact(load=0.5)
    assert str(caught.value).count("Pollaczek") == 1
    assert reason not in " ".join(str(other.known()).split())
