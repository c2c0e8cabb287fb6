"""The front door gives what the engines give, to the last digit, whatever the order of classes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multiserver as ms
from multiserver.open import by_class, elastic, finite_skip, multiserver_jobs, server_filling
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.priority_by_need import stability_limit
from multiserver.open.qbd import solve
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.saturated import dispatch
from multiserver.sharing import balanced_fairness, networks, symmetric
from multiserver.sharing.queue import MultiServerQueue, stability
from multiserver.wcfs import models

from .systems import EVERY, MIXED, NAMES, SYSTEMS, turned

JOBS = ms.MultiserverJobSystem.of(4, (4, 1, 2), (0.5, 5.0, 2.0), (0.2, 0.5, 0.3))
PARALLEL = (8, (8, 1), (ms.Exponential(2 / 3), ms.Exponential(2.0)), (0.5, 0.5))
QUEUE = MultiServerQueue((1.0, 2.0, 1.0), (frozenset({1, 2}), frozenset({0, 1})))


def of_front(model, rate):
    """E[N] and E[T_c] of a finite-skip model."""
    blocks = finite_skip.prepare(model)
    law = solve(blocks.at(rate))
    return law.mean_jobs, blocks.response_times(law)


def fcfs(rate):
    blocks = multiserver_jobs.prepare(JOBS)
    return solve(blocks.at(rate)).mean_jobs, by_class.response_times(blocks, rate)


def priority(first):
    def means(rate):
        model = elastic.ElasticInelastic(8, 2.0, 2 / 3, 0.5, first)
        found = elastic.response_times(model, rate)
        return rate * found.response, [found.elastic, found.inelastic]

    return means


def balanced(rate):
    jobs = balanced_fairness.solve(QUEUE, [rate * 0.8, rate * 0.2]).mean_jobs
    return math.fsum(jobs), jobs / (rate * np.array([0.8, 0.2]))


def network(rate):
    system = SYSTEMS["network"]
    arrivals = np.array(system.arrivals) * (rate / system.outside)
    engine = networks.Network(system.stations, arrivals, system.routing)
    found = networks.solve(engine)
    return math.fsum(found.mean_jobs), found.mean_sojourn_times


EXACT = {
    ("multiserver-jobs", "fcfs"): fcfs,
    ("multiserver-jobs", "server-filling"): lambda rate: of_front(
        server_filling.ServerFilling(JOBS), rate
    ),
    ("multiserver-jobs", "server-filling-divisible"): lambda rate: of_front(
        server_filling.DivisibleServerFilling(JOBS), rate
    ),
    ("heterogeneous", "fastest-server-first"): lambda rate: of_front(
        HeterogeneousServers((0.4, 0.3, 0.2, 0.1), MIXED), rate
    ),
    ("limited-processor-sharing", "equal-shares"): lambda rate: of_front(
        LimitedProcessorSharing(4, MIXED), rate
    ),
    ("threshold-parallelism", "fcfs"): lambda rate: of_front(ThresholdParallelism(*PARALLEL), rate),
    ("threshold-parallelism", "inelastic-first"): priority("inelastic"),
    ("threshold-parallelism", "elastic-first"): priority("elastic"),
    ("parallel-processing", "fcfs"): balanced,
    ("parallel-processing", "balanced-fairness"): balanced,
    ("parallel-processing", "random-interruptions"): balanced,
    ("network", "fcfs"): network,
    ("network", "balanced-fairness"): network,
}


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_exact_is_the_engine_s(model, policy):
    queue = SYSTEMS[model].under(policy)
    if (model, policy.name) not in EXACT:
        with pytest.raises(ms.NotKnownError, match=r"exact is not known.*; ask .*simulate\(\)"):
            queue.exact(load=0.5)
        return
    found = queue.exact(load=0.5)
    jobs, times = EXACT[model, policy.name](found.arrival_rate)
    assert found.mean_jobs == jobs
    assert [c.mean_response_time for c in found.by_class] == list(times)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_results_are_consistent(model, policy):
    """Little's law, and nothing idle that works."""
    if (model, policy.name) not in EXACT:
        return
    system = SYSTEMS[model]
    found = system.under(policy).exact(load=0.5)
    assert found.kind == "exact"
    assert found.load == pytest.approx(0.5, rel=1e-13, abs=0)
    assert found.busy_servers == pytest.approx(0.5 * system.capacity, rel=1e-12, abs=0)
    assert found.busy_servers + found.idle_servers == pytest.approx(system.capacity, rel=1e-13)
    expected = found.arrival_rate * found.mean_response_time
    assert found.mean_jobs == pytest.approx(expected, rel=1e-10, abs=0)
    total = math.fsum(c.mean_jobs for c in found.by_class)
    assert found.mean_jobs == pytest.approx(total, rel=1e-9, abs=0)
    if found.mean_waiting is not None:
        waiting = found.arrival_rate * found.mean_waiting_time
        assert found.mean_waiting == pytest.approx(waiting, rel=1e-12, abs=0)
    if model == "multiserver-jobs":
        pairs = zip(system.probabilities, found.by_class, strict=True)
        mean = math.fsum(p * c.mean_waiting_time for p, c in pairs)
        assert found.mean_waiting_time == pytest.approx(mean, rel=1e-9, abs=0)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_the_order_of_the_classes_is_the_user_s(model, policy):
    if (model, policy.name) not in EXACT or model == "network":
        return
    system = SYSTEMS[model]
    here = system.under(policy).exact(load=0.5)
    there = turned(system).under(policy).exact(load=0.5)
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
    jobs, _ = of_front(HeterogeneousServers((0.4, 0.3, 0.2, 0.1), MIXED, "slot"), 0.6)
    assert found.mean_jobs == jobs
    assert found.policy == "fastest-server-first(migration='slot')"
    with pytest.raises(ms.NotKnownError, match=r"ask exact\(\), bounds\(\), simulate\(level"):
        queue.simulate(load=0.6, jobs=1000, seed=1)
    with pytest.raises(ValueError, match="migration must be 'age' or 'slot', found 'up'"):
        SYSTEMS["heterogeneous"].under(ms.FastestServerFirst(migration="up")).exact(load=0.6)


def test_tails_are_those_of_the_law():
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
            assert found.mean_response_time == bounds
            exact = queue.exact(load=0.7).mean_response_time
            assert bounds.lower <= exact <= bounds.upper
            known.add((model, policy.name))
        else:
            with pytest.raises(ms.NotKnownError, match="bounds is not known"):
                queue.bounds(load=0.3)
    assert known == expected.keys()


def test_speeds_may_have_any_sum():
    """Twice as fast servers halve times at the same load, exact, bounded and simulated."""
    one = SYSTEMS["heterogeneous"]
    two = ms.System([2 * v for v in one.servers], one.classes)
    for ask in ("exact", "bounds"):
        slow = getattr(one.under(ms.FastestServerFirst), ask)(load=0.6)
        fast = getattr(two.under(ms.FastestServerFirst), ask)(load=0.6)
        assert fast.arrival_rate == pytest.approx(2 * slow.arrival_rate, rel=1e-14)
        expected = np.array(slow.mean_response_time) / 2
        assert np.array(fast.mean_response_time) == pytest.approx(expected, rel=1e-11)
    effort = {"load": 0.6, "jobs": 4000, "seed": 2, "replications": 2}
    slow = one.under(ms.FastestServerFirst).simulate(**effort)
    fast = two.under(ms.FastestServerFirst).simulate(**effort)
    expected = slow.mean_response_time.mean / 2
    assert fast.mean_response_time.mean == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible], ids=repr)
def test_a_hyperexponential_class_is_a_mixture_of_exponential_ones(policy):
    """Taken apart by hand, the parts' jobs are the same jobs."""
    mixture = ms.Hyperexponential(rates=(1.0, 4.0), probabilities=(0.25, 0.75))
    small = ms.JobClass(need=1, duration=ms.Exponential(rate=2.0), probability=0.4)
    whole = ms.System(4, [ms.JobClass(need=2, duration=mixture, probability=0.6), small])
    slow = ms.JobClass(need=2, duration=ms.Exponential(rate=1.0), probability=0.15)
    fast = ms.JobClass(need=2, duration=ms.Exponential(rate=4.0), probability=0.45)
    apart = ms.System(4, [slow, fast, small])
    here, there = (s.under(policy).exact(load=0.6) for s in (whole, apart))
    assert here.mean_jobs == pytest.approx(there.mean_jobs, rel=1e-11)
    parts = [c.mean_jobs for c in there.by_class]
    expected = [parts[0] + parts[1], parts[2]]
    assert [c.mean_jobs for c in here.by_class] == pytest.approx(expected, rel=1e-11)


def test_the_cheapest_exact_method_of_parallel_processing():
    rate = ms.Exponential(rate=2.0)
    one = ms.System((3.0,) * 6, [ms.JobClass(degree=2, duration=rate)])
    found = one.under(ms.BalancedFairness).exact(load=0.8)
    assert found.method == "closed form of random assignment"
    expected = symmetric.random_assignment(6, 2, found.arrival_rate / 2, rate=3.0).mean_jobs
    assert found.mean_jobs == expected
    halves = [ms.JobClass(degree=d, duration=rate, probability=0.5) for d in (1, 2)]
    two = ms.System(6, halves).under(ms.FCFS).exact(load=0.8)
    assert two.method == "recursion over the servers in use"
    pairs = ({0}, {1}, {0, 1})
    sets = [
        ms.JobClass(compatible=s, duration=rate, probability=p)
        for s, p in zip(pairs, (0.25, 0.25, 0.5), strict=True)
    ]
    apart = ms.System(2, sets).under(ms.FCFS).exact(load=0.8)
    assert apart.method == "recursion over sets of classes"
    drawn = ms.System(2, halves).under(ms.FCFS).exact(load=0.8)
    assert apart.mean_jobs == pytest.approx(drawn.mean_jobs, rel=1e-12)


def test_networks_closed_and_mixed():
    station = ms.Station(rates=(1.0, 2.0), compatible=({0}, {0, 1}))
    cycle = [[0, 1], [1, 0]]
    closed = ms.Network([station], [0, 0], cycle, populations=(3,))
    found = closed.under(ms.FCFS).exact()
    expected = networks.solve(networks.Network([station], [0, 0], cycle, (3,)))
    assert [c.mean_jobs for c in found.by_class] == expected.mean_jobs.tolist()
    assert found.mean_jobs == pytest.approx(3, rel=1e-13)
    assert found.arrival_rate is found.load is found.mean_response_time is None
    with pytest.raises(ValueError, match="no jobs come to a closed network: load"):
        closed.under(ms.FCFS).exact(load=0.5)
    routing = [[0, 0], [0, 1]]
    mixed = ms.Network([station], [0.5, 0], routing, populations=(2,)).under(ms.FCFS)
    engine = networks.Network([station], [0.5, 0], routing, (2,))
    assert mixed.exact().mean_jobs == math.fsum(networks.solve(engine).mean_jobs)
    assert mixed.stability().limit == pytest.approx(0.5 / networks.load_of(engine))


def test_operating_points_say_the_same():
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    limit = queue.stability().limit
    by_rate = queue.exact(arrival_rate=0.5 * limit)
    by_fraction = queue.exact(fraction_of_limit=0.5)
    by_load = queue.exact(load=by_rate.load)
    assert by_rate.mean_jobs == by_fraction.mean_jobs
    assert by_load.mean_jobs == pytest.approx(by_rate.mean_jobs, rel=1e-13)
    assert by_rate.limit == limit
