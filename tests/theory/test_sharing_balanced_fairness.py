"""Balanced fairness: Theorem 2, Propositions 1 and 2, and exact means against fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from multiserver.sharing.balanced_fairness import measure, rates, solve, truncated_means
from multiserver.sharing.queue import MultiServerQueue, UnstableError, mask_of, stability

from .references import close
from .test_sharing_product_form import potential, random_queue


def exact_means(queue, loads):
    """G and E[X_i] in fractions, by the recursion as it reads, set by set, and its derivative."""
    classes = range(queue.classes)
    sums, moments = {frozenset(): Fraction(1)}, {frozenset(): [Fraction(0)] * queue.classes}
    for size in range(1, queue.classes + 1):
        for a in map(frozenset, combinations(classes, size)):
            slack = queue.rank(mask_of(a)) - sum(loads[i] for i in a)
            sums[a] = sum(loads[i] * sums[a - {i}] for i in a) / slack
            moments[a] = [
                (
                    sum(loads[j] * moments[a - {j}][i] for j in a)
                    + (loads[i] * (sums[a] + sums[a - {i}]) if i in a else 0)
                )
                / slack
                for i in classes
            ]
    total = sum(sums.values())
    return total, [sum(m[i] for m in moments.values()) / total for i in classes]


def random_loads(draw, queue, load):
    """λ with max_A λ(A)/μ(A) = `load`, in fractions."""
    raw = [Fraction(draw.randint(1, 9)) for _ in range(queue.classes)]
    masks = range(1, 1 << queue.classes)
    highest = max(
        sum(raw[i] for i in range(queue.classes) if a >> i & 1) / queue.rank(a) for a in masks
    )
    return [x * load / highest for x in raw]


def floats(values):
    return [float(x) for x in values]


# Theorem 2 and Proposition 2 (Proposition 1 is in test_sharing_product_form).


@pytest.mark.parametrize("seed", range(5))
def test_theorem_2(seed):
    draw = random.Random(seed)
    queue = random_queue(draw, 3, 4)
    limits = 2, 3, 4
    phi = measure(queue, (1, 1, 1), limits)
    weighted = measure(queue, (0.5, 2.0, 0.0), limits)
    assert phi.shape == (3, 4, 5)
    for x in product(*(range(n + 1) for n in limits)):
        expected = potential(queue, x)
        assert phi[x] == close(float(expected), rel=1e-14)
        assert weighted[x] == close(float(expected) * 0.5 ** x[0] * 2 ** x[1] * 0 ** x[2], 1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_proposition_2(seed):
    """On the boundary of the capacity set, using all that the classes present can."""
    draw = random.Random(seed)
    queue = random_queue(draw, 4, 5)
    for _ in range(10):
        x = [draw.randint(0, 4) for _ in range(4)]
        phi = rates(queue, x)
        if not any(x):
            assert not phi.any()
            continue
        assert all((rate > 0) == (count > 0) for rate, count in zip(phi, x, strict=True))
        assert stability(queue, phi).fraction_of_limit == close(1.0, rel=1e-13)
        full = float(queue.rank(mask_of(i for i in range(4) if x[i])))
        assert phi.sum() == close(full, rel=1e-13)
        for i in range(4):
            if x[i]:
                less = tuple(n - (i == j) for j, n in enumerate(x))
                expected = potential(queue, less) / potential(queue, tuple(x))
                assert phi[i] == close(float(expected), rel=1e-13)


def test_rates_of_many_jobs_neither_overflow_nor_vanish():
    """Φ itself is beyond floating point here. One class takes what it can when it dominates."""
    queue = MultiServerQueue((1e3, 1e3, 1e3), ({0, 2}, {1, 2}))
    phi = rates(queue, (900, 900))
    assert phi == close([1500.0, 1500.0], rel=1e-12)
    assert rates(queue, (1500, 1)).sum() == close(3000.0, rel=1e-12)


@pytest.mark.parametrize("jobs", [(20, 20, 3), (1, 60, 2), (40, 1, 0)])
@pytest.mark.parametrize("shared", [1e-8, 1.0, 1e8])
def test_rates_of_servers_sixteen_decades_apart(jobs, shared):
    """Φ in fractions, which spans up to 10^640: classes on a server of rate 1e8 and on one of 1e-8,
    and one on both and the shared server. Each job adds a few roundings."""
    queue = MultiServerQueue([1e8, 1e-8, shared], [{0}, {1, 2}, {0, 1, 2}])
    capacity = [Fraction(0)]
    for mask in range(1, 8):
        used = frozenset().union(*(s for i, s in enumerate(queue.compatible) if mask >> i & 1))
        capacity.append(sum(Fraction(queue.rates[s]) for s in used))
    balance = {}
    for x in product(*(range(n + 1) for n in jobs)):
        present = [i for i in range(3) if x[i]]
        before = [balance[tuple(n - (i == j) for j, n in enumerate(x))] for i in present]
        balance[x] = sum(before) / capacity[mask_of(present)] if present else Fraction(1)
    expected = [
        float(balance[tuple(n - (i == j) for j, n in enumerate(jobs))] / balance[jobs])
        if jobs[i]
        else 0.0
        for i in range(3)
    ]
    assert rates(queue, jobs).tolist() == close(expected, rel=1e-13)


# Means.


@pytest.mark.parametrize("load", [Fraction(1, 10), Fraction(9, 10), 1 - Fraction(1, 10**6)])
@pytest.mark.parametrize("seed", range(8))
def test_means_in_fractions(seed, load):
    draw = random.Random(seed)
    queue = random_queue(draw, draw.randint(1, 5), 5)
    loads = random_loads(draw, queue, load)
    total, jobs = exact_means(queue, loads)
    found = solve(queue, floats(loads))
    # The rounding of the loads themselves is amplified by 1/(1 − load), per set on the way.
    rel = 1e-14 / float(1 - load)
    assert found.normalising_constant == close(float(total), rel=rel)
    np.testing.assert_allclose(found.mean_jobs, floats(jobs), rtol=rel)
    times = floats(x / load for x, load in zip(jobs, loads, strict=True))
    np.testing.assert_allclose(found.mean_response_times, times, rtol=rel)
    np.testing.assert_allclose(found.mean_rates, 1 / np.array(times), rtol=rel)
    # No class gets more than all of its servers (Section 8).
    alone = [float(queue.rank(1 << i)) for i in range(queue.classes)]
    assert (found.mean_rates < np.array(alone) * (1 + 1e-14)).all()


@pytest.mark.parametrize("seed", range(8))
def test_means_by_the_recursion_for_phi(seed):
    """At load 0.6 the states with more than 120 jobs weigh less than 1e-20."""
    draw = random.Random(seed)
    queue = random_queue(draw, 1 + seed % 3, 4)
    loads = floats(random_loads(draw, queue, Fraction(3, 5)))
    found, truncated = solve(queue, loads), truncated_means(queue, loads, 120)
    np.testing.assert_allclose(found.mean_jobs, truncated.mean_jobs, rtol=1e-12)
    np.testing.assert_allclose(truncated.upper, truncated.lower, rtol=1e-12)


@pytest.mark.parametrize("jobs", [5, 20, 80])
@pytest.mark.parametrize("seed", range(8))
def test_truncation_encloses_the_means(seed, jobs):
    draw = random.Random(seed)
    queue = random_queue(draw, 2, 3)
    loads = random_loads(draw, queue, Fraction(4, 5))
    total, exact = exact_means(queue, loads)
    found = truncated_means(queue, floats(loads), jobs)
    rounding = 1e-13
    assert (found.lower <= np.array(floats(exact)) * (1 + rounding)).all()
    assert (found.upper >= np.array(floats(exact)) * (1 - rounding)).all()
    assert (found.lower <= found.mean_jobs).all() and (found.mean_jobs <= found.upper).all()
    # The mass beyond is bounded too: what takes the estimate down to the lower bound.
    weights = measure(queue, floats(loads), (jobs, jobs))
    mass = weights[np.indices(weights.shape).sum(axis=0) <= jobs].sum()
    lost = found.mean_jobs / found.lower - 1
    assert (lost >= (float(total) - mass) / mass - rounding).all()
    # A bound that is of use: it shrinks like the true error, 0.8^M times a polynomial.
    if jobs == 80:
        assert (found.upper - found.lower < 1e-3 * found.mean_jobs).all()


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("load", [0.01, 0.3])
def test_truncation_of_one_server(load, jobs):
    """The mass beyond M is load^{M+1}/(1 − load); its bound is above, and within a factor of 20."""
    found = truncated_means(MultiServerQueue((1.0,), ({0},)), [load], jobs)
    beyond = load ** (jobs + 1) / (1 - load ** (jobs + 1))
    assert beyond <= found.mean_jobs / found.lower - 1 <= 20 * beyond
    assert found.lower <= load / (1 - load) <= found.upper
    lost = sum(n * (1 - load) * load**n for n in range(jobs + 1, 200)) / (1 - load ** (jobs + 1))
    assert lost <= found.upper - found.mean_jobs <= 20 * lost


def test_classes_without_arrivals():
    """A stray job of such a class sees the limit of small arrival rates."""
    queue = MultiServerQueue((1.0, 2.0, 0.5), ({0, 2}, {1, 2}, {0, 1, 2}))
    found, limit = solve(queue, (0.8, 1.7, 0.0)), solve(queue, (0.8, 1.7, 1e-12))
    assert found.mean_jobs[2] == 0
    np.testing.assert_allclose(found.mean_rates, limit.mean_rates, rtol=1e-10)
    alone = solve(queue, (0, 0, 0))
    np.testing.assert_allclose(alone.mean_rates, [1.5, 2.5, 3.5], rtol=1e-15)
    none = truncated_means(queue, (0, 0, 0), 3)
    assert not none.mean_jobs.any() and not none.upper.any()


def test_refusals():
    queue = MultiServerQueue((1.0, 1.0), ({0}, {0, 1}))
    for function in (solve, lambda *a: truncated_means(*a, 5)):
        with pytest.raises(UnstableError, match=r"classes \[0, 1\] .* less than 0.8"):
            function(queue, (0.9, 1.6))
    with pytest.raises(ValueError, match="jobs is 0"):
        truncated_means(queue, (0.1, 0.1), 0)
    with pytest.raises(ValueError, match="expected 2 integers"):
        rates(queue, (1, -1))
    with pytest.raises(ValueError, match="expected 2 integers"):
        rates(queue, (1.0, 1.0))
    with pytest.raises(ValueError, match="expected 2 rates"):
        measure(queue, (1.0, 1.0), (3,))
