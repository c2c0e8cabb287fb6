"""`one_or_n` against the chain itself, and against the printed lemmas in many digits."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from multiserver.saturated.one_or_n import one_or_n

from .references import close, rational_means

RATES = [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0), (1e6, 1.0), (1.0, 1e6), (1.0, 1.5), (2.0, 3e3)]


@pytest.mark.parametrize("rates", [(1, 1), (10, 1), (1, 10)])
@pytest.mark.parametrize("p_n", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_the_enumerated_chain_in_fractions(n, p_n, rates):
    means = one_or_n(n, p_n, *rates)
    exact = rational_means(n, (1, n), rates, (1 - Fraction(p_n), Fraction(p_n)))
    found = means.throughput, means.wastage, means.relative_completions
    assert found == close([float(x) for x in exact], 1e-13)


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


@pytest.mark.parametrize("p_n", [0.6, 1e-2, 1e-9])
def test_integrals_are_the_sums(p_n):
    with mp.workdps(digits(p_n)):
        p_1 = 1 - mp.mpf(p_n)
        for ours, theirs in zip(
            sums_by_integrals(1000, p_1), sums_term_by_term(1000, p_1), strict=True
        ):
            assert abs(ours / theirs - 1) < mp.mpf(10) ** (10 - mp.mp.dps)


def naive(n, p_n):
    """Lemma 5.5 as printed, in float64, with unit rates."""
    p_1 = 1 - p_n
    i = np.arange(1, n)
    H = np.cumsum(1 / i)
    power = p_1**i
    mu = 1 / (p_n * (1 + p_1**n / (n * p_n) + (power / i).sum()))
    return (
        p_1**n * (1 - mu / n) * (n - 1 + 1 / p_n - mu * H[-1] - mu / (n * p_n))
        + (power * p_n * (1 - mu / i) * (i - mu * H)).sum()
    )


@pytest.mark.parametrize("n", [10, 1000, 100_000])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_float_summation_where_it_does_not_cancel(n, alpha):
    p_n = n**-alpha
    assert one_or_n(n, p_n).relative_completions == pytest.approx(naive(n, p_n), rel=1e-9)


def test_float_summation_fails_where_it_cancels():
    n, p_n = 10**6, 1e-17
    assert abs(naive(n, p_n) / one_or_n(n, p_n).relative_completions - 1) > 1e-3
