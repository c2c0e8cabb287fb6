"""The product form against chains, and against the printed theorems in many digits."""

from __future__ import annotations

import decimal
import math
import random
import warnings
from decimal import Decimal

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.peak import find_peak_wastage
from multiserver.saturated.two_class import distribution, sweep

from .references import brute_chain, close, printed_distribution, random_two_class_system, s2


def relative(found, exact):
    return abs(float((type(exact)(float(found)) - exact) / exact)) if exact else abs(float(found))


def worst(found, exact, above=0.0):
    """The largest relative error among the entries of `exact` beyond `above`."""
    return max(relative(x, y) for x, y in zip(found, exact, strict=True) if y > above)


@pytest.mark.parametrize("seed", range(500))
def test_chain_of_a_random_system(seed):
    n, needs, rates, p = random_two_class_system(random.Random(seed))
    chain = brute_chain(n, needs, rates, p)
    embedded, time = chain.distributions()
    found = distribution(MultiserverJobSystem.of(n, needs, rates, p))
    s = found.states
    listed = zip(s.blocking.tolist(), s.class_1.tolist(), s.class_2.tolist(), strict=True)
    assert list(listed) == [(int(head is not None), *counts) for counts, head in chain.states]
    assert s.idle.tolist() == chain.idle.tolist()
    assert s.filling.tolist() == [s2(n, needs, j)[1] for j in range(n // needs[1] + 1)]
    np.testing.assert_allclose(found.embedded, embedded, rtol=1e-12)
    np.testing.assert_allclose(found.time, time, rtol=1e-12)
    assert found.throughput == close(time @ chain.rate, rel=1e-12)
    assert found.wastage == close(time @ chain.idle, rel=1e-12)
    assert found.utilisation == close(1 - found.wastage / n, rel=1e-15)


# The printed theorems. p1 is 1 − p2 of the float p2, exactly.

EXTREMES = [(60, (3, 10)), (300, (1, 300)), (1000, (7, 999)), (1999, (3, 100)), (2000, (1, 2))]


@pytest.mark.parametrize("p2", [1e-12, 0.05, 0.5, 1 - 2.0**-53])
@pytest.mark.parametrize(("n", "needs"), EXTREMES)
def test_printed_theorems_at_extreme_ratios(n, needs, p2):
    with mpmath.workdps(45):
        for ratio in (1e-12, 0.3, 1e12):
            p = 1 - mpmath.mpf(p2), mpmath.mpf(p2)
            exact = printed_distribution(n, needs, (1.0, ratio), p, mpmath.mpf)
            found = distribution(MultiserverJobSystem.of(n, needs, (1.0, ratio), (1 - p2, p2)))
            assert relative(found.throughput, exact.throughput) < 1e-12
            assert relative(found.wastage, exact.wastage) < 1e-12
            # A rarer state is further from the mode, by more steps, each of them rounded.
            assert worst(found.time, exact.time, 1e-20) < 1e-12
            assert worst(found.embedded, exact.embedded, 1e-20) < 1e-12
            assert worst(found.embedded, exact.embedded, 1e-290) < 1e-9


LARGE = [
    (100_000, (1, 100), 50.0, 1e-2),
    (100_000, (2, 99_999), 1e-2, 1e-3),
    (100_000, (1, 2), 1e12, 0.5),
    (1_000_000, (3, 142_857), 3.0, 1e-3),
    (1_000_000, (7, 10), 1e-12, 0.999),
]


@pytest.mark.parametrize(("n", "needs", "ratio", "p2"), LARGE)
def test_printed_theorems_for_many_servers(n, needs, ratio, p2):
    digits = decimal.Context(prec=30, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    with decimal.localcontext(digits):
        p = 1 - Decimal(p2), Decimal(p2)
        exact = printed_distribution(n, needs, (1.0, ratio), p, Decimal)
        found = distribution(MultiserverJobSystem.of(n, needs, (1.0, ratio), (1 - p2, p2)))
        assert relative(found.throughput, exact.throughput) < 1e-12
        assert relative(found.wastage, exact.wastage) < 1e-12


def test_a_million_equal_steps_hardly_round():
    """Needs 1 and n at equal rates: π = p2 p1^a below a = n, so log π falls by equal steps.

    Added one after another, they are off by 2e-10.
    """
    n, p2 = 1_000_000, 3e-6
    a = np.arange(1, n)
    falling = np.exp(a * np.log1p(-p2)) / a
    sojourns = p2 + p2 * math.fsum(falling) + math.exp(n * math.log1p(-p2)) / n
    assert sweep(n, (1, n), (1, 1), p2).throughput == close(1 / sojourns, rel=1e-14)


@pytest.mark.parametrize("p", [(1e-20, 1.0), (1e-10, 1.0), (1.0, 1e-10)])
def test_the_smaller_probability_is_believed(p):
    """They may sum to 1 + 1e-10 as typed, and 1 may stand for 1 − 1e-20."""
    smaller = mpmath.mpf(min(p))
    with mpmath.workdps(45):
        pair = (smaller, 1 - smaller) if p[0] < p[1] else (1 - smaller, smaller)
        exact = printed_distribution(35, (3, 10), (1.0, 2.0), pair, mpmath.mpf)
        found = distribution(MultiserverJobSystem.of(35, (3, 10), (1.0, 2.0), p))
        assert worst(found.embedded, exact.embedded) < 1e-12


# Sweeps.

RATES_2 = np.array([[1e-6], [0.5], [1.0], [1e6]])
P_2 = np.array([1e-9, 0.1, 0.25, 0.6, 1 - 1e-9])


def test_sweep_is_the_distribution_point_by_point():
    found = sweep(47, (3, 10), (2.0, RATES_2), P_2)
    assert found.throughput.shape == found.wastage.shape == found.utilisation.shape == (4, 5)
    for (i, j), p2 in np.ndenumerate(np.broadcast_to(P_2, (4, 5))):
        point = distribution(
            MultiserverJobSystem.of(47, (3, 10), (2.0, RATES_2[i, 0]), (1 - p2, p2))
        )
        assert found.throughput[i, j] == close(point.throughput, rel=1e-13)
        assert found.wastage[i, j] == close(point.wastage, rel=1e-13)
        assert found.utilisation[i, j] == close(point.utilisation, rel=1e-13)


@pytest.mark.parametrize(
    ("mu1", "mu2", "p2", "shape"),
    [
        (1, 2, 0.5, ()),
        (1, 2, [], (0,)),
        ([1, 2], 1, 0.5, (2,)),
        ([[1], [2], [3]], [1, 2], 0.5, (3, 2)),
        (np.ones((2, 1, 1)), np.ones((3, 1)), np.full(4, 0.5), (2, 3, 4)),
    ],
)
def test_sweep_broadcasts(mu1, mu2, p2, shape):
    found = sweep(30, (3, 10), (mu1, mu2), p2)
    assert {found.throughput.shape, found.wastage.shape, found.utilisation.shape} == {shape}


@pytest.mark.parametrize("entries", [1, 40, 100])
def test_blocks_do_not_show(monkeypatch, entries):
    whole = sweep(47, (3, 10), (2.0, RATES_2), P_2)
    monkeypatch.setattr(two_class, "BLOCK", entries)  # 16 states: 1, 2 and 6 of the 20 points
    blocks = sweep(47, (3, 10), (2.0, RATES_2), P_2)
    np.testing.assert_array_equal(blocks.throughput, whole.throughput)
    np.testing.assert_array_equal(blocks.wastage, whole.wastage)


@pytest.mark.parametrize(
    ("n", "needs"), [(30, (3, 10)), (47, (3, 10)), (7, (7 - 1, 7)), (9, (2, 4))]
)
def test_jobs_of_one_class_only(n, needs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sweep(n, needs, (2.0, 5.0), [0, 1])
    assert found.throughput == close([2 * (n // needs[0]), 5 * (n // needs[1])], rel=1e-15)
    assert found.wastage.tolist() == [n % needs[0], n % needs[1]]
    near = sweep(n, needs, (2.0, 5.0), [1e-13, 1 - 1e-13])
    assert near.wastage == close(found.wastage, rel=0, abs=1e-10)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((30, (10, 3), (1, 1), 0.5), "found 10 and 3"),
        ((30, (3, 3), (1, 1), 0.5), "found 3 and 3"),
        ((30, (0, 3), (1, 1), 0.5), "found 0 and 3"),
        ((30, (3, 31), (1, 1), 0.5), "n = 30, found 3 and 31"),
        ((30, (3, 10), ([1, 0], 1), 0.5), "^mu1 must"),
        ((30, (3, 10), (math.inf, 1), 0.5), "^mu1 must"),
        ((30, (3, 10), (1, -1), 0.5), "^mu2 must"),
        ((30, (3, 10), (1, math.nan), 0.5), "^mu2 must"),
        ((30, (3, 10), (1, 1), -1e-9), "^probability_2 must"),
        ((30, (3, 10), (1, 1), [0.5, 1 + 1e-9]), "^probability_2 must"),
        ((30, (3, 10), (1, 1), math.nan), "^probability_2 must"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        sweep(*arguments)


@pytest.mark.parametrize("needs", [(3,), (1, 3, 10), (10, 3), (3, 3)])
def test_two_classes_smaller_first_are_required(needs):
    uniform = [1 / len(needs)] * len(needs)
    with pytest.raises(ValueError, match="found"):
        distribution(MultiserverJobSystem.of(30, needs, [1.0] * len(needs), uniform))


# Properties.


@given(st.randoms(use_true_random=False), st.integers(-300, 300))
def test_claim_1(draw, exponent):
    """Wastage depends on μ2/μ1 only, throughput scales; a power of two rounds nothing."""
    n, needs, (mu1, mu2), (_, p2) = random_two_class_system(draw, 300)
    here, there = (sweep(n, needs, (mu1 * c, mu2 * c), p2) for c in (1.0, 2.0**exponent))
    assert there.wastage == here.wastage
    assert there.throughput == here.throughput * 2.0**exponent


# The most wasteful mix of jobs.


@pytest.mark.parametrize("seed", range(20))
def test_peak_of_a_dense_grid(seed):
    n, needs, rates, _ = random_two_class_system(random.Random(seed), 200)
    peak = find_peak_wastage(n, needs, rates)
    logit = np.linspace(-27.6, 27.6, 20_000)
    wastage = sweep(n, needs, rates, 1 / (1 + np.exp(-logit))).wastage
    assert wastage.max() * (1 - 1e-12) <= peak.wastage <= wastage.max() * (1 + 1e-6)
    p = 1 - peak.probability_2, peak.probability_2
    system = MultiserverJobSystem.of(n, needs, rates, p)
    here = distribution(system)
    assert peak.wastage == close(here.wastage, rel=1e-12)
    assert peak.utilisation == close(here.utilisation, rel=1e-12)
    assert peak.load_share_2 == close(system.load_shares[1], rel=1e-12)
