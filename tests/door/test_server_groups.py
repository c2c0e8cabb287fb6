"""Needs with a common factor: 4 and 16 of 16, or 17, servers are needs 1 and 4 of 4."""

from __future__ import annotations

import math

import pytest
from tests.rigid_jobs import rigid as jobs

import multiserver as ms
from multiserver.policies import class_counts


def rigid(servers, needs, policy, small=0.8):
    rows = zip(needs, (1.0, 0.5), (small, 1 - small), strict=True)
    return jobs(servers, *rows).under(policy)


POLICIES = [
    ms.Quickswap(threshold=2),
    ms.Quickswap(threshold=0, last_phase="if-large-waits"),
    ms.NonpreemptiveMostServersFirst,
    ms.MostServersFirst,
]


@pytest.mark.parametrize("servers", [16, 17, 19])
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_groups_of_servers_are_servers(policy, servers):
    one, many = rigid(4, (1, 4), policy), rigid(servers, (4, 16), policy)
    limit = one.stability().limit
    found = many.stability()
    assert found.limit == pytest.approx(limit, rel=1e-14)
    assert found.limit <= found.highest
    # Servers beside the groups never work.
    assert found.wastage == pytest.approx(servers - 16, rel=1e-12)
    assert found.load_limit == pytest.approx(16 / servers, rel=1e-14)
    expected, exact = (queue.exact(arrival_rate=0.9 * limit) for queue in (one, many))
    assert exact.method == expected.method
    assert exact.busy_servers == pytest.approx(4 * expected.busy_servers, rel=1e-13)
    assert exact.idle_servers == pytest.approx(servers - exact.busy_servers, rel=1e-13)
    for c in range(2):
        assert exact.by_class[c].means == pytest.approx(expected.by_class[c].means, rel=1e-12)


@pytest.mark.parametrize("servers", [30, 31])
def test_no_policy_uses_servers_beside_the_groups(servers):
    """The limit of all policies is that of MaxWeight, bit for bit."""
    queue = rigid(servers, (3, 6), ms.MaxWeight, small=0.7)
    limit = 30 / queue.system.mean_size
    assert queue.stability().limit == queue.highest_rate == limit
    assert rigid(servers, (3, 6), ms.Quickswap, small=0.7).stability().limit == limit


def test_first_come_first_served_with_hundreds_of_groups():
    point = {"arrival_rate": 30.0}
    one, many = (
        rigid(n, (v, n - n % v), ms.FCFS, small=0.998).exact(**point)
        for n, v in ((400, 1), (1201, 3))
    )
    assert one.method == many.method
    assert one.method.startswith("age of a large job")
    assert many.mean_response_time == pytest.approx(one.mean_response_time, rel=1e-11)
    assert many.tail(50) == pytest.approx(one.tail(50), rel=1e-10)


@pytest.mark.parametrize(("servers", "needs"), [(3, (1, 3)), (6, (2, 6)), (8, (2, 4))])
def test_most_servers_first_has_a_tail(servers, needs):
    """P(N > k) is from another chain than the means: its sum over k is E[N]."""
    found = rigid(servers, needs, ms.MostServersFirst).exact(load=0.5)
    assert found.method.startswith("work of the classes served first")
    tails = []
    while not tails or tails[-1] > 1e-13:
        tails.append(found.tail(len(tails)))
    assert math.fsum(tails) == pytest.approx(found.mean_jobs, rel=1e-9)


@pytest.mark.parametrize(("most", "reason"), [(1_000, "and 1000 fit"), (23_000, "than the means")])
def test_a_tail_that_takes_too_many_states_is_refused(monkeypatch, most, reason):
    monkeypatch.setattr(class_counts, "MOST_FOR_TAIL", most)
    found = rigid(16, (1, 2), ms.MostServersFirst).exact(load=0.9)
    with pytest.raises(ms.TooLargeError, match=reason):
        found.tail(3)
