"""The asymptotic steps in the proofs of `multilevel-scaling`, Sections 6 and 7, one by one.

Symbols and parameters are those of `scaling_system`. Every function returns the quantity in one
step of a proof, scaled so that it tends to a constant (or stays bounded): at one n from exact
means, or, if its name ends in `_limit`, extrapolated to n → ∞.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.integrate import quad
from scipy.special import expi

from atlas.claims.scaling_system import FAR, NEAR, UNIT, OneOrN, Rates, harmonic, limit

ROUTE = "exact means, sums and integrals"
CONFIRMED = "the sum of all terms against the chain (tests/claims/test_scaling_proofs.py)"

# Section 6: p_n = ω(1/n).


def outside_term_over_p_n(*, servers: int, exponent: float, logs: float = 0.0) -> float:
    """n p_n p_1^n, which is n p_1^n in units of 1/p_n."""
    system = OneOrN.of(servers, exponent, logs=logs)
    return system.n * system.p_n * float(system.power(system.n))


def outside_bracket_limit(*, exponent: float) -> float:
    """lim x B/n, the factor of n p_1^n in (11)."""
    return limit(lambda s: s.x * s.bracket / s.n, FAR, exponent)


def infinite_term_limit(*, exponent: float, term: int) -> float:
    """lim p_n × (14), (15), (16) or (17), for `term` = 1 … 4: sums over all i ≥ 1, cut off at
    40/p_n, n = 1e6 … 1e10."""

    def value(s: OneOrN) -> float:
        i = np.arange(1.0, math.ceil(40 / s.p_n))
        factor, weight = {
            1: (1.0, i),
            2: (-s.nu, np.ones_like(i)),
            3: (-s.nu, np.cumsum(1 / i)),
            4: (s.nu**2, np.cumsum(1 / i) / i),
        }[term]
        return s.p_n**2 * factor * float(s.power(i) @ weight)

    return limit(value, np.geomspace(1e6, 1e10, 6), exponent)


def tail_over_bound(*, servers: int, exponent: float) -> float:
    """p_n × (13), the part of the sums from n to ∞, in units of 1/p_n."""
    s = OneOrN.of(servers, exponent)
    i = np.arange(float(s.n), s.n + math.ceil(40 / s.p_n))
    H = harmonic(s.n - 1) + np.cumsum(1 / i)
    return s.p_n**2 * float((s.power(i) * (1 - s.nu / i)) @ (i - s.nu * H))


def sum_of_terms_gap(*, servers: int, exponent: float) -> float:
    """The relative gap between the sum of the five terms and E[Δ(Y_d)]."""
    s = OneOrN.of(servers, exponent)
    return sum(s.terms()) / s.means.relative_completions - 1


def first_tail_term(*, servers: int, exponent: float, logs: float = 0.0) -> float:
    """The term i = n of (13), p_1^n p_n (1 − ν/n) (n − ν H_n)."""
    s = OneOrN.of(servers, exponent, logs=logs)
    return float(s.power(s.n)) * s.p_n * s.x * (s.n - s.nu * harmonic(s.n))


def logs_over_load(*, sizes: list[float], mixes: list[dict[str, float]]) -> float:
    """The largest ln n/(n p_n ln(1/p_n)) over all n = `sizes` and p_n = c n^−α ln^β n = `mixes`."""
    systems = (OneOrN.of(int(n), **mix) for n in sizes for mix in mixes)
    return max(math.log(s.n) / (s.n * s.p_n * math.log(1 / s.p_n)) for s in systems)


def logarithm_slope(*, probabilities: list[float]) -> float:
    """lim ln(1 − p)/p as p → 0, by the polynomial through the values at `probabilities`."""
    p = np.array(probabilities)
    return float(np.polynomial.Polynomial.fit(p, np.log(1 - p) / p, len(p) - 1)(0.0))


def log_moment_difference(*, probability_n: float) -> float:
    """(Σ p_1^i ln i − ∫ p_1^i ln i di)/((1 − p_1) Σ p_1^i ln i), both from 1 to ∞."""
    s = -math.log1p(-probability_n)
    i = np.arange(1.0, math.ceil(750 / s))
    total = float(np.exp(-s * i) @ np.log(i))
    return (total - float(expi(-s)) / -s) / (probability_n * total)


def log_moment_difference_share(*, probability_n: float) -> float:
    """(Σ p_1^i ln i − ∫ p_1^i ln i di)/Σ p_1^i ln i, both from 1 to ∞."""
    return probability_n * log_moment_difference(probability_n=probability_n)


def second_moment_error_growth(*, probabilities: tuple[float, float] | list[float]) -> float:
    """The growth of Σ p_1^i H_i/i − ∫ p_1^i ln(i)/i di, both from 1 to ∞, for each unit of
    ln(1/p_n), between two p_n."""
    errors = []
    for p_n in probabilities:
        s = -math.log1p(-p_n)
        i = np.arange(1.0, math.ceil(40 / s))
        total = float(np.exp(-s * i) @ (np.cumsum(1 / i) / i))
        errors.append(
            total - _integral(lambda t, s=s: t * math.exp(-s * math.exp(t)), math.log(40 / s))
        )
    return (errors[1] - errors[0]) / math.log(probabilities[0] / probabilities[1])


def capacity_shares(*, servers: int, exponents: list[float]) -> list[float]:
    """μ/(n μ_1) at p_n = n^−α, for each α of `exponents`."""
    return [1 - OneOrN.of(servers, alpha).x for alpha in exponents]


def log_moment_gap(*, probability_n: float, last: float = math.inf) -> float:
    """The relative gap between the integral of p_1^i ln i from 1 to `last` and its closed form.

    That is (li(p_1) − Ei(m ln p_1) + p_1^m ln m)/ln p_1, m = `last`.
    """
    s = -math.log1p(-probability_n)
    top = min(math.log(last), math.log(750 / s))
    integral = _integral(lambda t: t * math.exp(t - s * math.exp(t)), top)
    ends = math.exp(-s * last) * math.log(last) - float(expi(-s * last)) if last < math.inf else 0.0
    return integral / ((float(expi(-s)) + ends) / -s) - 1


def logarithmic_integral_constant(*, probability_n: float) -> float:
    """li(1 − p_n) − ln p_n."""
    return float(expi(math.log1p(-probability_n))) - math.log(probability_n)


def logarithmic_integral_and_log(*, sizes: list[float], coefficient: float) -> list[float]:
    """li(1 − c/n) + ln n, for each n of `sizes`."""
    return [
        logarithmic_integral_constant(probability_n=coefficient / n) + math.log(coefficient)
        for n in sizes
    ]


def log_second_moment_limit(*, last: float = math.inf) -> float:
    """lim of the integral of p_1^i ln(i)/i from 1 to `last`/p_n, over ln²(1/p_n)."""
    return limit(lambda s: _log_second_moment(s, last) / math.log(s.n) ** 2, FAR, 1.0)


def log_second_moment_remainder_limit(*, last: float = math.inf) -> float:
    """lim of the same integral minus ½ ln²(1/p_n), over ln(1/p_n)."""

    def value(system: OneOrN) -> float:
        log = math.log(system.n)
        return _log_second_moment(system, last) / log - log / 2

    return limit(value, FAR, 1.0)


def _log_second_moment(system: OneOrN, last: float) -> float:
    """The integral of p_1^i ln(i)/i from 1 to `last` n, in ln i."""
    s = -math.log1p(-system.p_n)
    top = min(math.log(last * system.n), math.log(750 / s))
    return _integral(lambda t: t * math.exp(-s * math.exp(t)), top)


# Section 7: p_n = c/n.


def term_limit(*, coefficient: float, term: int) -> float:
    """lim p_n × term `term` at p_n = c/n."""
    return limit(lambda s: s.p_n * s.terms()[term - 1], NEAR, 1.0, coefficient)


def last_power(*, servers: int, coefficient: float) -> float:
    """p_1^n e^c at p_n = c/n."""
    return (1 - coefficient / servers) ** servers * math.exp(coefficient)


def bracket_without_throughput_limit(*, coefficient: float) -> float:
    """lim p_n (n − 1 + 1/p_n − ν/(n p_n)), which the proof gives as c + 1."""
    return limit(lambda s: s.p_n * (s.n - 1) + s.x, FAR, 1.0, coefficient)


def blocked_share(*, servers: int, coefficient: float, per: Literal["completion", "time"]) -> float:
    """The share, `per` completion or time, of states 1 … n − 1, where an n-server job waits at the
    head of the queue: p_1 − p_1^n, or 1 − P_0 − P_n of Lemma 5.2; rates 1."""
    s = OneOrN.of(servers, 1.0, coefficient)
    last = float(s.power(s.n))
    return {"completion": 1 - s.p_n - last, "time": 1 - s.nu * (s.p_n + last / s.n)}[per]


def negligible_phases_share_limit(*, coefficient: float, rates: Rates = UNIT) -> float:
    """lim C′ (1/μ_n + p_1^n/(n μ_1 p_n)), the share of 1/C′ = 1/(p_n μ) in terms that Lemma 7.1
    leaves out, p_n = c/n."""

    def value(s: OneOrN) -> float:
        edges = 1 / s.rate_n + float(s.power(s.n)) / (s.n * s.rate_1 * s.p_n)
        return s.p_n * s.means.throughput * edges

    return limit(value, FAR, 1.0, coefficient, rates=rates)


def growth_rates_sum(*, exponent: float, coefficients: list[float]) -> list[float]:
    """p_n × the sum of the five terms, each extrapolated separately; one sum for each c."""

    def scaled(term: int, c: float) -> float:
        return limit(lambda s: s.p_n * s.terms()[term], NEAR, exponent, c)

    return [sum(scaled(term, c) for term in range(5)) for c in coefficients]


def growth_exponents(*, servers: int, exponents: list[float]) -> list[float]:
    """The growth exponents of E[Δ(Y_d)] between n = `servers` and 2 n, for each α of `exponents`,
    minus the contribution of ln² n in Theorem 4.2 for α > 1."""
    found = []
    for alpha in exponents:
        means = [OneOrN.of(n, alpha).means.relative_completions for n in (servers, 2 * servers)]
        logs = (1 + math.log(2) / math.log(servers)) ** (2 if alpha > 1 else 0)
        found.append(math.log2(means[1] / means[0] / logs))
    return found


def _integral(integrand: Callable[[float], float], top: float) -> float:
    return quad(integrand, 0.0, top, epsabs=0.0, epsrel=1e-12, limit=200)[0]
