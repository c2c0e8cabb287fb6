"""Throughput and relative completions of the saturated system with server needs 1 and n.

n servers, FCFS; a job needs one server (probability p_1, rate μ_1) or all n (p_n = 1 − p_1, μ_n).
State i < n of the saturated system has i one-server jobs in service and an n-server job blocked
behind them (in service itself if i = 0); state n has n one-server jobs. The mean time to the next
completion is τ_i: τ_0 = 1/μ_n, τ_i = 1/(i μ_1). Write r = μ_1/μ_n, ν = μ/μ_1 for the throughput μ,
and G for the number of one-server jobs between two n-server jobs: P(G = i) = p_n p_1^i.

`multilevel-scaling` (Grosof & Ayhan, "Multiserver-job Response Time under Multilevel Scaling")
embeds the chain at completions: there the state is B = min(G, n) (Lemma 5.4) and 1/μ = E[τ_B]
(Lemma 5.3). The *relative completions* Δ(y) are the limit of E[C_y(t)] − μ t, the completions by
time t from state y in excess of the average, shifted to mean 0 in time; E[Δ(Y_d)] is their mean
under the distribution of B, and E[Q] (1 − λ/λ*) → E[Δ(Y_d)] + 1 as λ → λ* (its equation (2)).
Lemma 5.5:

    E[Δ(Y_d)] = p_1^n (1 − ν/n) (n − 1 + 1/p_n − ν H_{n−1} − ν/(n p_n))
                + Σ_{0<i<n} p_n p_1^i (1 − ν/i) (i − ν H_i).

Its terms are as large as 1/p_n, its value as small as p_n. So subtract the pace of state n from
them: with δ_i = 1/i − 1/n and J_i = δ_1 + … + δ_i for i < n, δ_i = 0 and J_i = J_{n−1} from n on,
and x = 1 − ν/n, the lemma reads E[(x − ν δ_G)(x G − ν J_G)]. Define, with sums over 1 ≤ i < n,

    K = Σ p_1^i δ_i = E[J_G],    F = Σ p_1^i (1 − i/n),    Q = Σ p_1^i δ_i J_i.

Lemma 5.3 becomes 1/ν = p_1/n + p_n (r + K), hence x = p_n ν c with c = r − 1/n + K, and, from
E[G] = p_1/p_n, E[G δ_G] = p_n F and E[δ_G J_G] = p_n Q,

    E[Δ(Y_d)] = p_n ν² (Q + c (r − 1/n − p_n (c + F))),    E[N_idle] = n p_n ν K.           (A)

Subtractions are harmless in (A) if p_n < 1/2: the value is at least Q/10. To get the sums without
adding n terms, let φ(z) = Σ_{i<n} (1 − i/n) (1 − z)^{i−1} = (1 − (1 − (1 − z)^n)/(n z))/z. Since
p^i/i = p ∫ (p t)^{i−1} dt and H_i/i = ∫ t^{i−1} ln(1/(1 − t)) dt over (0, 1), with 1 − t = e^{−y}

    K = p_1 ∫_0^∞ e^{−y} φ(p_n + p_1 e^{−y}) dy,
    Q = p_1 ∫_0^∞ y e^{−y} φ(p_n + p_1 e^{−y}) dy − F/n,    F = p_1 φ(p_n):

positive integrands, analytic in a strip of half-width π/2, for all n and p_n.

If p_n ≥ 1/2, (A) may cancel (the whole order p_1 does, if μ_1 = μ_n), but sixty states hold all the
mass. With a_i = 1 − μ τ_i, E[a_B] = 0, and m_k = E[a_B | B ≥ k], summing Lemma 5.5 by parts leaves
squares,

    E[Δ(Y_d)] = (E[a_B²] + Σ_{k≥1} p_1^k m_k²)/2,    m_k = m_n = a_n for k > n.             (B)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import SUM_TOLERANCE
from multiserver.saturated.quadrature import WEIGHTS, panels

# Contributions below e^-TAIL of the whole are left out.
TAIL = 42.0
PANEL = 2.0
# Beyond these, n is not exact as a float, and ν² or 1/ν² may overflow.
LARGEST_EXACT, RATIO_LIMIT = 2**53, 1e100


@dataclass(frozen=True, slots=True)
class OneOrNMeans:
    """Stationary means of the saturated system with server needs 1 and n.

    `throughput` μ in jobs per unit of time, `relative_completions` E[Δ(Y_d)] in jobs, `wastage`
    E[N_idle] in servers, `utilisation` 1 − E[N_idle]/n.
    """

    throughput: float
    relative_completions: float
    wastage: float
    utilisation: float


def one_or_n(
    servers: int,
    probability_n: float,
    rate_1: float = 1.0,
    rate_n: float = 1.0,
    *,
    probability_1: float | None = None,
) -> OneOrNMeans:
    """The saturated system of n = `servers` servers, in a time that hardly depends on n.

    `probability_n` is p_n in [0, 1], the probability that a job needs all servers; `rate_1` and
    `rate_n` are μ_1 and μ_n, per unit of time. p_n may be far below the spacing of floats around 1;
    p_n = 0 is the limit of one-server jobs alone. Where p_1 is that small, `probability_1` gives it
    with digits that 1 − p_n has lost.

    Relative error of every field below 1e-13, measured for n up to 1e12, p_n down to 1e-24 and up
    to 1, μ_1/μ_n from 1e-6 to 1e6 (`multilevel-scaling`, Lemmas 5.3 and 5.5). Raises ValueError if
    n is not an integer in 1 … 2^53, p_n not a probability, p_1 not 1 − p_n, a rate not positive and
    finite, or the rates more than a factor 1e100 apart.
    """
    n, p_n, mu_1, mu_n = _checked(servers, probability_n, rate_1, rate_n)
    p_1 = 1 - p_n if probability_1 is None else _checked_complement(probability_1, p_n)
    r, gap = mu_1 / mu_n, (mu_n - mu_1) / mu_n
    K, scaled = _by_squares(n, p_1, gap) if p_n >= 0.5 else _by_quadrature(n, p_n, gap)
    nu = 1 / (p_1 / n + p_n * (r + K))
    return OneOrNMeans(
        throughput=nu * mu_1,
        relative_completions=nu * nu * scaled,
        wastage=n * p_n * nu * K,
        utilisation=nu * (p_1 / n + p_n * r),
    )


def _by_quadrature(n: float, p_n: float, gap: float) -> tuple[float, float]:
    """K and E[Δ(Y_d)]/ν² by (A)."""
    p_1 = 1 - p_n
    # Once e^-y is below p_n or 1/n, φ is constant and the integrands fall as e^-y.
    length = math.log(n if n * p_n < 1 else 1 / p_n) + TAIL
    nodes, half = panels(length, math.ceil(length / PANEL))
    y, weight = nodes.ravel(), np.tile(half * WEIGHTS, len(nodes))
    v = np.exp(-y)
    mass = weight * v * _phi(n, p_n + p_1 * v)
    F = p_1 * float(_phi(n, np.array([p_n]))[0])
    K = p_1 * float(mass.sum())
    Q = p_1 * float(y @ mass) - F / n
    s = (1 - 1 / n) - gap  # r − 1/n, exact for n = 1, where nothing else is left.
    c = s + K
    return K, p_n * (Q + c * (s - p_n * (c + F)))


def _by_squares(n: float, p_1: float, gap: float) -> tuple[float, float]:
    """K and E[Δ(Y_d)]/ν² by (B), for p_n ≥ 1/2.

    In units of 1/μ_1, a_i/ν is E[τ_B] − τ_i. Measured from state 1, which is as fast as state 0
    if gap = 1 − r = 0, it is e_0 = p_1 (gap − g_1), e_i = 1 − 1/i − p_n gap − p_1 g_1, and m_k/ν
    is f_k = e_1 + g_k, where g_k = E[1 − 1/B | B ≥ k] is p_n (1 − 1/k) + p_1 g_{k+1}.
    """
    p_n = 1 - p_1
    # Squares are of order p_1² when gap = 0: keep two states more than the mass needs.
    last = int(min(n, 2 + math.ceil(TAIL / -math.log(p_1)))) if p_1 > 0 else 1
    i = np.arange(1.0, last + 1)
    power = p_1**i
    lag = 1 - 1 / i
    g = np.array(list(accumulate(lag[::-1], lambda tail, u: p_n * u + p_1 * tail))[::-1])
    e_0, e_1 = p_1 * (gap - g[0]), -(p_n * gap + p_1 * g[0])
    e, f = e_1 + lag, e_1 + g
    squares = p_n * e_0**2 + float(power[:-1] @ (p_n * e[:-1] ** 2 + f[:-1] ** 2))
    squares += float(power[-1] * e[-1] ** 2) * (1 + 1 / p_n)
    return float(power @ (1 / i - 1 / n)), squares / 2


def _phi(n: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """φ(z) = Σ_{i<n} (1 − i/n) (1 − z)^{i−1} for 0 ≤ z < 1."""
    phi = np.empty_like(z)
    near = (n * z < 0.5) | (n == 1)
    far_z = z[~near]
    phi[~near] = (1 + np.expm1(n * np.log1p(-far_z)) / (n * far_z)) / far_z
    # The closed form cancels as n z → 0, and for n = 1, where φ = 0, it leaves rounding. There, the
    # binomial series is summed instead.
    near_z = z[near]
    series = np.ones_like(near_z)
    for j in range(15, 2, -1):
        series = 1 - (n - j + 1) * near_z / j * series
    phi[near] = (n - 1) / 2 * series
    return phi


def _checked(
    servers: int, probability_n: float, rate_1: float, rate_n: float
) -> tuple[float, float, float, float]:
    if (
        isinstance(servers, bool)
        or not isinstance(servers, Integral)
        or not 1 <= servers <= LARGEST_EXACT
    ):
        raise ValueError(f"servers must be an integer in 1 … 2^53, found {servers!r}")
    if not isinstance(probability_n, Real) or not 0 <= probability_n <= 1:
        raise ValueError(f"probability_n must lie in [0, 1], found {probability_n!r}")
    for name, rate in (("rate_1", rate_1), ("rate_n", rate_n)):
        if not isinstance(rate, Real) or not 0 < rate < math.inf:
            raise ValueError(f"{name} must be a positive finite number, found {rate!r}")
    mu_1, mu_n = float(rate_1), float(rate_n)
    if not 1 / RATIO_LIMIT <= mu_1 / mu_n <= RATIO_LIMIT:
        raise ValueError(f"rate_1/rate_n must lie in [1e-100, 1e100], found {mu_1!r}/{mu_n!r}")
    return float(servers), float(probability_n), mu_1, mu_n


def _checked_complement(probability_1: float, p_n: float) -> float:
    p_1 = float(probability_1)
    if not (p_1 >= 0 and abs(p_1 + p_n - 1) <= SUM_TOLERANCE):
        raise ValueError(f"probability_1 must be 1 − {p_n!r}, found {probability_1!r}")
    return p_1
