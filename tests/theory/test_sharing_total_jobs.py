"""P(N > k) under balanced fairness: by sets, by servers in use, and by sums over all states."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.signal import lfilter

import multiserver as ms
from atlas.enumeration import balance

from .references import close


def parallel(speeds, uses, loads, policy=ms.BalancedFairness, duration=None):
    """Classes with sets of servers, or with numbers of servers drawn at random, and total load."""
    duration = duration or ms.Exponential(rate=1.0)
    total = sum(loads)
    classes = [
        ms.JobClass(
            duration=duration,
            probability=load / total,
            **({"degree": use} if isinstance(use, int) else {"compatible": use}),
        )
        for use, load in zip(uses, loads, strict=True)
    ]
    return ms.System(speeds, classes).under(policy).exact(arrival_rate=total / duration.mean)


def drawn(seed):
    """Up to four servers and three classes, at a load at which sums over all states end."""
    draws = random.Random(seed)
    speeds = [draws.uniform(0.5, 2.0) for _ in range(draws.randint(1, 4))]
    sets = [
        frozenset(draws.sample(range(len(speeds)), draws.randint(1, len(speeds))))
        for _ in range(draws.randint(1, 3))
    ]
    loads = [draws.uniform(0.1, 0.25) * sum(speeds[s] for s in sets[i]) for i in range(len(sets))]
    return speeds, sets, loads


@pytest.mark.parametrize("seed", range(12))
def test_sets_of_servers_by_sums_over_all_states(seed):
    """The sums end where 1e-17 of all is left."""
    speeds, sets, loads = drawn(seed)
    levels = balance.means(speeds, sets, loads).levels
    found = parallel(speeds, sets, loads)
    for k in range(12):
        assert found.tail(k) == pytest.approx(math.fsum(levels[k + 1 :]), rel=1e-12, abs=1e-16)
    assert math.fsum(found.tail(k) for k in range(200)) == close(found.mean_jobs, rel=1e-12)


@pytest.mark.parametrize(("degrees", "loads"), [((2,), (2.0,)), ((1, 3), (1.0, 0.9))])
def test_random_servers_are_as_many_classes(degrees, loads):
    sets, shares = [], []
    for degree, load in zip(degrees, loads, strict=True):
        found = balance.random_sets(4, degree)
        sets += found
        shares += [load / len(found)] * len(found)
    by_servers = parallel([1.0] * 4, degrees, loads)
    by_sets = parallel([1.0] * 4, sets, shares)
    for k in (0, 1, 3, 10, 100, 1000):
        assert by_servers.tail(k) == close(by_sets.tail(k), rel=1e-11)


@pytest.mark.parametrize(("servers", "degree", "load"), [(50, 3, 0.9), (1000, 2, 0.7)])
def test_one_degree_is_a_sum_of_geometric_variables(servers, degree, load):
    """P(Σ_i Y_i > k) grows with each Y_i of parameter a by a/(1 − a) P(Σ = k). The weights of 1000
    servers exceed all floats."""
    last = 3 * servers
    point = np.eye(1, last + 1)[0]
    above = np.zeros(last + 1)
    for i in range(degree, servers + 1):
        a = load * math.comb(i - 1, degree - 1) / math.comb(servers - 1, degree - 1)
        point = lfilter([1 - a], [1, -a], point)
        above += a / (1 - a) * point
    found = parallel([1.0] * servers, [degree], [load * servers])
    for factor in (0, 0.5, 0.9, 1, 1.2, 1.5):
        k = math.floor(factor * found.mean_jobs)
        assert found.tail(k) == close(above[k], rel=1e-11)


def test_one_server_far_out():
    """ρ^(k+1) = 4e-303, and beyond all floats."""
    found = parallel([2.0], [frozenset({0})], [1.0])
    assert found.tail(1004) == close(0.5**1005, rel=1e-11)
    assert found.tail(10**5) == 0.0
    assert found.tail(-1) == 1.0
    assert found.tail(10**12) == 0.0


def test_durations_matter_by_their_means_and_interruptions_do_not():
    """Insensitivity, and exponential durations of one mean under every policy."""
    shape = [1.0, 0.5, 2.0], [{0, 1}, {1, 2}], [0.9, 1.1]
    fair = parallel(*shape)
    for other in (
        parallel(*shape, duration=ms.Erlang(stages=3, rate=1.0)),
        parallel(*shape, policy=ms.FCFS),
        parallel(*shape, policy=ms.RandomInterruptions(per_job=2)),
    ):
        assert [other.tail(k) for k in (0, 4)] == close([fair.tail(k) for k in (0, 4)], rel=1e-13)


def test_minutes_are_refused_at_once():
    found = parallel((1.0,), ({0},), (1 - 1e-9,))
    with pytest.raises(ms.TooLargeError, match="1000000000 products with 2 numbers"):
        found.tail(10**9)
