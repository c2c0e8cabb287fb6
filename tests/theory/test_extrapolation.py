"""Extrapolation against limits that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multiserver.saturated.extrapolation import extrapolate


def test_a_polynomial_is_continued_exactly():
    # Degree 3 through 4 points; the fit multiplies the rounding of its values by 1e3 at most.
    sizes = np.geomspace(10, 1e6, 4)
    found = extrapolate(
        lambda n: 2 - 3 / math.log(n) + math.log(n) ** -3, lambda n: 1 / math.log(n), sizes
    )
    assert found == pytest.approx(2, rel=1e-12)


def test_harmonic_numbers_tend_to_the_logarithm():
    """H_n/ln n = 1 + γ/ln n + O(1/(n ln n)): linear in 1/ln n but for 1e-4 at the first size."""
    found = extrapolate(
        lambda n: float((1 / np.arange(1.0, n + 1)).sum()) / math.log(n),
        lambda n: 1 / math.log(n),
        [1e4, 1e5, 1e6],
    )
    assert found == pytest.approx(1, abs=1e-3)
    assert abs(sum(1 / i for i in range(1, 10**4)) / math.log(1e4) - 1) > 0.05
