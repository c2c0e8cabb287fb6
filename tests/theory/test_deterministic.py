"""M/D/k where hardly any job waits: Spitzer's sum in sixty digits, as each term is a difference."""

from __future__ import annotations

import mpmath
import pytest

from multiserver.open import deterministic

from .references import close


def spitzer(servers, duration, rate):
    """Σ_i (P(i a, i k) − (k/a) P(i a, i k + 1)) D, P by the incomplete gamma function, until a term
    is below 1e-20 of the sum."""
    with mpmath.workdps(60):
        a = mpmath.mpf(rate) * mpmath.mpf(duration)
        total, i = mpmath.mpf(0), 0
        while True:
            i += 1
            parts = (
                mpmath.gammainc(i * servers + more, 0, i * a, regularized=True) for more in (0, 1)
            )
            term = next(parts) - servers / a * next(parts)
            total += term
            if term < total * mpmath.mpf(10) ** -20:
                return float(total * mpmath.mpf(duration))


# E[W]/D from 1e-284 to 0.1; with 1,000 servers and more P of double precision left ten digits.
@pytest.mark.parametrize(
    ("servers", "load"),
    [
        *((2, load) for load in (1e-6, 0.1, 0.3, 0.8)),
        *((30, load) for load in (1e-6, 0.1, 0.49, 0.51, 0.8)),
        *((1000, load) for load in (0.3, 0.55, 0.9, 0.96)),
        *((30_000, load) for load in (0.82, 0.95, 0.99)),
    ],
)
def test_relative_error(servers, load):
    """The exponent, some 700 at most, is rounded by 1e-16 of it a few times."""
    rate = load * servers / 0.7
    expected = spitzer(servers, 0.7, rate)
    assert 0 < expected < 0.7
    assert deterministic.waiting_time(servers, 0.7, rate) == close(expected, rel=1e-12)
