"""Ranks, stability and traffic against plain enumeration and elimination."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from multiserver.sharing.queue import (
    MultiServerQueue,
    UnstableError,
    mask_of,
    members,
    require_stable,
    stability,
)
from multiserver.sharing.traffic import solve_traffic

from .references import close
from .test_sharing_product_form import chain_traffic, exact_traffic, random_queue, random_routing


def subsets(classes):
    return [a for k in range(1, classes + 1) for a in combinations(range(classes), k)]


@pytest.mark.parametrize("seed", range(10))
def test_rank(seed):
    queue = random_queue(random.Random(seed), 5, 4)
    assert queue.rank(0) == 0 and queue.ranks()[0] == 0
    for a in subsets(5):
        expected = sum(
            mu for s, mu in enumerate(queue.rates) if any(s in queue.compatible[i] for i in a)
        )
        assert queue.rank(mask_of(a)) == expected
        assert queue.ranks()[mask_of(a)] == close(float(expected), rel=1e-15 * len(queue.rates))
        assert members(mask_of(a)) == a


@pytest.mark.parametrize("seed", range(20))
def test_stability(seed):
    draw = random.Random(seed)
    queue = random_queue(draw, 4, 5)
    loads = [Fraction(draw.randint(0, 8), 4) for _ in range(4)]
    load = {a: sum(loads[i] for i in a) / queue.rank(mask_of(a)) for a in subsets(4)}
    highest = max(load.values())
    found = stability(queue, list(map(float, loads)))
    assert found.fraction_of_limit == close(float(highest), rel=1e-14)
    assert found.stable == (highest < 1) or abs(highest - 1) < 1e-14
    # The smallest set that binds, the one of the lowest classes first.
    binding = min((a for a in load if load[a] == highest), key=lambda a: (len(a), mask_of(a)))
    assert found.binding == (binding if highest else ())
    if highest:
        margin = queue.rank(mask_of(binding)) - sum(loads[i] for i in binding)
        assert found.margin == close(float(margin), rel=1e-12, abs=1e-14)
        assert found.scale == close(float(1 / highest), rel=1e-14)


def test_the_set_that_binds_is_named():
    queue = MultiServerQueue((1.0, 2.0, 4.0), (frozenset({0}), frozenset({0, 1}), frozenset({2})))
    with pytest.raises(
        UnstableError, match=r"classes \[0, 1\] bring 4 jobs .* finish 3; .* 0\.75$"
    ):
        require_stable(queue, (0.5, 3.5, 3.9))
    with pytest.raises(UnstableError, match=r"classes \[7, 8\]") as caught:
        require_stable(queue, (0.5, 3.5, 3.9), first=7)
    assert caught.value.binding == (7, 8) and caught.value.scale == 0.75
    # The boundary itself is unstable: (7) is strict.
    with pytest.raises(UnstableError, match=r"classes \[2\]"):
        require_stable(queue, (0.5, 0.5, 4.0))
    assert stability(queue, (0.5, 0.5, np.nextafter(4.0, 0))).stable
    assert stability(queue, (0, 0, 0)).scale == math.inf


@pytest.mark.parametrize(
    ("rates", "compatible", "what"),
    [
        ((), ({0},), "at least one server"),
        ((1.0,), (), "at least one server"),
        ((1.0, -1.0), ({0},), "-1.0"),
        ((math.nan,), ({0},), "nan"),
        ((True,), ({0},), "True"),
        ((1.0,), ({0, 1},), r"servers \[1\]"),
        ((1.0,), ({0.5},), r"servers \[0.5\]"),
        # Rows of which servers a class can use, in place of their numbers.
        ((1.0, 1.0), ([True, False], [True, True]), r"class 0 names servers \[True, False\]"),
        ((1.0, 1.0, 1.0), ({0}, [1, 0, 1]), r"class 1 must name each .* once, found \[1, 0, 1\]"),
        ((1.0,), (set(),), "class 0 has no server"),
        ((1.0, 0.0), ({0}, {1}), "class 1 has no server"),
    ],
)
def test_queues_that_are_none(rates, compatible, what):
    with pytest.raises(ValueError, match=what):
        MultiServerQueue(rates, compatible)


def test_arguments_out_of_range():
    queue = MultiServerQueue((1.0,), ({0}, {0}))
    for loads in ((0.1,), (0.1, -0.1), (0.1, math.inf), (0.1, math.nan), [[0.1, 0.1]]):
        with pytest.raises(ValueError, match="expected 2 finite numbers"):
            stability(queue, loads)
    with pytest.raises(ValueError, match=r"17 classes .* at most 16"):
        MultiServerQueue((1.0,), ({0},) * 17).ranks()


# Traffic.


@pytest.mark.parametrize("seed", range(10))
def test_traffic_of_jobs_that_leave(seed):
    draw = random.Random(seed)
    n = draw.randint(1, 6)
    nu = [Fraction(1, 3)] + [Fraction(draw.randint(0, 3), 7) for _ in range(n - 1)]
    p = random_routing(draw, n, leaving=True)
    exact = exact_traffic(nu, p)
    assert sum(nu) == sum(x * (1 - sum(row)) for x, row in zip(exact, p, strict=True))  # (2)
    found = solve_traffic(list(map(float, nu)), [list(map(float, row)) for row in p])
    assert found.chains == () and found.transient == tuple(range(n))
    np.testing.assert_allclose(found.rates, list(map(float, exact)), rtol=1e-13)
    np.testing.assert_allclose(found.leaving, [float(1 - sum(row)) for row in p], rtol=1e-14)


@pytest.mark.parametrize("leaving", [1e-3, 1e-6, 2e-9])
def test_traffic_of_jobs_that_hardly_leave(leaving):
    """Jobs go round thousands of times and more; λ and p_i are those of the floats given."""
    nu, p = [0.1, 0.0, 0.7], [[0.1, 0.6, 0.3], [0.3, 0.0, 0.7], [0.9, 0.1 - leaving, 0.0]]
    rows = [list(map(Fraction, row)) for row in p]
    rows[:2] = [[x / sum(row) for x in row] for row in rows[:2]]
    found = solve_traffic(nu, p)
    expected = exact_traffic(list(map(Fraction, nu)), rows)
    np.testing.assert_allclose(found.rates, list(map(float, expected)), rtol=1e-14)
    assert found.leaving[2] == float(1 - sum(rows[2]))


@pytest.mark.parametrize("seed", range(10))
def test_traffic_of_chains(seed):
    """Two chains and two transient classes, shuffled."""
    draw = random.Random(seed)
    sizes = draw.randint(1, 3), draw.randint(1, 3)
    order = draw.sample(range(2 + sum(sizes)), 2 + sum(sizes))
    groups = [order[:2], order[2 : 2 + sizes[0]], order[2 + sizes[0] :]]
    nu, p, expected = np.zeros(len(order)), np.zeros((len(order),) * 2), np.zeros(len(order))
    for group, leaving in zip(groups, (True, False, False), strict=True):
        block = random_routing(draw, len(group), leaving)
        p[np.ix_(group, group)] = [list(map(float, row)) for row in block]
        if leaving:
            nu[group] = 1.0, 0.5
            expected[group] = list(map(float, exact_traffic([1, Fraction(1, 2)], block)))
        else:
            shares = chain_traffic(block)
            expected[group] = [float(x / sum(shares)) for x in shares]
    found = solve_traffic(nu, p)
    assert found.chains == tuple(sorted(tuple(sorted(group)) for group in groups[1:]))
    assert found.transient == tuple(sorted(groups[0]))
    np.testing.assert_allclose(found.rates, expected, rtol=1e-13)


def test_typed_thirds_are_thirds():
    """Rows of 0.3333333333 do not leak: they are a chain."""
    found = solve_traffic(np.zeros(3), np.full((3, 3), 0.3333333333))
    assert found.chains == ((0, 1, 2),)
    np.testing.assert_allclose(found.rates, 1 / 3, rtol=1e-14)
    assert (found.leaving == 0).all()


@pytest.mark.parametrize(
    ("arrivals", "routing", "what"),
    [
        ([1.0], [[0.5, 0.5]], "1 by 1"),
        ([-1.0], [[0.5]], "expected a rate"),
        ([], np.zeros((0, 0)), "expected a rate"),
        ([1.0], [[-0.1]], "expected probabilities"),
        ([1.0], [[math.nan]], "expected probabilities"),
        ([1.0, 1.0], [[0.5, 0.6], [0, 0]], "row 0 of routing sums to 1.1"),
        ([1.0], [[1.0]], r"classes \[0\] are never left but entered at or from classes \[0\]"),
        ([0, 1.0], [[1, 0], [0.1, 0]], r"classes \[0\] .* from classes \[1\]"),
        ([1.0, 0], [[0.5, 0], [0.5, 0]], r"classes \[1\] are never visited.* Leave out each"),
    ],
)
def test_traffic_that_is_none(arrivals, routing, what):
    with pytest.raises(ValueError, match=what):
        solve_traffic(arrivals, routing)
