"""The growth rates against the exact means of `one_or_n`."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from multiserver.saturated import asymptotics
from multiserver.saturated.one_or_n import one_or_n

PARAMETRISATIONS = list(itertools.product([0.5, 1, 2], [(1, 1), (10, 1), (1, 10)]))
SERVERS = np.array([10**k for k in range(2, 9)])


def exact(servers, p_n, rate_1=1.0, rate_n=1.0):
    """Throughput and relative completions, each an array over `servers`."""
    means = [one_or_n(int(n), float(p), rate_1, rate_n) for n, p in zip(servers, p_n, strict=True)]
    return np.array([(m.throughput, m.relative_completions) for m in means]).T


def ratios(servers, alpha, rate_1, rate_n):
    """Exact over leading order, with p_n = n^−α."""
    p_n = servers ** -float(alpha)
    throughput, relative = exact(servers, p_n, rate_1, rate_n)
    if alpha <= 1:
        return (
            throughput / asymptotics.throughput_n_dominated(p_n, rate_1),
            relative / asymptotics.relative_completions_n_dominated(p_n),
        )
    return (
        throughput / asymptotics.throughput_all_busy(servers, rate_1),
        relative / asymptotics.relative_completions_one_dominated(servers, alpha),
    )


@pytest.mark.parametrize(("alpha", "rates"), PARAMETRISATIONS)
def test_leading_orders_are_exact_in_the_limit(alpha, rates):
    """The error decays like 1/ln n, too slow to see, but as a polynomial: extrapolate it.

    With L = ln n, 1/μ and E[Δ(Y_d)]/μ² are polynomials in L, of degrees 1 and 2, up to powers of n.
    """
    servers = np.array([10**9, 10**12, 10**15])
    x = 1 / np.log(servers)
    throughput, relative = ratios(servers, alpha, *rates)
    if alpha <= 1:
        assert np.polyfit(x, 1 / throughput, 2)[-1] == pytest.approx(1, abs=1e-3)
        assert np.polyfit(x, relative / throughput**2, 2)[-1] == pytest.approx(1, abs=1e-3)
    else:
        assert throughput == pytest.approx(np.ones(3), abs=1e-6)
        assert np.polyfit(x, relative, 2)[-1] == pytest.approx(1, abs=1e-3)


def test_residuals_of_both_formulas():
    n, alpha = 10**6, 2.0
    throughput = one_or_n(n, n**-alpha, 3.0, 2.0).throughput
    corrected = asymptotics.throughput_one_dominated(n, alpha, 3.0, 2.0)
    printed = asymptotics.throughput_one_dominated_as_printed(n, alpha, 3.0, 2.0)
    scale = 3.0 * n ** (2 - alpha)
    assert (printed - throughput) / scale == pytest.approx(np.euler_gamma, abs=1e-3)
    assert (corrected - throughput) / scale == pytest.approx(0, abs=1e-3)
    unit = asymptotics.throughput_one_dominated_as_printed(n, alpha)
    assert unit - one_or_n(n, n**-alpha).throughput == pytest.approx(0.5770, abs=5e-5)


@pytest.mark.parametrize("c", [0.1, 1.0, 3.0])
def test_borderline_of_lemma_8_1(c):
    p_n = c / (SERVERS * np.log(SERVERS))
    throughput, relative = exact(SERVERS, p_n)
    first = throughput / asymptotics.throughput_borderline(SERVERS, c)
    second = relative / asymptotics.relative_completions_borderline(SERVERS, c)
    for ratio in (first, second):
        assert (np.diff(abs(ratio - 1))[2:] < 0).all()
        assert ratio[-1] == pytest.approx(1, abs=0.1)
    x = 1 / np.log(SERVERS[4:])
    assert np.polyfit(x, 1 / first[4:], 2)[-1] == pytest.approx(1, abs=1e-3)
    assert np.polyfit(x, second[4:] / first[4:] ** 2, 2)[-1] == pytest.approx(1, abs=5e-3)


def test_scalars_and_arrays():
    values = asymptotics.throughput_one_dominated(SERVERS[:, None], [1.5, 2.0], [[1.0]], 2.0)
    assert values.shape == (SERVERS.size, 2)
    assert values[3, 1] == asymptotics.throughput_one_dominated(10**5, 2.0, 1.0, 2.0)
    assert asymptotics.relative_completions_n_dominated(0.25) == 2.0
    assert asymptotics.throughput_n_dominated(1 / math.e, 3.0) == pytest.approx(3 * math.e)
