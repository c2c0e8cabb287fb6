"""The inequalities in the proofs of `multilevel-scaling`: how close each comes to failing.

A bound u ≤ v is reported as the largest u/v or, if v may vanish, the largest u − v, over the
states, blocks or sizes that it is about: it holds if that is at most 1, or at most 0. Symbols and
parameters are those of `scaling_system`.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import exp1

from atlas.claims import Found
from atlas.claims.scaling_system import UNIT, OneOrN, Rates, chain_of, harmonic

ROUTE = "both sides of the bound, term by term"
CONFIRMED = "bounds of other sums by hand (tests/claims/test_scaling_proofs.py)"
# The blocks of Section 6 are ⌊k/p_n⌋ … ⌊(k + 1)/p_n⌋; this many are looked at.
BLOCKS = 40

# Section 6.


def series_step_excess(*, probability_n: float, first: int, last: int) -> float:
    """The smallest of (p_1^b/b − p_1^{b+1}/(b + 1)) − (p_1^b/b − p_1^{b+1}/b) over b = `first` …
    `last`, in units of p_1^{b+1}: positive where the printed ≤ is reversed."""
    b, p_1 = np.arange(float(first), last + 1.0), 1 - probability_n
    left, right = 1 / b - p_1 / (b + 1), 1 / b - p_1 / b
    return float(((left - right) / p_1).min())


def telescoped_sum(*, probability_n: float) -> float:
    """Σ_{b≥1} (p_1^b/b − p_1^{b+1}/(b + 1)), summed term by term."""
    s = -math.log1p(-probability_n)
    b = np.arange(1.0, math.ceil(40 / s))
    return math.fsum(np.exp(-s * b) / b - np.exp(-s * (b + 1)) / (b + 1))


def series_minus_integral(*, probability_n: float) -> float:
    """Σ_{b≥1} p_1^b/b, summed term by term, minus the integral from 1, over its bound p_1."""
    s = -math.log1p(-probability_n)
    b = np.arange(1.0, math.ceil(40 / s))
    return (math.fsum(np.exp(-s * b) / b) - float(exp1(s))) / (1 - probability_n)


def log_series_bound(*, blocks: int) -> float:
    """Σ k/e^k over k = 1 … `blocks`."""
    return math.fsum(k * math.exp(-k) for k in range(1, blocks + 1))


def log_series_block_shares(*, probability_n: float, blocks: int) -> list[float]:
    """The sum of p_1^b/b over b = ⌊k/p_n⌋ … ⌊(k + 1)/p_n⌋, over k/e^k and over 1/(k e^k): the
    largest of each over k = 1 … `blocks`."""
    k = np.arange(1, blocks + 1)
    sums = np.array([_log_series_block(probability_n, j) for j in k])
    bounds = np.exp(-k) * np.array([k, 1 / k])
    return [float(share) for share in (sums / bounds).max(axis=1)]


def tail_block_share(*, servers: int, exponent: float, shift: int) -> Found:
    """The largest b(k)/b(1) over its bound e^{−j} (j + 1), j = k − `shift`."""
    blocks = _tail_blocks(OneOrN.of(servers, exponent))
    j = np.arange(1, len(blocks) + 1) - shift
    shares = blocks / blocks[0] / (np.exp(-j) * (j + 1))
    return Found(float(shares.max()), f"k = {1 + shares.argmax()}")


def tail_in_first_blocks(*, servers: int, exponent: float, logs: float = 0.0) -> float:
    """Σ_k b(k)/b(1)."""
    blocks = _tail_blocks(OneOrN.of(servers, exponent, logs=logs))
    return float(blocks.sum() / blocks[0])


def block_growth_share(*, servers: int, exponent: float) -> float:
    """The largest (i − ν H_i), 1 < k ≤ 40, over k times its value (k − 1)/p_n terms earlier, in the
    first block."""
    s = OneOrN.of(servers, exponent)
    width = math.floor(1 / s.p_n)
    i = np.arange(float(s.n), s.n + BLOCKS * width)
    growth = i - s.nu * (harmonic(s.n - 1) + np.cumsum(1 / i))
    k = np.arange(2, BLOCKS + 1)[:, None]
    return float((growth.reshape(BLOCKS, width)[1:] / growth[:width] / k).max())


def binomial_bound_share(*, sizes: list[int], exponents: list[float]) -> float:
    """The larger of the largest p_n² n (n − 1)/2 over (1 + p_n)^n and the largest of the latter
    over p_1^−n, for p_n = n^−α: the two steps of one chain of inequalities."""
    shares = []
    for n in sizes:
        for alpha in exponents:
            p_n = n**-alpha
            middle = n * math.log1p(p_n)
            shares.append(p_n**2 * n * (n - 1) / 2 * math.exp(-middle))
            shares.append(math.exp(middle + n * math.log1p(-p_n)))
    return max(shares)


# Section 7.


def harmonic_gap(*, largest: int) -> float:
    """The largest |H_{n−1} − ln n|, n = 1 … `largest`."""
    n = np.arange(1.0, largest + 1)
    return float(np.abs(np.cumsum(1 / n) - 1 / n - np.log(n)).max())


def harmonic_range(*, largest: int) -> list[float]:
    """The smallest and the largest H_n − ln n, n = 1 … `largest`."""
    n = np.arange(1.0, largest + 1)
    gaps = np.cumsum(1 / n) - np.log(n)
    return [float(gaps.min()), float(gaps.max())]


def change_per_term(*, servers: int, coefficient: float) -> float:
    """The largest |p_1^i H_i − ∫ p_1^j ln j dj|, j from i to i + 1, by the midpoint rule on 100
    cells, over 1 ≤ i < n at p_n = c/n."""
    system = OneOrN.of(servers, 1.0, coefficient)
    i = np.arange(1.0, servers)
    cells = (np.arange(100) + 0.5) / 100
    j = i[:, None] + cells
    integral = (system.power(j) * np.log(j)).mean(axis=1)
    return float(np.abs(system.power(i) * np.cumsum(1 / i) - integral).max())


# Section 8.


def completion_factor_excess(
    *, servers: int, exponent: float, logs: float = 0.0, rates: Rates = UNIT
) -> list[float]:
    """The largest (1 − n/i) − (1 − ν/i) and (1 − ν/i) − 1 over 1 ≤ i < n, where 1 − ν/i is the step
    Δ(i) − Δ(i − 1) of the enumerated chain."""
    relative = _relative_completions(servers, exponent, logs, rates)
    i, steps = np.arange(1, servers), np.diff(relative[:servers])
    return [float((1 - servers / i - steps).max()), float((steps - 1).max())]


def relative_lower_bound_excess(
    *,
    servers: int,
    exponent: float,
    h: Literal["harmonic", "logarithm"],
    logs: float = 0.0,
) -> Found:
    """The largest (−n ln i − (i − ν h_i))/n over 1 ≤ i < n, where `h` is `harmonic`, h_i = H_i, or
    `logarithm`, h_i = ln i."""
    s = OneOrN.of(servers, exponent, logs=logs)
    i = np.arange(1.0, s.n)
    taken = {"harmonic": np.cumsum(1 / i), "logarithm": np.log(i)}[h]
    excess = (s.nu * taken - i) / s.n - np.log(i)
    return Found(float(excess.max()), f"i = {i[excess.argmax()]:.0f}")


def relative_over_n_log_n(*, sizes: list[int], exponent: float, logs: float = 0.0) -> Found:
    """The largest |i − ν H_i| over n ln n, over 1 ≤ i < n and all n = `sizes`."""
    found = []
    for n in sizes:
        nu, i = OneOrN.of(n, exponent, logs=logs).nu, np.arange(1.0, n)
        share = np.abs(i - nu * np.cumsum(1 / i)).max() / (n * math.log(n))
        found.append(Found(float(share), f"n = {n}"))
    return max(found, key=lambda share: share.value)


def relative_upper_bound_excess(
    *, servers: int, exponent: float, logs: float = 0.0, rates: Rates = UNIT
) -> float:
    """The largest (Δ(i) − Δ(0)) − i over 1 ≤ i < n, Δ of the enumerated chain."""
    relative = _relative_completions(servers, exponent, logs, rates)
    i = np.arange(1, servers)
    return float((relative[1:servers] - relative[0] - i).max())


def uniform_power_gap(*, sizes: list[int], exponent: float) -> float:
    """The largest |p_1^b − 1| n^{α−1} over b ≤ n and all n = `sizes`."""
    return max(-math.expm1(n * math.log1p(-(n**-exponent))) * n ** (exponent - 1) for n in sizes)


def capacity_share(*, largest: int, exponents: list[float], rates: Rates = UNIT) -> Found:
    """The largest μ/(n μ_1) over n from max(2, μ_n/μ_1) to `largest` and all `exponents`."""
    rate_1, rate_n = rates
    sizes = range(max(2, math.ceil(rate_n / rate_1)), largest + 1)
    found = [(1 - OneOrN.of(n, alpha, rates=rates).x, n) for n in sizes for alpha in exponents]
    share, n = max(found)
    return Found(share, f"n = {n}")


def _relative_completions(
    n: int, exponent: float, logs: float, rates: Rates
) -> NDArray[np.float64]:
    """Δ(0) … Δ(n) by elimination, p_n = n^−α ln^β n."""
    return chain_of(n, OneOrN.of(n, exponent, logs=logs).p_n, rates).relative_completions


def _log_series_block(p_n: float, k: int) -> float:
    b = np.arange(math.floor(k / p_n), math.floor((k + 1) / p_n) + 1)
    return float((np.exp(b * math.log1p(-p_n)) / b).sum())


def _tail_blocks(s: OneOrN) -> NDArray[np.float64]:
    """b(1) … b(`BLOCKS`) of Section 6, each with both of its printed ends, in units of p_1^n."""
    i = np.arange(float(s.n), s.n + math.floor(BLOCKS / s.p_n) + 1)
    H = harmonic(s.n - 1) + np.cumsum(1 / i)
    terms = s.power(i - s.n) * s.p_n * (1 - s.nu / i) * (i - s.nu * H)
    ends = [math.floor(k / s.p_n) for k in range(BLOCKS + 1)]
    return np.array([terms[a : b + 1].sum() for a, b in pairwise(ends)])
