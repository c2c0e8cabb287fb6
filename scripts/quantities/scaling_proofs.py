"""Quantities of the sums and integrals in the proofs of `multilevel-scaling`, Sections 6 to 8.

With ν = μ/μ_1 and x = 1 − ν/n, Lemma 5.5 falls into five terms, numbered as in the lists of
Sections 7 and 8.2 (22 to 26, 32 to 36):

    1  p_1^n x (n − 1 + 1/p_n − ν H_{n−1} − ν/(n p_n)),
    2  p_n Σ p_1^i i,    3  −p_n ν Σ p_1^i,    4  −p_n ν Σ p_1^i H_i,    5  p_n ν² Σ p_1^i H_i/i,

sums over 1 ≤ i < n. The sum of p_1^b/b over all b ≥ 1 is ln(1/p_n) exactly, and the integral from 1
to ∞ is E_1(s) = −ln s − γ + O(s) with s = −ln p_1, so that it and the sum differ by γ.

Parameters are those of `scaling`, or p_n alone as `probability_n`. Limits are extrapolated as in
`scaling_limits`, from sums over at most 1e6 states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.special import exp1, expi

from multiserver.saturated.single_duration import partial_log_series
from quantities.scaling import means, probability_n, read_rates
from quantities.scaling_limits import extrapolate

Parameters = Mapping[str, Any]

NEAR = np.geomspace(1e3, 1e6, 7)


def term_limit(parameters: Parameters) -> float:
    """lim p_n × term `term`, for p_n = c n^−α with α ≤ 1."""
    return _limit(parameters, lambda n, p_n: 1 / p_n)


def rare_term_limit(parameters: Parameters) -> float:
    """lim of term `term` over n^{2−α} ln^k n with k = `unit_logs`, for p_n = n^−α with α > 1."""
    return _limit(parameters, lambda n, p_n: p_n * n**2 * math.log(n) ** parameters["unit_logs"])


def leading_term(parameters: Parameters) -> int:
    """The number of the largest term."""
    n, p_n = parameters["servers"], probability_n(parameters)
    return 1 + int(np.argmax(_terms(n, p_n, *read_rates(parameters))))


def sum_of_terms_gap(parameters: Parameters) -> float:
    """The relative gap between the sum of the five terms and E[Δ(Y_d)]."""
    n, p_n = parameters["servers"], probability_n(parameters)
    exact = means(parameters).relative_completions
    return sum(_terms(n, p_n, *read_rates(parameters))) / exact - 1


def tail_per_job(parameters: Parameters) -> float:
    """p_n × (13): what the sums 2 to 5 gain if continued from n to ∞."""
    return probability_n(parameters) * sum(_tail_blocks(parameters))


def tail_block_bound_holds(parameters: Parameters) -> bool:
    """Whether b(k)/b(1) ≤ e^{−k + `shift`} (k + 1) for all blocks k of (13)."""
    blocks = _tail_blocks(parameters)
    return all(
        block / blocks[0] <= math.exp(parameters["shift"] - k) * (k + 1)
        for k, block in enumerate(blocks, start=1)
    )


def tail_in_first_blocks(parameters: Parameters) -> float:
    """(13)/b(1)."""
    blocks = _tail_blocks(parameters)
    return sum(blocks) / blocks[0]


def tail_block_bound_sum(parameters: Parameters) -> float:
    """Σ_{k≥1} e^{−k} (k + 1)."""
    return math.fsum(math.exp(-k) * (k + 1) for k in range(1, 700))


def log_series_block_bound(parameters: Parameters) -> float:
    """The number of terms times the largest term of Σ p_1^b/b over b from k/p_n to (k + 1)/p_n, as
    p_n → 0: 1/(k e^k), for k = `block`."""
    k = parameters["block"]
    return math.exp(-k) / k


def log_series_blocks_within(parameters: Parameters) -> bool:
    """Whether every block is at most k/e^k."""
    p_n = parameters["probability_n"]
    for k in range(1, 30):
        b = np.arange(math.floor(k / p_n), math.floor((k + 1) / p_n) + 1)
        if (np.exp(b * math.log1p(-p_n)) / b).sum() > k * math.exp(-k):
            return False
    return True


def log_series_bound(parameters: Parameters) -> float:
    """Σ_{k≥1} k/e^k."""
    return math.fsum(k * math.exp(-k) for k in range(1, 700))


def log_series_minus_integral(parameters: Parameters) -> float:
    """Σ_{b≥1} p_1^b/b minus the integral of p_1^b/b from 1."""
    p_n = parameters["probability_n"]
    return -math.log(p_n) - float(exp1(-math.log1p(-p_n)))


def log_sum_constant(parameters: Parameters) -> float:
    """Σ_{b<n} p_1^b/b − ln n."""
    n, p_n = parameters["servers"], probability_n(parameters)
    return partial_log_series(-math.log1p(-p_n), 1, n - 1) - math.log(n)


def euler_constant(parameters: Parameters) -> float:
    """γ."""
    return float(np.euler_gamma)


def incomplete_gamma_constant(parameters: Parameters) -> float:
    """Γ[0, −ln(1 − p_n)] + ln p_n."""
    p_n = parameters["probability_n"]
    return float(exp1(-math.log1p(-p_n))) + math.log(p_n)


def logarithmic_integral_constant(parameters: Parameters) -> float:
    """li(1 − p_n) − ln p_n."""
    p_n = parameters["probability_n"]
    return float(expi(math.log1p(-p_n))) - math.log(p_n)


def log_moment_gap(parameters: Parameters) -> float:
    """The relative gap between the integral of p_1^i ln i from 1 to `last` (∞ if not given) and its
    closed form (li(p_1) − Ei(m ln p_1) + p_1^m ln m)/ln p_1, m = `last`."""
    s, m = -math.log1p(-parameters["probability_n"]), parameters.get("last", math.inf)
    top = min(math.log(m), math.log(750 / s))
    integral = _integral(lambda t: t * math.exp(t - s * math.exp(t)), top)
    ends = 0.0 if math.isinf(m) else math.exp(-s * m) * math.log(m) - float(expi(-s * m))
    return integral / ((float(expi(-s)) + ends) / -s) - 1


def log_second_moment_limit(parameters: Parameters) -> float:
    """lim of the integral of p_1^i ln(i)/i from 1 to `last`/p_n (∞ if not given), over
    ln²(1/p_n)."""

    def value(n: int) -> float:
        s = -math.log1p(-1 / n)
        top = min(math.log(parameters.get("last", math.inf) * n), math.log(750 / s))
        return _integral(lambda t: t * math.exp(-s * math.exp(t)), top) / math.log(n) ** 2

    return extrapolate(value, lambda n: 1 / math.log(n))


def exponential_integral_limit(parameters: Parameters) -> float:
    """lim Ei[n ln(1 − c/n)], from n = 1e12."""
    return float(expi(1e12 * math.log1p(-parameters["coefficient"] / 1e12)))


def first_moment_gap(parameters: Parameters) -> float:
    """(p_1 + p_1^{m+1} (−1 − m + m p_1))/p_n² − Σ_{i<n} p_1^i i, m = `last`."""
    n, m, p_n = parameters["servers"], parameters["last"], probability_n(parameters)
    p_1, i = 1 - p_n, np.arange(1, n)
    return (p_1 + p_1 ** (m + 1) * (-1 - m + m * p_1)) / p_n**2 - float(p_1**i @ i)


def geometric_gap(parameters: Parameters) -> float:
    """(p_1^k − p_1^n)/p_n − Σ_{1≤i<n} p_1^i, k = `first`."""
    n, p_n = parameters["servers"], probability_n(parameters)
    p_1, i = 1 - p_n, np.arange(1, n)
    return (p_1 ** parameters["first"] - p_1**n) / p_n - float((p_1**i).sum())


def eq_30_gap(parameters: Parameters) -> float:
    """n μ_1 p_n B^k − n μ_1/μ with B = 1/μ_n + p_1^n/(n μ_1 p_n) + Σ p_1^b/(b μ_1), k = `power`."""
    n, p_n = parameters["servers"], probability_n(parameters)
    rate_1, rate_n = read_rates(parameters)
    b = np.arange(1, n)
    bracket = 1 / rate_n + (1 - p_n) ** n / (n * rate_1 * p_n)
    bracket += float(((1 - p_n) ** b / (b * rate_1)).sum())
    left = n * rate_1 / means(parameters).throughput
    return n * rate_1 * p_n * bracket ** parameters["power"] - left


def lower_bound_holds(parameters: Parameters) -> bool:
    """Whether −n ln i ≤ i − ν H_i for all 1 ≤ i < n, or −n H_i ≤ i − ν H_i if `harmonic`."""
    n, nu = parameters["servers"], means(parameters).throughput / read_rates(parameters)[0]
    i = np.arange(1, n)
    H = np.cumsum(1 / i)
    return bool((-n * (H if parameters["harmonic"] else np.log(i)) <= i - nu * H).all())


def _limit(parameters: Parameters, unit: Any) -> float:
    def value(n: int) -> float:
        p_n = probability_n({**parameters, "servers": n})
        terms = _terms(n, p_n, *read_rates(parameters))
        return terms[parameters["term"] - 1] / unit(n, p_n)

    return extrapolate(value, lambda n: 1 / math.log(n), NEAR)


@lru_cache(maxsize=256)
def _terms(n: int, p_n: float, rate_1: float, rate_n: float) -> tuple[float, ...]:
    i = np.arange(1.0, n)
    powers, H = np.exp(i * math.log1p(-p_n)), np.cumsum(1 / i)
    log_sum, last = float((powers / i).sum()), math.exp(n * math.log1p(-p_n))
    nu = 1 / (last / n + p_n * (rate_1 / rate_n + log_sum))
    # 1 − ν/n, without its cancellation.
    x = p_n * nu * (rate_1 / rate_n + log_sum + math.expm1(n * math.log1p(-p_n)) / (n * p_n))
    return (
        last * x * (n - 1 - nu * float(H[-1]) + x / p_n),
        p_n * float(powers @ i),
        -p_n * nu * float(powers.sum()),
        -p_n * nu * float(powers @ H),
        p_n * nu**2 * float(powers @ (H / i)),
    )


def _tail_blocks(parameters: Parameters) -> list[float]:
    """b(1), b(2) … b(40) of Section 6."""
    n, p_n = parameters["servers"], probability_n(parameters)
    nu = means(parameters).throughput / read_rates(parameters)[0]
    i = np.arange(1, n + math.floor(40 / p_n) + 1)
    terms = np.exp(i * math.log1p(-p_n)) * p_n * (1 - nu / i) * (i - nu * np.cumsum(1 / i))
    edges = [n + math.floor(k / p_n) for k in range(41)]
    return [float(terms[a - 1 : b].sum()) for a, b in pairwise(edges)]


def _integral(integrand: Any, top: float) -> float:
    return quad(integrand, 0.0, top, epsabs=0.0, epsrel=1e-12, limit=200)[0]
