"""E[Δ(Y_d)] of the 1-or-n system by summing all n terms as printed, to compare with `one_or_n`.

`multilevel-scaling`, Lemmas 5.3 and 5.5. If n is large and p_n small, p_1 = 1 − p_n and
1 − μ/(n μ_1) lose the significant digits in float64, and no careful summation can recover them.
"""

from __future__ import annotations

import math

import numba
import numpy as np

CHUNK = 1 << 20


def sum_in_chunks(n: int, p_n: float, mu_1: float, mu_n: float) -> float:
    """With NumPy, a million terms at a time."""
    p_1 = 1 - p_n
    reciprocals = 0.0
    for i in _chunks(n):
        reciprocals += float(np.sum(p_1**i / i))
    mu = _throughput(n, p_n, mu_1, mu_n, reciprocals)
    total = harmonic = 0.0
    for i in _chunks(n):
        h = harmonic + np.cumsum(1 / i)
        harmonic = float(h[-1])
        total += float(np.sum(p_1**i * p_n * (1 - mu / (i * mu_1)) * (i - mu / mu_1 * h)))
    return total + _last_term(n, p_n, mu_1, mu, harmonic)


def sum_in_a_loop(n: int, p_n: float, mu_1: float, mu_n: float) -> float:
    """With a compiled loop, term by term."""
    mu = _throughput(n, p_n, mu_1, mu_n, _sum_reciprocals(n, 1 - p_n))
    total, harmonic = _sum_terms(n, p_n, mu / mu_1)
    return total + _last_term(n, p_n, mu_1, mu, harmonic)


def _chunks(n: int):
    for start in range(1, n, CHUNK):
        yield np.arange(start, min(start + CHUNK, n), dtype=float)


def _throughput(n: int, p_n: float, mu_1: float, mu_n: float, reciprocals: float) -> float:
    p_1 = 1 - p_n
    return 1 / (p_1**n / (n * mu_1) + p_n * (1 / mu_n + reciprocals / mu_1))


def _last_term(n: int, p_n: float, mu_1: float, mu: float, harmonic: float) -> float:
    nu = mu / mu_1
    return (1 - p_n) ** n * (1 - nu / n) * (n - 1 + 1 / p_n - nu * harmonic - nu / (n * p_n))


@numba.njit
def _sum_reciprocals(n, p_1):
    total = 0.0
    log_p = math.log(p_1)
    for i in range(1, n):
        total += math.exp(i * log_p) / i
    return total


@numba.njit
def _sum_terms(n, p_n, nu):
    total, harmonic = 0.0, 0.0
    log_p = math.log(1 - p_n)
    for i in range(1, n):
        harmonic += 1.0 / i
        total += math.exp(i * log_p) * p_n * (1 - nu / i) * (i - nu * harmonic)
    return total, harmonic
