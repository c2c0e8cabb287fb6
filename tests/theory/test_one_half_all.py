"""`one_half_all` against the chain itself, sparse or in fractions, and against known cases."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary, two_class
from multiserver.saturated.one_half_all import one_half_all
from multiserver.saturated.one_or_n import one_or_n
from multiserver.saturated.single_duration import one_half_all_one_rate

from .references import close, rational_means


def means_of(n, p_h, p_n, rates=(1.0, 1.0, 1.0)):
    return one_half_all(n, (math.fsum([1, -p_h, -p_n]), p_h, p_n), rates)


# The chain as the rules of the model build it, solved by sparse algebra.


def assert_solves_the_chain(rel, n, p_h, p_n, rates):
    classes = zip((1, n // 2, n), rates, (1 - p_h - p_n, p_h, p_n), strict=True)
    present = [c for c in classes if c[2] > 0]
    distribution = stationary.solve(MultiserverJobSystem.of(n, *zip(*present, strict=True)))
    means = means_of(n, p_h, p_n, rates)
    assert means.throughput == close(distribution.throughput, rel)
    assert means.wastage == close(distribution.wastage, rel, abs=1e-13)
    assert means.utilisation == close(distribution.utilisation, rel)
    assert means.relative_completions == close(
        distribution.mean_relative_completions, rel, abs=1e-13
    )


@pytest.mark.parametrize("seed", range(5))
def test_random_systems(seed):
    rng = np.random.default_rng(seed)
    for _ in range(24):
        n = 2 * int(np.exp(rng.uniform(0, np.log(101))))
        weights = 10 ** rng.uniform(-6, 0, 3)
        _, p_h, p_n = (weights / weights.sum()).tolist()
        rates = tuple((10 ** rng.uniform(-2, 2, 3)).tolist())
        assert_solves_the_chain(1e-10, n, p_h, p_n, rates)


@pytest.mark.parametrize(("p_h", "p_n"), [(0.02, 0.0), (0.0, 0.3), (0.6, 0.4), (1 / 3, 1 / 3)])
@pytest.mark.parametrize("n", [2, 4, 6, 30])
def test_absent_classes(n, p_h, p_n):
    assert_solves_the_chain(1e-11, n, p_h, p_n, (2.0, 0.7, 0.1))


def test_ten_thousand_servers():
    assert_solves_the_chain(1e-10, 10_000, 2e-4, 5e-5, (1.0, 30.0, 200.0))


@pytest.mark.parametrize("p_n", [0.0, 1e-12, 1e-7, 1e-3])
@pytest.mark.parametrize("mu_h", [2.0, 100.0, 450.0, 499.0, 600.0, 1e4])
def test_ages_beside_half_size_jobs(mu_h, p_n):
    """The corners but H_k and D_k may lie e^100 completions apart."""
    assert_solves_the_chain(1e-12, 1000, 0.5, p_n, (1.0, mu_h, 1.0))


# The chain again, in fractions.

EXTREME = [
    *itertools.product((1e-12, 1e-6, 0.25), repeat=2),
    *((1 - 1e-12, 0.0), (0.0, 1 - 1e-12), (0.5, 0.5 - 1e-12)),
    *((1 - 2e-12, 1e-12), (1e-12, 1 - 2e-12), (0.0, 1e-24), (1e-24, 0.0)),
]
RATES = [(1.0, 1.0, 1.0), (1.0, 4.0, 8.0), (0.01, 1.0, 100.0), (100.0, 1.0, 0.01), (1, 1e-4, 1e4)]


@pytest.mark.parametrize(("p_h", "p_n"), EXTREME)
@pytest.mark.parametrize("n", [2, 8])
def test_many_digits(n, p_h, p_n):
    p = 1 - Fraction(p_h) - Fraction(p_n), Fraction(p_h), Fraction(p_n)
    for rates in RATES:
        rows = zip((1, n // 2, n), rates, p, strict=True)
        means = means_of(n, p_h, p_n, rates)
        found = means.throughput, means.wastage, means.relative_completions
        exact = rational_means(n, *zip(*(row for row in rows if row[2]), strict=True))
        for ours, theirs in zip(found, exact, strict=True):
            assert abs(Fraction(ours) - theirs) <= 1e-13 * abs(theirs) + 1e-60, rates


# What is known in closed form.

FIELDS = "throughput", "wastage", "utilisation", "relative_completions"
SHARES = 0.9, 0.3, 1e-2, 1e-4, 1e-8, 1e-12


@pytest.mark.parametrize(
    ("n", "p_n", "rel"),
    [
        *itertools.product((2, 6, 100), SHARES, [1e-13]),
        *itertools.product([100_000], SHARES, [1e-11]),
        *itertools.product([1_000_000], (1e-5, 1e-7), [1e-10]),
    ],
)
def test_without_half_size_jobs(n, p_n, rel):
    for mu_1, mu_n in [(1.0, 1.0), (30.0, 0.2), (0.2, 30.0)]:
        means, known = means_of(n, 0.0, p_n, (mu_1, 1.0, mu_n)), one_or_n(n, p_n, mu_1, mu_n)
        for name in FIELDS:
            assert getattr(means, name) == close(getattr(known, name), rel), name


@pytest.mark.parametrize(
    ("n", "p_h", "p_n"),
    [
        *(
            (n, *p)
            for n in (4, 50, 20_000)
            for p in ((0.2, 0.3), (0.1, 0.0), (1e-3, 1e-5), (1e-12, 1e-7), (1e-6, 1e-12))
        ),
        # A million flows sum up that are each below the rounding of their sum.
        *((1_000_000, *p) for p in ((1e-6, 1e-7), (1e-8, 0.0), (1e-14, 1e-14))),
    ],
)
def test_equal_rates(n, p_h, p_n):
    means, known = means_of(n, p_h, p_n, (3.0,) * 3), one_half_all_one_rate(n, p_h, p_n, 3.0)
    assert means.throughput == close(known.throughput, 1e-12)
    assert means.wastage == close(known.wastage, 2e-12 if n < 10**6 else 1e-12)


@pytest.mark.parametrize("p_h", [0.8, 0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("n", [4, 50, 20_000])
def test_without_n_server_jobs(n, p_h):
    for mu_1, mu_h in [(1.0, 1.0), (5.0, 0.1), (0.1, 5.0)]:
        system = MultiserverJobSystem.of(n, (1, n // 2), (mu_1, mu_h), (1 - p_h, p_h))
        means, known = means_of(n, p_h, 0.0, (mu_1, mu_h, 1.0)), two_class.distribution(system)
        assert means.throughput == close(known.throughput, 2e-12)
        assert means.wastage == close(known.wastage, 2e-12)


@pytest.mark.parametrize("n", [2, 4, 50, 3000])
def test_a_single_kind_of_job(n):
    rates = 3.0, 0.7, 0.2
    for p, throughput in (((1, 0, 0), 3.0 * n), ((0, 1, 0), 1.4), ((0, 0, 1), 0.2)):
        means = one_half_all(n, p, rates)
        assert (means.throughput, means.utilisation) == close((throughput, 1), 1e-15)
        assert (means.wastage, means.relative_completions) == close((0, 0), 0, abs=1e-25)


# Properties.

halves = st.one_of(st.integers(1, 30), st.integers(1, 2000))
chances = st.floats(-12, math.log10(0.5)).map(lambda exponent: 10**exponent)
rates = st.tuples(*[st.floats(-4, 4).map(lambda exponent: 10**exponent)] * 3)


@given(halves, chances, chances, rates, st.integers(-40, 40))
def test_unit_of_time_does_not_matter(h, p_h, p_n, mu, exponent):
    here = means_of(2 * h, p_h, p_n, mu)
    there = means_of(2 * h, p_h, p_n, tuple(m * 2.0**exponent for m in mu))
    assert there.throughput == here.throughput * 2.0**exponent
    assert all(getattr(there, name) == getattr(here, name) for name in FIELDS[1:])


def test_narrow_floats_lose_nothing():
    narrow = one_half_all(np.int64(100), np.float32([0.5, 0.25, 0.25]), np.float32([2, 1, 0.5]))
    assert narrow == one_half_all(100, (0.5, 0.25, 0.25), (2.0, 1.0, 0.5))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("servers", [0, 5, 4.0, True]),
        (
            "probabilities",
            [
                *((0.5, 0.5), 0.5, (1.5, -0.25, -0.25)),
                *((0.5, 0.2, 0.2), (0.5, math.nan, 0.5), ("1", 0, 0)),
            ],
        ),
        ("rates", [(1, 1), (1, 0, 1), (1, math.inf, 1), (1, 1, math.nan), (1e10, 1, 1e-10)]),
    ],
)
def test_bad_arguments_are_named(name, wrong):
    good = {"servers": 4, "probabilities": (0.5, 0.25, 0.25), "rates": (1.0, 1.0, 1.0)}
    for value in wrong:
        with pytest.raises(ValueError, match=rf"^{name} must .*, found "):
            one_half_all(**good | {name: value})
