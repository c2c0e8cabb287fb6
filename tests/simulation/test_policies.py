"""Every compiled policy on random lists of jobs, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiserver.simulation import class_policies, front_policies
from multiserver.simulation.class_queues import CLASS_POLICY
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.front import FRONT_POLICY
from multiserver.simulation.replications import compiled_policy
from multiserver.sizes import Exponential

from . import preemptive as slow

CHAINS = [(4, (1, 2, 4)), (16, (1, 4, 8)), (12, (2, 6)), (8, (8,)), (24, (1, 2, 6, 24))]
DIVISIBLE = [*CHAINS, (6, (1, 2, 3, 6)), (12, (2, 3, 4)), (30, (2, 3, 5, 30))]
ANY = [*DIVISIBLE, (7, (2, 3)), (10, (3, 4, 7)), (5, (1, 3, 4))]

CLASS_POLICIES = [
    "least_servers_first",
    "most_servers_first",
    "max_weight",
    "preemptive_first_fit",
    "inelastic_first",
    "elastic_first",
]


def lists_of_jobs(systems):
    """A system (k, needs) and the needs of the jobs that are present, oldest first."""
    return st.sampled_from(systems).flatmap(
        lambda system: st.tuples(
            st.just(system), st.lists(st.sampled_from(system[1]), max_size=2 * system[0])
        )
    )


def workload_of(k, needs):
    share = 1 / len(needs)
    return Workload(k, needs, (Exponential(1.0),) * len(needs), (share,) * len(needs), 1.0)


def as_jobs(needs):
    return [slow.Job(0, v, float(i), 1.0) for i, v in enumerate(needs)]


def rates_by_class(policy, k, needs, jobs):
    """The rates of all jobs under a policy for class queues."""
    places = [[i for i, need in enumerate(jobs) if need == v] for v in needs]
    number = np.zeros((len(needs), max(-(-k // v) for v in needs)), dtype=np.int64)
    for c, places_of_class in enumerate(places):
        oldest = places_of_class[: number.shape[1]]
        number[c, : len(oldest)] = oldest
    # What the policy leaves of the last call must not matter.
    allotted = np.full(len(needs), 3)
    rule = compiled_policy(policy, CLASS_POLICY)
    rule(np.array([len(p) for p in places]), number, np.array(needs), k, allotted)
    rates = [0.0] * len(jobs)
    for v, held, places_of_class in zip(needs, allotted.tolist(), places, strict=True):
        for i in places_of_class:
            rates[i] = min(held, v) / v
            held -= min(held, v)
        assert held == 0
    return rates


@pytest.mark.parametrize("name", CLASS_POLICIES)
@settings(max_examples=150)
@given(data=lists_of_jobs(ANY))
def test_policies_of_class_queues_serve_the_jobs_of_their_definitions(name, data):
    (k, needs), jobs = data
    rates = rates_by_class(getattr(class_policies, name), k, needs, jobs)
    assert rates == getattr(slow, name)(k)(as_jobs(jobs))


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("max_weight_to_smaller", ("smaller", "present")),
        ("max_weight_of_all", ("larger", "all")),
        ("max_weight_of_all_to_smaller", ("smaller", "all")),
    ],
)
@settings(max_examples=60)
@given(data=lists_of_jobs([s for s in ANY if s[0] <= 12]))
def test_other_definitions_of_max_weight(name, definition, data):
    (k, needs), jobs = data
    rates = rates_by_class(getattr(class_policies, name), k, needs, jobs)
    assert rates == slow.max_weight(k, *definition, needs)(as_jobs(jobs))


def front_of(policy, k, jobs):
    """Move jobs to the front until it is full or there are none: m, whether it is full, rates."""
    needs, rates = np.zeros(policy.largest_front, dtype=np.int64), np.zeros(policy.largest_front)
    speeds, m, full = np.array(policy.speeds, dtype=float), 0, False
    while not full and m < len(jobs):
        assert m < policy.largest_front
        needs[m] = jobs[m]
        m += 1
        full = compiled_policy(policy.rates, FRONT_POLICY)(m, needs, k, speeds, rates)
    return m, full, rates[:m]


@pytest.mark.parametrize(
    ("name", "systems"),
    [
        ("server_filling", CHAINS),
        ("server_filling_divisible", DIVISIBLE),
        ("threshold_parallelism", ANY),
    ],
)
def test_fronts_and_lemma_7_1(name, systems):
    """The front serves whom the definition says, of all jobs; when full, it fills all servers."""

    @settings(max_examples=300)
    @given(data=lists_of_jobs(systems))
    def check(data):
        (k, needs), jobs = data
        policy = getattr(front_policies, name)(workload_of(k, needs))
        m, full, rates = front_of(policy, k, jobs)
        expected = getattr(slow, name)(k)(as_jobs(jobs))
        assert expected[:m] == rates.tolist()
        assert not any(expected[m:])
        used = sum(rate * need for rate, need in zip(rates, jobs, strict=False))
        assert full == (used == k)
        if name != "server_filling_divisible":
            assert full == (sum(jobs) >= k)
        elif len(jobs) >= policy.largest_front:
            assert full

    check()


@pytest.mark.parametrize(
    ("name", "k", "needs", "n", "jobs"),
    [
        ("server_filling", 4, (1, 2, 4), 4, [1, 1, 1, 4]),
        ("server_filling", 12, (2, 6), 6, [2] * 5 + [6]),
        ("server_filling_divisible", 4, (1, 2, 4), 5, [1, 1, 1, 2, 4]),
        ("server_filling_divisible", 6, (1, 2, 3, 6), 9, [1] * 5 + [2] * 2 + [3, 3]),
        ("threshold_parallelism", 7, (2, 3), 4, [2, 2, 2, 3]),
        ("threshold_parallelism", 8, (1, 8), 8, [1] * 8),
    ],
)
def test_the_bound_on_the_front_is_reached(name, k, needs, n, jobs):
    policy = getattr(front_policies, name)(workload_of(k, needs))
    assert policy.largest_front == n == len(jobs)
    m, full, _ = front_of(policy, k, [*jobs, needs[0]])
    assert (m, full) == (n, True)


@given(k=st.integers(1, 9), jobs=st.integers(0, 20), seed=st.integers(0, 99))
def test_rates_by_age(k, jobs, seed):
    single = workload_of(k, (1,))
    speeds = np.random.default_rng(seed).dirichlet(np.ones(k))
    slow_and_fast = [
        (front_policies.fastest_server_first(single, speeds), slow.fastest_server_first(speeds)),
        (front_policies.limited_processor_sharing(single), slow.limited_processor_sharing(k)),
    ]
    for policy, definition in slow_and_fast:
        m, full, rates = front_of(policy, k, [1] * jobs)
        expected = definition(as_jobs([1] * jobs))
        assert (m, full) == (min(jobs, k), jobs >= k)
        np.testing.assert_allclose(rates, expected[:m], rtol=1e-12)
        assert not any(expected[m:])


@pytest.mark.parametrize(
    ("build", "k", "needs", "message"),
    [
        (front_policies.server_filling, 6, (2, 3), "divide each other"),
        (front_policies.server_filling, 6, (1, 4), "divide each other and the 6"),
        (front_policies.server_filling_divisible, 6, (1, 4), "divide the 6"),
        (front_policies.limited_processor_sharing, 4, (1, 2), "needs must be 1"),
        (lambda w: front_policies.fastest_server_first(w, (0.5, 0.5)), 3, (1,), "3 positive"),
        (lambda w: front_policies.fastest_server_first(w, (0.5, 0.6)), 2, (1,), "sum 1"),
        (lambda w: front_policies.fastest_server_first(w, (1.0, 0.0)), 2, (1,), "positive"),
    ],
)
def test_systems_outside_a_model_are_refused(build, k, needs, message):
    with pytest.raises(ValueError, match=message):
        build(workload_of(k, needs))


@pytest.mark.parametrize("variant", ["", "_to_smaller", "_of_all", "_of_all_to_smaller"])
def test_max_weight_serves_the_only_jobs_that_are_there_among_many_needs(variant):
    """Of needs 34, 35, …, 100 there are 1e23 combinations of numbers, few of which fit."""
    k, needs = 100, tuple(range(34, 101))
    policy = getattr(class_policies, f"max_weight{variant}")
    for v in needs:
        rates = rates_by_class(policy, k, needs, [v] * 3)
        assert sum(rates) == k // v
