"""The product form of the saturated system when all durations have the same distribution.

n servers, FCFS; job i has server need V_i, i.i.d. with P(V = v) = p_v for 1 ≤ v ≤ n, and every
duration is Exp(μ) whatever the need. The saturated system always holds n jobs, in order of age:
its state is m = [m_1, …, m_n], and σ(m) is the number of jobs in service, the longest prefix whose
total need S_k = m_1 + … + m_k is at most n.

Embedded at completions, the stationary distribution is π_m = ∏ p_{m_i} (`product-form-saturated`,
Theorem 1; `two-class-stability`, Theorem 8.2). The distribution in time is proportional to π_m /
σ(m), hence (`two-class-stability`, Theorem 8.1)

    X = μ / E[1/σ],    E[N_idle] = E[(n − S_σ)/σ] / E[1/σ],    expectations under π.

As printed, E[1/σ] = Σ_m π_m/σ(m) has exponentially many terms, and `multilevel-scaling`, Section
10.4, leaves open a formula with linearly many terms. These suffice. Under π, σ = k means S_k = s
and V_{k+1} > n − s for some s ≤ n, and V_{k+1} is independent of S_k. With G(x) = Σ_v p_v x^v,

    l_s = Σ_{k≥1} P(S_k = s)/k = [x^s] Σ_k G(x)^k/k = [x^s] −log(1 − G(x)),
    E[1/σ] = Σ_{s=1..n} l_s P(V > n − s),    E[(n − S_σ)/σ] = Σ_{s=1..n} (n − s) l_s P(V > n − s).

Differentiating the logarithm gives l from the renewal sequence u of the needs,

    u_s = [x^s] 1/(1 − G(x)) = Σ_v p_v u_{s−v},   u_0 = 1,        s l_s = Σ_v v p_v u_{s−v},

in O(n d) operations for d needs, every one an addition of positive terms. Rounding still lets l_s
drift by a factor (1 + ε)^s; it cancels in the ratio E[N_idle], so E[1/σ] = E[V]/(n − E[N_idle]) is
computed from that: Little's law on busy servers, n − E[N_idle] = X E[V]/μ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import SUM_TOLERANCE, require_integer, require_room
from multiserver.recurrences import lfilter
from multiserver.saturated.quadrature import WEIGHTS, panels

# Measured nanoseconds: one tap of lfilter, one shifted array addition, one element of it.
TAP, ADDITION, ELEMENT = 0.8, 1300.0, 0.5
# With this many servers and a handful of needs the means take 8 s and 0.4 GB.
MOST_SERVERS = 10_000_000


@dataclass(frozen=True, slots=True)
class SingleDurationMeans:
    """Stationary means of the saturated system.

    `mean_reciprocal` is E[1/σ] under π, `throughput` X and `naive_throughput` n μ/E[V] (the
    throughput without wastage) in jobs per unit of time, `jobs_in_service` the mean of σ in time,
    `wastage` E[N_idle] in servers, `utilisation` 1 − E[N_idle]/n.
    """

    mean_reciprocal: float
    throughput: float
    naive_throughput: float
    jobs_in_service: float
    wastage: float
    utilisation: float


def single_duration(
    servers: int, needs: Sequence[int], probabilities: Sequence[float], mu: float = 1.0
) -> SingleDurationMeans:
    """The saturated system of n = `servers` servers, for any distribution of the server need.

    `needs` are d distinct integers in 1 … n, `probabilities` their p_v (they must sum to 1 within
    1e-9, and are divided by their sum), `mu` the common rate of completion, per unit of time.
    Relative error below 1e-12 up to n = 1e5. Cost O(n d): milliseconds for n = 1e5 and a handful
    of needs, seconds for n = 1e5 and all needs. Raises ValueError on arguments outside these, and
    `TooLargeError` beyond `MOST_SERVERS`.
    """
    n, v, p, excess = _checked(servers, needs, probabilities)
    weight = _log_series(n, v, p, excess) * _blocking(n, v, p)
    wastage = math.fsum(weight * np.arange(n, -1, -1)) / math.fsum(weight)
    mean_need = math.fsum(v * p)
    return _distribution(n, mu, mean_need, mean_need / (n - wastage), wastage)


def one_half_all_one_rate(
    servers: int, p_half: float, p_all: float, mu: float = 1.0, *, p_one: float | None = None
) -> SingleDurationMeans:
    """The saturated system with needs 1, n/2 and n, n even, in constant time.

    With p_1 = 1 − q, q = p_h + p_n (`p_half` and `p_all`, either of them possibly 0), h = n/2 and
    1 − G(x) = (1 − p_1 x) (1 − (p_h x^h + p_n x^n)/(1 − p_1 x)), only the first two powers of the
    last fraction reach x^n in −log(1 − G), and so for s ≤ n

        l_s = p_1^s/s + p_h p_1^{s−h} [s ≥ h] + (p_n + p_h²/2) [s = n].

    P(V > n − s) is p_n for s ≤ h, q for h < s < n and 1 for s = n; q Σ_j p_1^j telescopes, and
    with A(a, b) = Σ_{s=a..b} p_1^s/s,

        E[1/σ] = p_1^n/n + p_n + p_h (1 − p_h/2) + q A(h + 1, n − 1) + p_n A(1, h),

    which answers the question of `multilevel-scaling`, Section 10.4; p_h = 0 and p_n = 0 are its
    settings {1, n} and {1, n/2}. E[(n − S_σ)/σ] is n E[1/σ] − E[V], grouped so as not to cancel.

    Relative error below 1e-12 for n up to 1e8 and probabilities down to 1e-24; where p_1 is that
    small, `p_one` gives it with digits that 1 − q has lost. Raises ValueError if `servers` is not
    an even positive integer or the probabilities are not a distribution.
    """
    n = require_integer("servers", servers)
    if n % 2:
        raise ValueError(f"servers is {n}, expected an even number")
    if not (p_half >= 0 and p_all >= 0 and p_half + p_all <= 1 + 1e-15):
        raise ValueError(f"p_half, p_all are {p_half}, {p_all}, expected ≥ 0 with sum at most 1")
    if p_one is not None and abs(p_one + p_half + p_all - 1) > SUM_TOLERANCE:
        raise ValueError(f"p_one is {p_one}, expected 1 − {p_half} − {p_all}")
    h = n // 2
    # With n = 2, needs 1 and n/2 are the same need: p_1 takes it all.
    ph, pn = (p_half if h > 1 else 0.0), p_all
    q = min(ph + pn, 1.0)
    p1, x = 1 - q, -math.log1p(-q) if q < 1 else math.inf
    if p_one is not None and 0 < p_one < 0.5 and h > 1:
        p1, x = p_one, -math.log(p_one)
    short, long = partial_log_series(x, 1, h), partial_log_series(x, h + 1, n - 1)
    mixed = q * long + pn * short
    mean_reciprocal = math.exp(-n * x) / n + pn + ph * (1 - ph / 2) + mixed
    idle_per_job = n * mixed + h * ph * (p1 + pn) + p1 * math.expm1((1 - n) * x)
    mean_need = p1 + h * ph + n * pn
    return _distribution(n, mu, mean_need, mean_reciprocal, idle_per_job / mean_reciprocal)


def partial_log_series(x: float, first: int, last: int) -> float:
    """Σ_{s=first..last} e^{−s x}/s for x ≥ 0 and first ≥ 1, in constant time; 0 if x is infinite.

    Since e^{−s x}/s = ∫_x^∞ e^{−s t} dt, the sum is the integral of a geometric sum,

        ∫_x^∞ e^{−first t} (1 − e^{−(last − first + 1) t}) / (1 − e^{−t}) dt,

    a positive integrand, smooth in log t, where Gauss–Legendre panels are used. Relative error
    below 1e-14 for last up to 1e9, besides the rounding of first · x, which no method can recover.
    """
    if last < first or math.isinf(x):
        return 0.0
    # Below `lower` the integral is 1e-18 of the sum at most; beyond `upper`, e^{−45} of it.
    lower = max(x, 1e-18 / last)
    upper = x + 45 / first
    length = math.log(upper / lower)
    nodes, half = panels(length, 6 + math.ceil(length))
    t = np.exp(math.log(lower) + nodes)
    terms = np.exp(-first * t) * np.expm1(-(last - first + 1) * t) / np.expm1(-t)
    return half * float((terms * t).sum(axis=0) @ WEIGHTS)


def _distribution(
    n: int, mu: float, mean_need: float, mean_reciprocal: float, wastage: float
) -> SingleDurationMeans:
    if not 0 < mu < math.inf:
        raise ValueError(f"mu is {mu!r}, expected a positive finite rate")
    return SingleDurationMeans(
        mean_reciprocal=mean_reciprocal,
        throughput=mu / mean_reciprocal,
        naive_throughput=n * mu / mean_need,
        jobs_in_service=1 / mean_reciprocal,
        wastage=wastage,
        utilisation=mean_need / (n * mean_reciprocal),
    )


def _log_series(
    n: int, v: NDArray[np.int64], p: NDArray[np.float64], excess: float
) -> NDArray[np.float64]:
    """l_0 = 0, l_1 … l_n, for needs v in ascending order."""
    u = _renewal(n, v, p)
    ell = np.zeros(n + 1)
    for need, probability in zip(v, p, strict=True):
        ell[need:] += need * probability * u[:-need]
    ell[1:] /= np.arange(1, n + 1)
    # Rounded, the p_v sum to 1 + excess: l_s holds Σ_k (1 + excess)^k P(S_k = s)/k, and k excess
    # would pass 1e-12 before n = 1e5. Its first order is excess u_s.
    ell[1:] -= excess * u[1:]
    return ell


def _renewal(n: int, v: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """u_0 … u_n: small needs by a recursive filter, large ones by whole blocks at a time.

    Blocks are as long as the smallest large need, so that the terms of large needs reach back to
    earlier blocks only.
    """
    small = _small_needs(n, v)
    block = int(v[small]) if small < v.size else n + 1
    denominator = -np.bincount(v[:small], p[:small], minlength=1)
    denominator[0] = 1.0
    memory = np.zeros(denominator.size - 1)
    u = np.eye(1, n + 1)[0]
    for start in range(0, n + 1, block):
        stop = min(start + block, n + 1)
        for need, probability in zip(v[small:], p[small:], strict=True):
            if need >= stop:
                break
            begin = max(start, need)
            u[begin:stop] += probability * u[begin - need : stop - need]
        if small:
            u[start:stop], memory = lfilter([1.0], denominator, u[start:stop], zi=memory)
    return u


def _small_needs(n: int, v: NDArray[np.int64]) -> int:
    """How many of the needs, from the smallest on, `_renewal` should filter to be fastest."""
    filtered = np.concatenate([[0], v]) * (n * TAP)
    large = np.arange(v.size, -1, -1)
    added = n / np.append(v, n + 1) * (large + 4) * ADDITION + n * large * ELEMENT
    return int(np.argmin(filtered + added))


def _blocking(n: int, v: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(V > n − s) for s = 0 … n."""
    return np.cumsum(np.bincount(n - v + 1, p, minlength=n + 1))


def _checked(
    servers: int, needs: Sequence[int], probabilities: Sequence[float]
) -> tuple[int, NDArray[np.int64], NDArray[np.float64], float]:
    """n, the needs in ascending order, their normalised probabilities, and Σ p_v − 1 as rounded."""
    n = require_integer("servers", servers)
    require_room("servers", n, MOST_SERVERS)
    v, p = np.asarray(needs), np.asarray(probabilities, dtype=float)
    if v.ndim != 1 or v.size == 0 or not np.issubdtype(v.dtype, np.integer):
        raise ValueError(f"needs is {needs!r}, expected a non-empty sequence of integers")
    if v.min() < 1 or v.max() > n or np.unique(v).size < v.size:
        raise ValueError(f"needs is {needs!r}, expected distinct integers in 1 … {n}")
    if p.shape != v.shape or not (p >= 0).all() or abs(math.fsum(p) - 1) > SUM_TOLERANCE:
        raise ValueError(f"probabilities is {probabilities!r}, expected one per need, summing to 1")
    order = [i for i in np.argsort(v) if p[i] > 0]
    v, p = v[order].astype(np.int64), p[order] / math.fsum(p)
    return n, v, p, math.fsum([*p, -1.0])
