"""The product form of a single duration, against sums, chains and exact arithmetic.

Independent routes: the printed sum over all ordered lists of n jobs, in rationals; the Markov
chain of formulation I (`product-form-saturated`, Section 2), solved as a linear system; and the
recurrence of l_s in 256-bit integers.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.saturated.single_duration import one_half_all_one_rate, single_duration


def normalised(weights):
    return [Fraction(w) / sum(map(Fraction, weights)) for w in weights]


def in_service(state, n):
    """σ and S_σ of a list of needs."""
    totals = [s for s in itertools.accumulate(state) if s <= n]
    return len(totals), totals[-1]


def relative(found, exact):
    return abs(float((Fraction(float(found)) - exact) / exact)) if exact else abs(float(found))


def exact_means(n, needs, p, bits=256):
    """E[1/σ] and E[(n − S_σ)/σ], from l_s in integers scaled by 2^bits."""
    scaled = [(v, int(q * 2**bits)) for v, q in zip(needs, p, strict=True)]
    blocking = [sum(q for v, q in scaled if v > m) for m in range(max(needs))]
    u, reciprocal, idle = [1 << bits], 0, 0
    for s in range(1, n + 1):
        terms = [(v, q * u[s - v]) for v, q in scaled if v <= s]
        u.append(sum(term for _, term in terms) >> bits)
        if n - s < len(blocking):
            weight = (sum(v * term for v, term in terms) >> bits) * blocking[n - s] // s
            reciprocal += weight
            idle += (n - s) * weight
    return Fraction(reciprocal, 4**bits), Fraction(idle, 4**bits)


@pytest.mark.parametrize(
    ("n", "needs", "weights"),
    [
        (1, (1,), (1,)),
        (4, (1, 2, 4), (5, 2, 1)),
        (5, (2, 3), (1, 3)),
        (6, (1, 3, 6), (6, 3, 1)),
        (6, (1, 4, 5), (2, 1, 4)),
    ],
)
def test_printed_sum_and_chain_of_formulation_one(n, needs, weights):
    mu, probability_of_need = 0.75, dict(zip(needs, normalised(weights), strict=True))
    p = [float(q) for q in probability_of_need.values()]
    states = list(itertools.product(needs, repeat=n))
    row = {state: i for i, state in enumerate(states)}
    sigma, total = np.array([in_service(state, n) for state in states]).T
    product_form = [math.prod(probability_of_need[v] for v in state) for state in states]
    found = single_duration(n, needs, p, mu)

    reciprocal = sum(q / int(k) for q, k in zip(product_form, sigma, strict=True))
    idle = sum(q * int(n - s) / int(k) for q, s, k in zip(product_form, total, sigma, strict=True))
    assert relative(found.mean_reciprocal, reciprocal) < 1e-14
    assert relative(found.wastage, idle / reciprocal) < 1e-14

    generator = -np.diag(mu * sigma.astype(float))
    for state, i in row.items():
        for job, (v, q) in itertools.product(range(sigma[i]), zip(needs, p, strict=True)):
            generator[i, row[(*state[:job], *state[job + 1 :], v)]] += mu * q
    balance = np.vstack([generator.T[1:], np.ones(len(states))])
    time_distribution = np.linalg.solve(balance, np.eye(len(states))[-1])
    completions = mu * sigma @ time_distribution
    embedded = mu * sigma * time_distribution / completions
    np.testing.assert_allclose(embedded, np.array(product_form, dtype=float), rtol=1e-11)
    assert found.throughput == pytest.approx(completions, rel=1e-12)
    assert found.jobs_in_service == pytest.approx(sigma @ time_distribution, rel=1e-12)
    assert found.wastage == pytest.approx((n - total) @ time_distribution, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    ("n", "needs", "p"),
    [
        (100_000, (1, 2, 3, 5, 8), (0.1, 0.3, 0.2, 0.15, 0.25)),
        (100_000, (1, 2), (1 - 1e-7, 1e-7)),
        (100_000, (1, 10, 100, 1000), (1 - 3e-7, 1e-7, 1e-7, 1e-7)),
        (100_000, (1, 7, 1000, 100_000), (0.3, 0.69, 0.00999, 1e-5)),
        (99_999, (400, 1000, 70_000), (0.5, 0.3, 0.2)),
        (300, range(1, 301), range(2, 302)),
    ],
)
def test_recurrence_does_not_drift(n, needs, p):
    reciprocal, idle = exact_means(n, needs, normalised(p))
    found = single_duration(n, needs, np.divide(p, math.fsum(p)))
    assert relative(found.mean_reciprocal, reciprocal) < 2e-14
    assert relative(found.wastage, idle / reciprocal) < 2e-13


@st.composite
def systems(draw, largest=40):
    n = draw(st.integers(1, largest))
    needs = draw(st.lists(st.integers(1, n), min_size=1, max_size=6, unique=True))
    weights = draw(st.lists(st.integers(1, 10**6), min_size=len(needs), max_size=len(needs)))
    return n, needs, normalised(weights)


@given(systems())
def test_random_systems_in_rationals(system):
    """P(σ ≥ k) = P(S_k ≤ n) by convolution; no l_s is formed."""
    n, needs, p = system
    total, at_least = {0: Fraction(1)}, []
    while total:
        at_least.append(sum(total.values()))
        longer = {}
        for (s, mass), (v, q) in itertools.product(total.items(), zip(needs, p, strict=True)):
            if s + v <= n:
                longer[s + v] = longer.get(s + v, 0) + mass * q
        total = longer
    distribution = [a - b for a, b in itertools.pairwise([*at_least, Fraction(0)])]
    reciprocal = sum(probability / k for k, probability in enumerate(distribution) if k)
    mean_need = sum(v * q for v, q in zip(needs, p, strict=True))
    p = [float(q) for q in p]
    found = single_duration(n, needs, p)
    assert relative(found.mean_reciprocal, reciprocal) < 1e-13
    assert found.wastage == pytest.approx(float(n - mean_need / reciprocal), rel=1e-12)


@pytest.mark.parametrize(
    ("function", "name", "arguments"),
    [
        (single_duration, "servers", (0, [1], [1.0])),
        (single_duration, "servers", (2.0, [1], [1.0])),
        (single_duration, "needs", (4, [1, 5], [0.5, 0.5])),
        (single_duration, "needs", (4, [2, 2], [0.5, 0.5])),
        (single_duration, "probabilities", (4, [1, 2], [1.0])),
        (single_duration, "probabilities", (4, [1, 2], [0.5, 0.4])),
        (single_duration, "probabilities", (4, [1, 2], [math.nan, 0.5])),
        (single_duration, "mu", (4, [1], [1.0], math.inf)),
        (one_half_all_one_rate, "servers", (7, 0.1, 0.1)),
        (one_half_all_one_rate, "p_half, p_all", (4, -0.1, 0.1)),
        (one_half_all_one_rate, "p_half, p_all", (4, 0.6, 0.5)),
        (one_half_all_one_rate, "p_half, p_all", (4, 0.1, math.nan)),
        (one_half_all_one_rate, "mu", (4, 0.1, 0.1, 0.0)),
    ],
)
def test_bad_arguments_are_named(function, name, arguments):
    with pytest.raises(ValueError, match=f"^{name} ((is|are) .*expected|must be .*found)"):
        function(*arguments)
