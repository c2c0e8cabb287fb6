"""`one_or_n` against the chain itself, and against the printed lemmas in many digits."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import expm

from multiserver.saturated.one_or_n import one_or_n

RATES = [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0), (1e6, 1.0), (1.0, 1e6), (1.0, 1.5), (2.0, 3e3)]


# The chain, built from the rules of the model.


def admit(n, p_1, ones):
    """Distribution of the next state, when `ones` one-server jobs remain and nothing blocks."""
    distribution = np.zeros(n + 1)
    chance = 1.0
    for state in range(ones, n):
        distribution[state] = chance * (1 - p_1)
        chance *= p_1
    distribution[n] = chance
    return distribution


def chain(n, p_n, mu_1, mu_n):
    """Completion rate of each state 0 … n, and the transition matrix embedded at completions."""
    rate = np.array([mu_n, *(i * mu_1 for i in range(1, n + 1))])
    jump = np.zeros((n + 1, n + 1))
    jump[0] = admit(n, 1 - p_n, 0)
    for i in range(1, n):
        jump[i, i - 1] = 1.0
    jump[n] = admit(n, 1 - p_n, n - 1)
    return rate, jump


def solve_chain(n, p_n, mu_1, mu_n):
    """Generator, throughput, distribution in time, relative completions: dense least squares."""
    rate, jump = chain(n, p_n, mu_1, mu_n)
    generator = rate[:, None] * (jump - np.eye(n + 1))
    balance = np.vstack([generator.T, np.ones(n + 1)])
    in_time = np.linalg.lstsq(balance, np.append(np.zeros(n + 1), 1.0))[0]
    throughput = in_time @ rate
    poisson = np.vstack([generator, in_time])
    relative = np.linalg.lstsq(poisson, np.append(throughput - rate, 0.0))[0]
    return generator, throughput, in_time, relative


SMALL = list(itertools.product([1, 2, 3, 7, 20], [0.02, 0.3, 0.5, 0.9], [(1, 1), (10, 1), (1, 10)]))


@pytest.mark.parametrize(("n", "p_n", "rates"), SMALL)
def test_dense_poisson_equation(n, p_n, rates):
    rate, jump = chain(n, p_n, *rates)
    _, throughput, in_time, relative = solve_chain(n, p_n, *rates)
    before = in_time * rate / throughput
    after = before @ jump
    wastage = in_time @ np.append(0, np.arange(n)[::-1])
    means = one_or_n(n, p_n, *rates)
    assert means.throughput == pytest.approx(throughput, rel=1e-12)
    assert means.wastage == pytest.approx(wastage, rel=1e-12, abs=1e-14)
    # The state just before a completion and the one just after have the same distribution: the
    # convention does not matter.
    assert after == pytest.approx(before, abs=1e-14)
    assert means.relative_completions == pytest.approx(after @ relative, rel=1e-10, abs=1e-12)


def test_definition_of_relative_completions():
    """Δ(y) is the limit of E[C_y(t)] − μ t, here at t = 60 by the matrix exponential."""
    n, p_n, rates, t = 5, 0.2, (1.0, 3.0), 60.0
    rate, _ = chain(n, p_n, *rates)
    generator, throughput, _, relative = solve_chain(n, p_n, *rates)
    augmented = np.zeros((n + 2, n + 2))
    augmented[:-1, :-1], augmented[:-1, -1] = generator, rate
    completions = expm(augmented * t)[:-1, -1]
    assert completions - throughput * t == pytest.approx(relative, abs=1e-9)


def test_dispersion_of_completions():
    """Var C(t) ~ μ (1 + 2 E[Δ(Y_d)]) t: with cycles of N completions in time T between n-server
    jobs, 1 + 2 E[Δ(Y_d)] = Var(N − μT)/E[N]. By direct summation over G."""
    n, p_n, mu_1, mu_n = 6, 0.1, 2.0, 0.7
    means = one_or_n(n, p_n, mu_1, mu_n)
    mu = means.throughput
    services = np.array([1 / (min(i, n) * mu_1) for i in range(1, 600)])
    time = 1 / mu_n + np.append(0.0, np.cumsum(services))
    variance = 1 / mu_n**2 + np.append(0.0, np.cumsum(services**2))
    G = np.arange(600)
    distribution = p_n * (1 - p_n) ** G
    second_moment = distribution @ (mu**2 * variance + (G + 1 - mu * time) ** 2)
    dispersion = second_moment * p_n
    assert 1 + 2 * means.relative_completions == pytest.approx(dispersion, rel=1e-12)


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
    *((10**8, p_n) for p_n in [0.9, 0.4, 1e-4, 3e-7, 1e-8, 5.4e-10, 1e-16, 1e-24]),
    *((54_321, p_n) for p_n in [BELOW_1[0], 0.02, 2e-5, 1e-7]),
]


@pytest.mark.parametrize(("n", "p_n"), LARGE)
def test_printed_lemmas_by_integrals(n, p_n):
    with mp.workdps(digits(p_n)):
        assert_agrees(n, p_n, sums_by_integrals(n, 1 - mp.mpf(p_n)))


@pytest.mark.parametrize("p_n", [0.6, 1e-2, 1e-3, 1e-9])
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
