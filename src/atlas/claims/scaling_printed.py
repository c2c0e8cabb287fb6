"""Formulas of `multilevel-scaling` that do not hold as printed: their errors, and corrected forms.

Every function returns the quantity in the statement by an independent route (a sum, a quadrature,
the transient distribution of the chain), or the gap between it and a formula, which is as printed
or corrected according to the parameters. Symbols and parameters are those of `scaling_system`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad

from atlas.claims.scaling_identities import transient
from atlas.claims.scaling_system import UNIT, OneOrN, Rates, chain_of, with_needs_1_and_n

ROUTE = "sums, quadrature and the saturated chain in time"
CONFIRMED = "the formula as mended (tests/claims/test_scaling_proofs.py)"


def time_law_sum(
    *, servers: int, probability_n: float, first: int, weighted: bool, rates: Rates = UNIT
) -> float:
    """Σ P of Lemma 5.2, with P_{1,b} = C′ p_1^b/(b μ_1) if `weighted`, otherwise 1/(b μ_1), for
    `first` ≤ b < n."""
    n, p_1 = servers, 1 - probability_n
    mu_1, mu_n = rates
    b = np.arange(1.0, n)
    weights = p_1**b / (b * mu_1)
    edges = 1 / mu_n + p_1**n / (n * mu_1 * probability_n)
    c = 1 / (edges + weights.sum())
    between = c * weights if weighted else 1 / (b * mu_1)
    return float(c * edges + between[first - 1 :].sum())


def completion_law_sum(
    *, servers: int, probability_n: float, power: int, rates: Rates = UNIT
) -> float:
    """Σ (μ/μ_i)^k P_i of the transient distribution, k = `power`."""
    result = transient(with_needs_1_and_n(servers, probability_n, rates))
    return float((result.throughput / result.rate) ** power @ result.time)


def integral_constant(*, probabilities: list[float]) -> float:
    """The integral of p_1^b/b from 1 to ∞, by quadrature, plus ln p_n: its limit as p_n → 0, by the
    polynomial through `probabilities`."""
    p = np.array(probabilities)
    values = []
    for p_n in p:
        s = -math.log1p(-p_n)
        top = math.log(750 / s)
        integral, _ = quad(lambda t, s=s: math.exp(-s * math.exp(t)), 0.0, top, limit=200)
        values.append(integral + math.log(p_n))
    return float(np.polynomial.Polynomial.fit(p, values, len(p) - 1)(0.0))


def harmonic_constant(*, sizes: list[int]) -> float:
    """lim H_n − ln n, summed at `sizes` and extrapolated by the polynomial in 1/n."""
    values = [math.fsum(1 / k for k in range(1, n + 1)) - math.log(n) for n in sizes]
    h = 1 / np.array(sizes)
    return float(np.polynomial.Polynomial.fit(h, values, len(sizes) - 1)(0.0))


def first_moment_gap(*, servers: int, last: int, coefficient: float = 1.0) -> float:
    """(p_1 + p_1^{m+1} (−1 − m + m p_1))/p_n² − Σ_{i<n} p_1^i i, m = `last`, p_n = c/n."""
    p_n, m = coefficient / servers, last
    p_1, i = 1 - p_n, np.arange(1, servers)
    return (p_1 + p_1 ** (m + 1) * (-1 - m + m * p_1)) / p_n**2 - math.fsum(p_1**i * i)


def geometric_gap(*, servers: int, first: int) -> float:
    """(p_1^k − p_1^n)/p_n − Σ_{1≤i<n} p_1^i, k = `first`, p_n = 1/n."""
    p_n = 1 / servers
    p_1, i = 1 - p_n, np.arange(1, servers)
    return (p_1**first - p_1**servers) / p_n - math.fsum(p_1**i)


def geometric_ratio(*, servers: int, first: int, coefficient: float = 1.0) -> float:
    """(p_1^k − p_1^n)/p_n over Σ_{1≤i<n} p_1^i, k = `first`, p_n = c/n."""
    p_1, i = 1 - coefficient / servers, np.arange(1, servers)
    return (p_1**first - p_1**servers) / (1 - p_1) / math.fsum(p_1**i)


def exponential_integral(*, servers: int, coefficient: float) -> float:
    """Ei(n ln(1 − c/n)), by the paper's integral."""
    start = -servers * math.log1p(-coefficient / servers)
    return -quad(lambda t: math.exp(-t) / t, start, math.inf)[0]


def throughput_constant(*, servers: int, exponent: float, rates: Rates = UNIT) -> float:
    """(n − μ/μ_1) n^{α−2} − ln n, at p_n = n^−α."""
    s = OneOrN.of(servers, exponent, rates=rates)
    return s.n * s.x * s.n ** (exponent - 2) - math.log(s.n)


def eq_30_gap(*, servers: int, exponent: float, rates: Rates = UNIT) -> float:
    """Right side of Eq. (30), n μ_1 p_n (1/μ_n + p_1^n/(n μ_1 p_n) + Σ p_1^b/(b μ_1)) − 1, summed,
    minus n μ_1/μ − 1, where μ is the throughput of the enumerated chain."""
    n, (mu_1, mu_n), p_n = servers, rates, servers**-exponent
    b = np.arange(1, n)
    bracket = 1 / mu_n + (1 - p_n) ** n / (n * mu_1 * p_n) + ((1 - p_n) ** b / (b * mu_1)).sum()
    return float(n * mu_1 * p_n * bracket - n * mu_1 / chain_of(n, p_n, rates).throughput)


def log_sum_constant(*, servers: int, exponent: float) -> float:
    """Σ_{b<n} p_1^b/b − ln n, summed, at p_n = n^−α."""
    s = OneOrN.of(servers, exponent)
    b = np.arange(1.0, servers)
    return math.fsum(s.power(b) / b) - math.log(servers)


def bracket_constant(*, servers: int, exponent: float, rates: Rates = UNIT) -> float:
    """B/n, the last factor of term (32) over n, at p_n = n^−α."""
    return OneOrN.of(servers, exponent, rates=rates).bracket / servers


def deficit_over(*, servers: int, exponent: float, power: float) -> float:
    """(n − μ/μ_1)/(n^k ln n), k = `power`, at p_n = n^−α."""
    return servers ** (1 - power) * OneOrN.of(servers, exponent).x / math.log(servers)


def deficit_exponent(*, servers: int, exponent: float) -> float:
    """The growth exponent of (n − μ/μ_1)/ln n between n = `servers` and 2n."""
    small, large = (n * OneOrN.of(n, exponent).x / math.log(n) for n in (servers, 2 * servers))
    return math.log2(large / small)


def factor_of_line_37(*, servers: int, exponent: float) -> float:
    """The factor of H_{n−1} in (37), with its brackets as printed, over μ/μ_1."""
    power = servers ** (2 - exponent)
    return (servers - math.log(servers) / power) * power / OneOrN.of(servers, exponent).nu
