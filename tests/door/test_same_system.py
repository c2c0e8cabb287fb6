"""One system described in two ways has one result: another unit of time, servers counted in pairs,
servers in another order or cut in two, classes cut in two, durations in another form."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms

from .systems import EVERY, MIXED, NAMES, SYSTEMS

WITHOUT_NETWORKS = [pair for pair in EVERY if pair[0] != "network"]
TIMES = ("mean_response_time", "mean_waiting_time")


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel, abs=1e-13)


def with_classes(system, change, servers=None):
    classes = [change(c) for c in system.classes]
    return ms.System(servers or system.servers, classes, system.limit)


def slower(system, factor):
    """The same system in a unit of time that is `factor` times shorter."""
    return with_classes(system, lambda c: replace(c, duration=ms.scaled(c.duration, factor)))


def per_unit(means, factor):
    return {name: value / factor if name in TIMES else value for name, value in means.items()}


def tails(found):
    """P(N > k), where it is known."""
    with suppress(ms.NotKnownError):
        return [found.tail(k) for k in (0, 2, 10)]
    return []


every_policy = pytest.mark.parametrize(
    ("model", "policy"),
    WITHOUT_NETWORKS,
    ids=[name for name, (model, _) in zip(NAMES, EVERY, strict=True) if model != "network"],
)


@every_policy
def test_exact_results_in_another_unit_of_time(model, policy):
    here = SYSTEMS[model].under(policy)
    mine, expected = here.stability(), None
    with suppress(ms.NotKnownError):
        expected = here.exact(load=0.3)
    for factor in (1e-9, 1000.0):
        there = slower(SYSTEMS[model], factor).under(policy)
        assert there.highest_rate * factor == close(here.highest_rate)
        if mine.limit is not None:
            assert there.stability().limit * factor == close(mine.limit)
            assert there.stability().wastage == close(mine.wastage)
        if expected is None:
            with pytest.raises(ms.NotKnownError):
                there.exact(load=0.3)
            continue
        found = there.exact(load=0.3)
        assert per_unit(found.means, factor) == close(dict(expected.means))
        for one, c in zip(found.by_class, expected.by_class, strict=True):
            assert per_unit(one.means, factor) == close(dict(c.means), 1e-8)
        assert tails(found) == close(tails(expected))


@pytest.mark.parametrize("duration", [MIXED, ms.Erlang(3, 3.0), ms.Deterministic(1.0)])
@pytest.mark.parametrize("policy", [ms.FCFS, ms.FirstFit, ms.ServerFilling, ms.EasyBackfilling])
def test_simulations_in_a_unit_of_time_that_floats_keep_are_the_same_bits(policy, duration):
    system, factor = rigid(4, (1, duration, 0.5), (4, duration, 0.5)), 2.0**40
    here, there = (
        one.under(policy).simulate(load=0.3, jobs=3000, seed=1)
        for one in (system, slower(system, factor))
    )
    for name, value in here.means.items():
        other = there.means[name].mean
        assert (other / factor if name in TIMES else other) == value.mean


@pytest.mark.parametrize("policy", [p for m, p in EVERY if m == "multiserver-jobs"], ids=str)
def test_servers_that_are_held_three_at_a_time(policy):
    system = SYSTEMS["multiserver-jobs"]
    tripled = with_classes(system, lambda c: replace(c, need=3 * c.need), 3 * system.servers)
    here, there = system.under(policy), tripled.under(policy)
    assert there.highest_rate == close(here.highest_rate)
    queues, rate = [there], 0.3 * here.highest_rate
    if not policy.preemptive:
        # Two servers more than can be used are never used. (Other methods apply then to preemptive
        # policies, and some take minutes.)
        queues.append(with_classes(tripled, lambda c: c, tripled.servers + 2).under(policy))
    try:
        expected = here.exact(arrival_rate=rate)
    except ms.NotKnownError:
        expected = here.simulate(arrival_rate=rate, jobs=3000, seed=1)
        found = [one.simulate(arrival_rate=rate, jobs=3000, seed=1) for one in queues]
        times = [one.mean_response_time.mean for one in (expected, *found)]
        assert times[1:] == close([times[0]] * len(queues))
        return
    for queue in queues:
        found = queue.exact(arrival_rate=rate)
        times = [c.mean_response_time for c in found.by_class]
        assert times == close([c.mean_response_time for c in expected.by_class], 1e-8)


@pytest.mark.parametrize("policy", [ms.BalancedFairness, ms.FCFS, ms.RandomInterruptions], ids=str)
def test_parallel_processing_with_servers_and_classes_cut_in_two(policy):
    system = SYSTEMS["parallel-processing"]  # speeds 1, 2, 1; server 1 serves both classes
    expected = system.under(policy).exact(load=0.6)

    def moved(c):
        return replace(c, compatible={(2, 0, 1)[s] for s in c.compatible})

    def cut(c):
        return replace(c, compatible=c.compatible | ({3} if 1 in c.compatible else set()))

    turned = with_classes(system, moved, (2.0, 1.0, 1.0)).under(policy).exact(load=0.6)
    finer = with_classes(system, cut, (1.0, 0.5, 1.0, 1.5)).under(policy).exact(load=0.6)
    for found in (turned, finer):
        assert found.limit == close(expected.limit)
        for one, c in zip(found.by_class, expected.by_class, strict=True):
            assert one.means == close(dict(c.means))
        assert [found.tail(k) for k in (0, 5)] == close([expected.tail(k) for k in (0, 5)])
    first, second = system.classes
    parts = [replace(first, probability=first.probability * share) for share in (0.3, 0.7)]
    split = ms.System(system.servers, [parts[0], second, parts[1]]).under(policy).exact(load=0.6)
    one, other, two = (c.mean_response_time for c in split.by_class)
    assert [one, other, two] == close([expected.by_class[c].mean_response_time for c in (0, 1, 0)])


@pytest.mark.parametrize(
    "queue",
    [
        SYSTEMS["heterogeneous"].under(ms.FastestServerFirst),
        SYSTEMS["limited-processor-sharing"].under(ms.EqualShares),
        one_class(3, MIXED, need=2).under(ms.FCFS),
    ],
    ids=lambda queue: queue.system.model,
)
def test_branches_in_another_order_and_as_phases(queue):
    phases = ms.PhaseType(MIXED.probabilities, np.diag([-rate for rate in MIXED.rates]))
    turned = ms.Hyperexponential(MIXED.rates[::-1], MIXED.probabilities[::-1])
    for duration in (phases, turned):
        other = with_classes(queue.system, lambda c, X=duration: replace(c, duration=X))
        found, expected = (q.exact(load=0.6) for q in (other.under(queue.policy), queue))
        assert found.means == close(dict(expected.means))
        assert [found.tail(k) for k in (1, 9)] == close([expected.tail(k) for k in (1, 9)])


@pytest.mark.parametrize("policy", [ms.InelasticFirst, ms.ElasticFirst], ids=str)
def test_thresholds_with_a_common_divisor_are_those_of_groups_of_servers(policy):
    """The simulation of 12 servers, which tells each apart, has the times of 4 too."""

    def system(group):
        rates, thresholds = (2.0, 0.5), (group, 4 * group)
        classes = [
            ms.JobClass(threshold=v, duration=ms.Exponential(rate), probability=0.5)
            for v, rate in zip(thresholds, rates, strict=True)
        ]
        return ms.System(4 * group, classes).under(policy)

    expected = system(1).exact(load=0.6)
    found = system(3).exact(load=0.6)
    assert found.mean_jobs == close(expected.mean_jobs)
    assert found.busy_servers == close(3 * expected.busy_servers)
    for one, c in zip(found.by_class, expected.by_class, strict=True):
        assert one.means == close(dict(c.means))
    simulated = system(3).simulate(load=0.6, jobs=400_000, seed=1)
    for one, c in zip(simulated.by_class, found.by_class, strict=True):
        assert abs(ms.z_score(one.mean_response_time, c.mean_response_time)) < 4.5


@pytest.mark.parametrize("policy", [ms.InelasticFirst, ms.ElasticFirst], ids=str)
@pytest.mark.parametrize(("servers", "thresholds"), [(8, (3, 8)), (8, (2, 4)), (6, (4, 6))])
def test_thresholds_of_other_shares_have_no_such_groups(policy, servers, thresholds):
    classes = [
        ms.JobClass(threshold=v, duration=ms.Exponential(1.0), probability=0.5) for v in thresholds
    ]
    with pytest.raises(ms.NotKnownError, match="thresholds n and a divisor of n"):
        ms.System(servers, classes).under(policy).exact(load=0.5)


EXPONENTIALS = [
    ms.Hyperexponential((0.5, 0.5), (0.3, 0.7)),
    ms.Hyperexponential((0.5,), (1.0,)),
    ms.Erlang(stages=1, rate=0.5),
    ms.PhaseType((1.0,), ((-0.5,),)),
    ms.PhaseType((0.25, 0.75), ((-1.5, 1.0), (0.0, -0.5))),
]


@every_policy
def test_an_exponential_duration_described_otherwise(model, policy):
    plain, *others = (
        with_classes(SYSTEMS[model], lambda c, X=X: replace(c, duration=X)).under(policy)
        for X in (ms.Exponential(rate=0.5), *EXPONENTIALS)
    )
    expected = None
    with suppress(ms.NotKnownError):
        expected = plain.exact(load=0.3)
    for disguised, duration in zip(others, EXPONENTIALS, strict=True):
        assert disguised.known() == plain.known()
        assert disguised.stability().limit == plain.stability().limit
        assert disguised.system.durations[0] == duration
        assert expected is None or disguised.exact(load=0.3) == expected


def test_a_bimodal_duration_of_one_value_is_a_constant():
    one, two = (
        ms.System(3, [ms.JobClass(duration=X)]).under(ms.FCFS).exact(load=0.7)
        for X in (ms.Deterministic(2.0), ms.Bimodal((2.0, 2.0), (0.5, 0.5)))
    )
    assert two == one
