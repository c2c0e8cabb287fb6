"""`one_or_n` against the printed lemmas in many digits, and properties of every system."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.saturated.one_or_n import one_or_n

RATES = [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0), (1e6, 1.0), (1.0, 1e6), (1.0, 1.5), (2.0, 3e3)]


# Lemmas 5.3 and 5.5 as printed, in as many digits as they cancel.


def sums_term_by_term(n, p_1):
    """Σ p_1^i/i and Σ p_1^i H_i/i over 1 ≤ i < n."""
    reciprocal = harmonic = H = mp.mpf(0)
    power = mp.mpf(1)
    for i in range(1, n):
        power *= p_1
        H += mp.mpf(1) / i
        reciprocal += power / i
        harmonic += power * H / i
    return reciprocal, harmonic


def sums_by_integrals(n, p_1):
    """The same, as integrals over v in (0, 1), v = e^{−y}, of

    p_1 (1 − (p_1 (1 − v))^{n−1})/(p_n + p_1 v) and ln(1/v) times it.
    """
    p_n = 1 - p_1

    def density(y):
        v = mp.exp(-y)
        return -v * mp.expm1((n - 1) * mp.log(p_1 * (1 - v))) / (p_n + p_1 * v)

    end = mp.log(1 / p_n) + mp.mp.dps * mp.log(10) + 10
    breaks = {mp.log(1 / p_n), mp.log(n), mp.mpf(3), mp.mpf(10), mp.mpf(20), mp.mpf(40)}
    path = [mp.mpf(0), *sorted(b for b in breaks if 0 < b < end), end]
    return p_1 * mp.quad(density, path), p_1 * mp.quad(lambda y: y * density(y), path)


def printed_lemmas(n, p_n, mu_1, mu_n, sums):
    """μ by Lemma 5.3, E[Δ(Y_d)] by Lemma 5.5 and E[N_idle] by Lemma 5.2."""
    reciprocal, harmonic = sums
    p_n, mu_1, mu_n = mp.mpf(p_n), mp.mpf(mu_1), mp.mpf(mu_n)
    p_1 = 1 - p_n
    last, H = p_1**n, mp.harmonic(n - 1)
    mu = 1 / (p_n / mu_n + last / (n * mu_1) + p_n * reciprocal / mu_1)
    nu = mu / mu_1
    powers = (p_1 - last) / p_n
    first_moment = (p_1 - n * last + (n - 1) * last * p_1) / p_n**2
    with_H = (reciprocal - last * H) / p_n
    relative = last * (1 - nu / n) * (n - 1 + 1 / p_n - nu * H - nu / (n * p_n)) + p_n * (
        first_moment - nu * powers - nu * with_H + nu**2 * harmonic
    )
    return mu, relative, nu * p_n * (n * reciprocal - powers)


def digits(p_n):
    """Lemma 5.5 has terms of order 1/p_n and a value of order p_n."""
    return 50 + math.ceil(-2 * math.log10(p_n))


def assert_agrees(n, p_n, sums, rates=RATES):
    for mu_1, mu_n in rates:
        means = one_or_n(n, p_n, mu_1, mu_n)
        found = means.throughput, means.relative_completions, means.wastage
        expected = printed_lemmas(n, p_n, mu_1, mu_n, sums)
        for ours, theirs in zip(found, expected, strict=True):
            assert abs(ours - theirs) <= 1e-13 * abs(theirs), (mu_1, mu_n)
        utilisation = expected[0] * ((1 - mp.mpf(p_n)) / mu_1 + n * mp.mpf(p_n) / mu_n) / n
        assert means.utilisation == pytest.approx(float(utilisation), rel=1e-13)


BELOW_1 = [1 - 2.0**-53, 1 - 1e-9, 0.97, 0.7]


@pytest.mark.parametrize("n", [2, 3, 5, 12, 64, 300, 2000])
@pytest.mark.parametrize("p_n", [*BELOW_1, 0.5, 0.4999, 0.1, 1e-2, 1e-3, 1e-5, 1e-12, 1e-24])
def test_printed_lemmas_term_by_term(n, p_n):
    with mp.workdps(digits(p_n)):
        assert_agrees(n, p_n, sums_term_by_term(n, 1 - mp.mpf(p_n)))


LARGE = [
    *((10**8, p_n) for p_n in [0.9, 1e-4, 1e-8, 5.4e-10, 1e-24]),
    *((54_321, p_n) for p_n in [0.02, 2e-5]),
]


@pytest.mark.parametrize(("n", "p_n"), LARGE)
def test_printed_lemmas_by_integrals(n, p_n):
    with mp.workdps(digits(p_n)):
        assert_agrees(n, p_n, sums_by_integrals(n, 1 - mp.mpf(p_n)))


# Properties of every system.

servers = st.one_of(st.integers(1, 50), st.integers(1, 10**8))
probabilities = st.one_of(
    st.floats(1e-3, 1 - 1e-9), st.floats(-24, -1e-9).map(lambda exponent: 10**exponent)
)
rates = st.floats(-3, 3).map(lambda exponent: 10**exponent)


@given(servers, probabilities, rates, rates, st.integers(-40, 40))
def test_unit_of_time_does_not_matter(n, p_n, mu_1, mu_n, exponent):
    scale = 2.0**exponent
    here, there = one_or_n(n, p_n, mu_1, mu_n), one_or_n(n, p_n, mu_1 * scale, mu_n * scale)
    assert there.throughput == here.throughput * scale
    assert there.relative_completions == here.relative_completions
    assert (there.wastage, there.utilisation) == (here.wastage, here.utilisation)


@given(probabilities, rates, rates)
def test_one_server_completes_as_a_renewal_process(p_n, mu_1, mu_n):
    """n = 1: hyperexponential services, for which E[Δ(Y_d)] = (C² − 1)/2."""
    means = one_or_n(1, p_n, mu_1, mu_n)
    throughput = 1 / ((1 - p_n) / mu_1 + p_n / mu_n)
    gap = (mu_n - mu_1) / (mu_1 * mu_n)
    assert means.throughput == pytest.approx(throughput, rel=1e-14)
    expected = throughput**2 * p_n * (1 - p_n) * gap**2
    assert means.relative_completions == pytest.approx(expected, rel=1e-13)
    assert means.wastage == 0


def test_narrow_floats_lose_nothing():
    narrow = one_or_n(np.int64(1000), np.float32(0.125), np.float32(2.5), np.float32(0.5))
    assert narrow == one_or_n(1000, 0.125, 2.5, 0.5)


@pytest.mark.parametrize("n", [1, 2, 50, 10**8])
def test_a_single_kind_of_job(n):
    small, large = one_or_n(n, 0.0, 3.0, 0.2), one_or_n(n, 1.0, 3.0, 0.2)
    assert (small.throughput, large.throughput) == pytest.approx((3.0 * n, 0.2), rel=1e-15)
    for means in (small, large):
        assert (means.relative_completions, means.wastage) == (0, 0)
        assert means.utilisation == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 0.5), "servers"),
        ((2.5, 0.5), "servers"),
        ((True, 0.5), "servers"),
        ((2**54, 0.5), "servers"),
        ((3, -1e-9), "probability_n"),
        ((3, 1.1), "probability_n"),
        ((3, math.nan), "probability_n"),
        ((3, "0.5"), "probability_n"),
        ((3, 0.5, 0.0), "rate_1"),
        ((3, 0.5, 1.0, math.inf), "rate_n"),
        ((3, 0.5, 1.0, -1.0), "rate_n"),
        ((3, 0.5, 1e90, 1e-90), "rate_1/rate_n"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=rf"^{named} must .*, found "):
        one_or_n(*arguments)
