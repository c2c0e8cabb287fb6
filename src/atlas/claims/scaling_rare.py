"""The asymptotic steps in Section 8 of `multilevel-scaling`, where p_n = o(1/n), one by one.

Mostly p_n = n^−α with α > 1. Symbols and parameters are those of `scaling_system`. Every function
returns the quantity in one step of a proof, scaled so that it tends to a constant (or stays
bounded): at one n from exact means, or, if its name ends in `_limit`, extrapolated to n → ∞.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.integrate import quad

from atlas.claims.scaling_system import FAR, NEAR, UNIT, OneOrN, Rates, limit

ROUTE = "exact means, sums and integrals"
CONFIRMED = "closed forms in special cases (tests/claims/test_scaling_proofs.py)"


def term_28_over_p_n_limit(*, exponent: float, logs: float, rates: Rates = UNIT) -> float:
    """lim p_n × (28), term 1."""

    def value(s: OneOrN) -> float:
        return s.p_n * float(s.power(s.n)) * s.x * s.bracket

    return limit(value, FAR, exponent, 1.0, logs, rates)


def sum_29_over_p_n_limit(*, exponent: float, logs: float) -> float:
    """lim p_n × (29), terms 2 to 5 together."""
    return limit(lambda s: s.p_n * sum(s.terms()[1:]), NEAR, exponent, logs=logs)


def rare_growth_rates_sum(*, exponent: float) -> float:
    """The sum of the five terms over n^{2−α} ln² n, each extrapolated separately."""
    return sum(rare_term_limit(exponent=exponent, term=term, logs=2) for term in range(1, 6))


def rare_term_limit(*, exponent: float, term: int, logs: int) -> float:
    """lim of item `term` = 1 … 5 over n^{2−α} ln^k n, k = `logs`."""

    def value(s: OneOrN) -> float:
        return s.terms()[term - 1] / (s.n ** (2 - exponent) * math.log(s.n) ** logs)

    return limit(value, NEAR, exponent)


def power_remainder(*, servers: int, exponent: float) -> float:
    """(p_1^n − 1 + n^{1−α})/n^{2−2α}, summed as the binomial series of p_1^n from its third term
    on."""
    n, p_n = servers, servers**-exponent
    term = total = (n - 1) / (2 * n)
    for k in range(3, 60):
        term *= -(n - k + 1) * p_n / k
        total += term
    return total


def log_sum_remainder(*, servers: int, exponent: float) -> float:
    """(n μ_1/μ − 1) n^{α−1} − ln n for μ_1 = μ_n: o(1) by Eq. (31)."""
    s = OneOrN.of(servers, exponent)
    return s.x / (1 - s.x) * servers ** (exponent - 1) - math.log(servers)


def scaled_rate(*, servers: int, exponent: float) -> float:
    """−p_n (μ/μ_1) n^{α−1}."""
    system = OneOrN.of(servers, exponent)
    return -system.p_n * system.nu * servers ** (exponent - 1)


def conversion_errors(*, servers: int, exponent: float) -> list[float]:
    """The errors in (39) of H_i for ln i, and of the sum for the integral, over n^{2−α} ln n."""
    s = OneOrN.of(servers, exponent)
    i = np.arange(1.0, s.n)
    weight = s.p_n * s.nu**2 * s.power(i) / i
    unit = s.n ** (2 - exponent) * math.log(s.n)
    logs = float(weight @ np.log(i))
    # ∫ p_1^i ln i/i di from 1 to n, in t = ln i.
    moment, _ = quad(lambda t: t * float(s.power(math.exp(t))), 0.0, math.log(s.n), limit=200)
    integral = s.p_n * s.nu**2 * moment
    return [(float(weight @ np.cumsum(1 / i)) - logs) / unit, (logs - integral) / unit]


def integral_of_log_over_i(*, last: float) -> float:
    """The integral of ln i/i from 1 to `last` over ln²(last)/2, by quadrature."""
    return _integral(lambda i: math.log(i) / i, last, 30) / (math.log(last) ** 2 / 2)


def integral_of_log(*, last: float) -> float:
    """The integral of ln i from 1 to `last` over n ln n − n + 1, by quadrature."""
    return _integral(math.log, last, 30) / (last * math.log(last) - last + 1)


def log_integral_remainder(*, servers: int, exponent: float) -> float:
    """(n ln n − ∫ p_1^i ln i di)/n, the integral from 1 to n."""
    system = OneOrN.of(servers, exponent)
    integral = _integral(lambda i: float(system.power(i)) * math.log(i), servers, 60)
    return math.log(servers) - integral / servers


def log_over_i_remainder(*, servers: int, exponent: float) -> float:
    """(∫ p_1^i ln i/i di − ln² n/2)/(n^{1−α} ln² n/2), Eq. (41), the integral from 1 to n."""
    s = OneOrN.of(servers, exponent)
    # Only the difference to p_1 = 1 is integrated, to avoid cancellation.
    lost, _ = quad(
        lambda t: t * math.expm1(math.exp(t) * math.log1p(-s.p_n)), 0.0, math.log(servers)
    )
    return lost / (servers ** (1 - exponent) * math.log(servers) ** 2 / 2)


def _integral(integrand: Callable[[float], float], last: float, edges: int) -> float:
    """The integral from 1 to `last`, piece by piece between so many edges."""
    pieces = pairwise(np.geomspace(1.0, last, edges))
    return math.fsum(quad(integrand, a, b)[0] for a, b in pieces)
