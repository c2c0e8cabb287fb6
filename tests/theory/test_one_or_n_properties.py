"""Properties of `one_or_n` that hold for every system, and its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.saturated.one_or_n import one_or_n

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


@given(servers, probabilities, rates, rates)
def test_bounds(n, p_n, mu_1, mu_n):
    means = one_or_n(n, p_n, mu_1, mu_n)
    assert means.throughput <= max(n * mu_1, mu_n) * (1 + 1e-13)
    assert means.throughput >= min(mu_1, mu_n) * (1 - 1e-13)
    assert means.relative_completions >= 0
    assert 0 <= means.wastage <= n
    assert means.utilisation + means.wastage / n == pytest.approx(1, rel=1e-13)


@given(servers, probabilities, rates, rates, st.floats(1, 10))
def test_throughput_is_monotone(n, p_n, mu_1, mu_n, factor):
    base = one_or_n(n, p_n, mu_1, mu_n).throughput * (1 - 1e-13)
    assert one_or_n(n, p_n, mu_1 * factor, mu_n).throughput >= base
    assert one_or_n(n, p_n, mu_1, mu_n * factor).throughput >= base
    assert one_or_n(math.ceil(n * factor), p_n, mu_1, mu_n).throughput >= base
    if mu_1 >= mu_n:
        assert one_or_n(n, p_n / factor, mu_1, mu_n).throughput >= base


@given(servers, rates, rates)
def test_both_methods_meet_at_one_half(n, mu_1, mu_n):
    below, above = (one_or_n(n, p_n, mu_1, mu_n) for p_n in (math.nextafter(0.5, 0), 0.5))
    assert below.throughput == pytest.approx(above.throughput, rel=1e-14)
    assert below.relative_completions == pytest.approx(above.relative_completions, rel=1e-13)
    assert below.wastage == pytest.approx(above.wastage, rel=1e-13)


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


def test_limit_of_rare_large_jobs():
    """As p_n → 0, E[Δ(Y_d)]/p_n → n² ((s + K)² + s² + Σ δ_i²)/2, s = r − 1/n, K = H_n − 1."""
    n, r = 40, 0.3
    delta = 1 / np.arange(1, n) - 1 / n
    s, K = r - 1 / n, delta.sum()
    limit = n**2 * ((s + K) ** 2 + s**2 + (delta**2).sum()) / 2
    assert one_or_n(n, 1e-20, r, 1.0).relative_completions == pytest.approx(limit * 1e-20)


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
