"""The closed form for needs {1, n/2, n}, against the recurrence and the unsimplified sum.

The sum is taken in 70-digit arithmetic, by Euler–Maclaurin, good to 55 digits.
"""

from __future__ import annotations

import math
import random

import mpmath
import pytest

from multiserver.saturated.single_duration import (
    one_half_all_one_rate,
    partial_log_series,
    single_duration,
)


def mp_partial(p, first, last):
    """Σ p^s/s: a hundred terms, then Euler–Maclaurin."""
    x, split = -mpmath.log(p), min(last + 1, first + 120)
    total = mpmath.fsum(mpmath.exp(-x * s) / s for s in range(first, split))
    if split > last or x > 1:
        return total

    def rise(m):
        """The m-th derivative of e^{−x s}/s (m = −1: the integral), from `split` to `last`."""
        a, b = (mpmath.gammainc(m + 1, x * s) / mpmath.mpf(s) ** (m + 1) for s in (split, last))
        return (-1) ** (m + 1) * (a - b)

    total += rise(-1) + (mpmath.exp(-x * split) / split + mpmath.exp(-x * last) / last) / 2
    corrections = (mpmath.bernoulli(k) / mpmath.factorial(k) * rise(k - 1) for k in range(2, 32, 2))
    return total + mpmath.fsum(corrections)


def mp_one_half_all(n, p_half, p_all):
    """E[1/σ], its geometric sums left in, and E[N_idle] by Little's law."""
    ph, pn, h = mpmath.mpf(p_half), mpmath.mpf(p_all), n // 2
    q, p1 = ph + pn, 1 - ph - pn
    last = p1**n / n + ph * p1**h + pn + ph**2 / 2
    upper = mp_partial(p1, h + 1, n - 1) + ph * (p1 - p1**h) / q
    reciprocal = last + q * upper + pn * (mp_partial(p1, 1, h) + ph)
    return reciprocal, n - (p1 + h * ph + n * pn) / reciprocal


@pytest.mark.parametrize("n", [2, 4, 6, 10, 1000, 100_000])
@pytest.mark.parametrize("p_half", [0.0, 1e-24, 1e-7, 1e-4, 0.3, 0.5])
@pytest.mark.parametrize("p_all", [0.0, 1e-20, 1e-9, 1e-5, 0.2, 0.5])
def test_closed_form_against_recurrence(n, p_half, p_all):
    needs, p = [1, n // 2, n], [1 - p_half - p_all, p_half, p_all]
    if n == 2:
        needs, p = [1, 2], [1 - p_all, p_all]
    found, expected = (
        one_half_all_one_rate(n, p_half, p_all, 2.0),
        single_duration(n, needs, p, 2.0),
    )
    assert found.throughput == pytest.approx(expected.throughput, rel=1e-13)
    assert found.wastage == pytest.approx(expected.wastage, rel=1e-12, abs=1e-300)


def test_closed_form_in_high_precision():
    draw = random.Random(3)
    with mpmath.workdps(70):
        for _ in range(60):
            n = draw.choice([10**8, 10**8, 10**8, 2 * draw.randint(1, 10**7) + 2])
            p_half = draw.choice([0, 0.5, 0.5]) * 10 ** -draw.uniform(0, 24)
            p_all = draw.choice([1e-24, 0.5, 0.5]) * 10 ** -draw.uniform(0, 24)
            found = one_half_all_one_rate(n, p_half, p_all)
            reciprocal, wastage = mp_one_half_all(n, p_half, p_all)
            assert abs(found.mean_reciprocal / reciprocal - 1) < 2e-15
            assert abs(found.wastage / wastage - 1) < 2e-14
            assert abs(found.utilisation / (1 - wastage / n) - 1) < 2e-14


@pytest.mark.parametrize("x", [0.0, 1e-30, 1e-9, 1e-3, 0.3, 2.0, 40.0])
@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 40), (7, 9), (50, 3000), (3, 2)])
def test_partial_log_series_is_its_sum(x, first, last):
    direct = math.fsum(math.exp(-x * s) / s for s in range(first, last + 1))
    assert partial_log_series(x, first, last) == pytest.approx(direct, rel=2e-14, abs=1e-300)


@pytest.mark.parametrize("n", [4, 10, 10**8])
def test_closed_form_with_one_need(n):
    for p_half, p_all, throughput in ((0, 0, n), (1, 0, 2), (0, 1, 1)):
        found = one_half_all_one_rate(n, p_half, p_all)
        assert (found.throughput, found.wastage) == (pytest.approx(throughput, rel=1e-15), 0)
