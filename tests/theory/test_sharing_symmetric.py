"""Random assignment and pools: closed form, recursion on the union, and class by class."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from multiserver.errors import TooLargeError
from multiserver.sharing import balanced_fairness
from multiserver.sharing.queue import MultiServerQueue, UnstableError
from multiserver.sharing.symmetric import (
    JobType,
    ServerPool,
    joining,
    random_assignment,
    solve,
)

from .references import close
from .test_sharing_balanced_fairness import exact_means


def class_by_class(pools, types):
    """The queue of all classes that the types stand for, their loads, and the type of each."""
    first = np.cumsum([0] + [pool.servers for pool in pools])
    rates = [pool.rate for pool in pools for _ in range(pool.servers)]
    sets, loads, kinds = [], [], []
    for r, kind in enumerate(types):
        choices = [
            list(combinations(range(first[t], first[t] + pool.servers), d))
            for t, (pool, d) in enumerate(zip(pools, kind.degrees, strict=True))
        ]
        classes = [frozenset(map(int, sum(parts, ()))) for parts in product(*choices)]
        sets += classes
        loads += [kind.arrival_rate / len(classes)] * len(classes)
        kinds += [r] * len(classes)
    return MultiServerQueue(rates, sets), loads, kinds


def check_class_by_class(pools, types):
    queue, loads, kinds = class_by_class(pools, types)
    exact, found = balanced_fairness.solve(queue, loads), solve(pools, types)
    jobs = [
        sum(n for n, k in zip(exact.mean_jobs, kinds, strict=True) if k == r) for r in set(kinds)
    ]
    np.testing.assert_allclose(found.mean_jobs, jobs, rtol=1e-12)
    for r, rate in zip(kinds, exact.mean_rates, strict=True):
        # Every class of a type gets the same rate.
        assert rate == close(found.mean_rates[r], rel=1e-12)
    log_g = math.log(exact.normalising_constant)
    assert found.log_normalising_constant == close(log_g, rel=1e-12)


@pytest.mark.parametrize(("servers", "degree"), [(4, 1), (4, 2), (4, 3), (4, 4), (5, 2), (5, 3)])
@pytest.mark.parametrize("load", [0.2, 0.95])
def test_random_assignment_class_by_class(servers, degree, load):
    pools, arrivals = [ServerPool(servers, 1.5)], load * servers * 1.5
    check_class_by_class(pools, [JobType(arrivals, (degree,))])
    found, direct = solve(pools, [JobType(arrivals, (degree,))]), random_assignment
    closed = direct(servers, degree, arrivals, 1.5)
    assert closed.mean_jobs == close(found.mean_jobs[0], rel=1e-13 / (1 - load))
    assert closed.log_normalising_constant == close(found.log_normalising_constant, rel=1e-12)


def test_random_assignment_by_the_full_recursion_in_fractions():
    """The six classes of S = 4, d = 2, in exact arithmetic, set by set."""
    queue = MultiServerQueue([Fraction(1)] * 4, [frozenset(s) for s in combinations(range(4), 2)])
    load = Fraction(18, 5)
    total, jobs = exact_means(queue, [load / 6] * 6)
    found = random_assignment(4, 2, float(load))
    assert found.mean_jobs == close(float(sum(jobs)), rel=1e-14)
    assert found.log_normalising_constant == close(math.log(total), rel=1e-14)


@pytest.mark.parametrize("degree", [1, 2, 3, 10, 50, 99, 100])
@pytest.mark.parametrize("load", [1e-9, 0.3, 0.9, 0.9999])
def test_a_hundred_servers(degree, load):
    found = solve([ServerPool(100)], [JobType(100 * load, (degree,))])
    closed = random_assignment(100, degree, 100 * load)
    assert found.mean_jobs[0] == close(closed.mean_jobs, rel=1e-14 / (1 - load))
    assert found.mean_rates[0] == close(closed.mean_rate, rel=1e-14 / (1 - load))
    # The logarithm is formed of numbers near 1: its error is absolute.
    log_g = closed.log_normalising_constant
    assert found.log_normalising_constant == close(log_g, rel=1e-12, abs=1e-13)


def test_normalising_constant_beyond_floating_point():
    found, closed = solve([ServerPool(1500)], [JobType(1440.0, (2,))]), random_assignment
    assert closed(1500, 2, 1440.0).log_normalising_constant > 1100
    assert found.mean_jobs[0] == close(closed(1500, 2, 1440.0).mean_jobs, rel=1e-12)


def test_extreme_degrees():
    """d = 1: independent single servers; d = S: one fast server."""
    loads = np.array([[0.0, 10.0], [50.0, 99.0]])
    np.testing.assert_allclose(random_assignment(100, 1, loads).mean_rate, 1 - loads / 100, 1e-12)
    np.testing.assert_allclose(random_assignment(100, 100, loads).mean_rate, 100 - loads, 1e-12)
    # Alone a job gets d servers; more servers per job are better for all.
    for load in (0.0, 30.0, 90.0, 99.9):
        rates = [float(random_assignment(100, d, load).mean_rate) for d in range(1, 101)]
        assert rates == sorted(rates)
        assert load > 0 or rates == close(list(range(1, 101)), rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_pools_class_by_class(seed):
    """Random pools, random types, at load 0.9 of the binding set or far below."""
    draw = random.Random(seed)
    pools = [
        ServerPool(draw.randint(1, 3), draw.choice([0.5, 1.0, 3.0]))
        for _ in range(draw.randint(1, 3))
    ]
    types, count = [], 0
    for _ in range(draw.randint(1, 3)):
        degrees = tuple(draw.randint(0, pool.servers) for pool in pools)
        ways = math.prod(math.comb(p.servers, d) for p, d in zip(pools, degrees, strict=True))
        if any(degrees) and count + ways <= 12:
            types.append(JobType(draw.uniform(0.1, 1.0), degrees))
            count += ways
    if not types:
        types = (
            [JobType(1.0, (1,) * len(pools))]
            if len(pools) == 1
            else [JobType(1.0, tuple(p.servers for p in pools))]
        )
    queue, loads, _ = class_by_class(pools, types)
    scale = balanced_fairness.stability(queue, loads).scale * draw.choice([0.9, 0.3])
    check_class_by_class(pools, [JobType(scale * t.arrival_rate, t.degrees) for t in types])


def test_types_without_arrivals():
    pools = [ServerPool(3), ServerPool(2, 2.0)]
    types = [JobType(2.0, (2, 0)), JobType(0.0, (1, 1)), JobType(1e-12, (1, 1))]
    found = solve(pools, types)
    assert found.mean_jobs[1] == 0
    assert found.mean_rates[1] == close(found.mean_rates[2], rel=1e-12)
    alone = solve(pools, [JobType(0.0, (2, 1))])
    assert alone.mean_rates == close([4.0], rel=1e-14)
    assert alone.log_normalising_constant == 0


def test_refusals():
    with pytest.raises(UnstableError, match=r"\[100\] servers .* rate 120 .* less than 0.833333"):
        random_assignment(100, 3, [20.0, 120.0])
    with pytest.raises(UnstableError, match=r"less than 1$"):
        random_assignment(100, 3, 100.0)
    pools = [ServerPool(4), ServerPool(2, 3.0)]
    # The 4 slow servers bind; both pools together would do.
    with pytest.raises(UnstableError, match=r"\[4, 0\]") as caught:
        solve(pools, [JobType(5.0, (2, 0)), JobType(1.0, (1, 1))])
    assert caught.value.binding == (4, 0) and caught.value.scale == 0.8
    # Where any number of servers binds, one is named.
    with pytest.raises(UnstableError, match=r"\[1\] servers .* 1.25 .* finish 1;"):
        solve([ServerPool(4)], [JobType(5.0, (1,))])
    assert solve(pools, [JobType(3.99, (2, 0)), JobType(1.0, (1, 1))]).mean_jobs[0] > 100
    with pytest.raises(ValueError, match="at most the 100 servers"):
        random_assignment(100, 101, 1.0)
    with pytest.raises(ValueError, match=r"degree must be a positive integer, found 1\.5"):
        random_assignment(100, 1.5, 1.0)
    with pytest.raises(ValueError, match="expected finite numbers"):
        random_assignment(100, 2, [1.0, math.nan])
    for degrees in ((1,), (5, 0), (0, 0)):
        with pytest.raises(ValueError, match="expected a number for each of the 2 pools"):
            solve(pools, [JobType(1.0, degrees)])
    with pytest.raises(ValueError, match="at most 100000 states"):
        solve([ServerPool(400), ServerPool(400)], [JobType(1.0, (1, 1))])
    with pytest.raises(ValueError, match="at least one type"):
        solve(pools, [])
    with pytest.raises(ValueError, match="rate is 0"):
        ServerPool(1, 0)
    with pytest.raises(ValueError, match="servers must be a positive integer, found 0"):
        ServerPool(0)
    with pytest.raises(ValueError, match="arrival_rate is -1"):
        JobType(-1, (1,))


# Degrees in the hundreds.


@pytest.mark.parametrize(("servers", "degree"), [(300, 299), (600, 40), (900, 450)])
def test_chances_of_servers_to_be_added_in_fractions(servers, degree):
    found = joining(servers, degree)
    assert found.shape == (servers + 1, degree + 1)
    ways, draw = math.comb(servers, degree), random.Random(servers)
    for _ in range(500):
        v, j = draw.randint(0, servers), draw.randint(0, degree)
        exact = Fraction(math.comb(servers - v, j) * math.comb(v, degree - j), ways)
        # Below, a product of ratios leaves the range of floats.
        assert found[v, j] == close(float(exact), rel=1e-13, abs=1e-300)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)


@pytest.mark.parametrize("load", [0.3, 0.999])
@pytest.mark.parametrize(("servers", "degree"), [(1000, 400), (1500, 1200)])
def test_many_servers_for_each_job(servers, degree, load):
    """Exact binomials of such numbers took minutes."""
    found = solve([ServerPool(servers)], [JobType(servers * load, (degree,))])
    closed = random_assignment(servers, degree, servers * load)
    assert found.mean_jobs[0] == close(closed.mean_jobs, rel=1e-13 / (1 - load))


def test_too_many_servers_for_each_job():
    with pytest.raises(TooLargeError, match=r"more than 2e\+07 chances of servers to be added"):
        joining(100_000, 1000)
