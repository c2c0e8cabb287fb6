"""The equation for the age of a large job when it completes, needs 1 and n: see `one_or_n`.

This module evaluates (1) there for each function b_l of the basis. Let τ_m be the mean time that
the stopped chain of small jobs spends at m < n if it starts from ξ, with h, S(x) and A as there.
Then

    Σ_m ξ_m E_m[Δ_K] = λq Σ_{m<n} τ_m Δ_m + λp τ_{n−1} Ω_0 + Σ_j ξ_{n+j} Ω_j,

where Ω_j is the part of E[Δ_K], from n + j jobs, of chains that are stopped before they fall below
n. With Ω_{−1} = 0 these solve λ Ω_j + n (Ω_j − Ω_{j−1}) = λp Ω_{j+1} + λq Δ_{n+j}, so that

    Ω_j = c r^j + (1 − r^j)/s + d h^{j+1},
    c = (λq Δ_n − 1 + λp/(n + s))/f,  d = 1/n − c/r = (λq (1/n − Δ_n/r) + 1 − λp/(n + s))/f,
    f = λ − s − λp r,

and the same with Z:

    Σ_j ξ_{n+j} Z_{n+j} = (Δ_n S(r) + C + y S(1)/((n + s)(1 − y)))/(1 − y r),
    C = (S(1) − S(r))/s = (I − r A)⁻¹ A S(1)/(n + s).

Waits are sums of positive terms. With A exponential of rate λq, ξ_m in the basis, and τ_m from n on
by elimination downwards (`numbers_of_jobs`), for any weights f,

    E[f(K)] = λq Σ_m f(m) (T⁻¹ ξ_m + τ_m),    E[max(U − A, 0)] = λq T⁻² (λq + T)⁻¹ b(0),

the two terms of the first being those of A ≤ U and of A > U. f(m) = 1 + … + 1/min(m, n − 1) gives
H. With f(m) = m − n + 1 from n on, Σ_j (j + 1) ξ_{n+j} = (I − A)⁻² ξ_n, with
the matrix A of S(x).

Differences of nearly equal numbers, near s = 0 and far from it, are written out in closed form:
1 − y, 1 − y r, f, d, and (ĝ(s) − ĝ(λq))/(λq − s) = (λq + T)⁻¹ b̂(s) in the basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from multiserver.open.exponential_sums import ExponentialSums
from multiserver.open.small_jobs import InterpolationNodes, StoppedChain, drains

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

OVERSAMPLING = 1.5
# Functions of the basis whose n values are held in memory at a time.
BLOCK = 16


class ScaledSystem(NamedTuple):
    """n ≥ 2 servers, p and q, λ; α (k,), T (k, k) and the exit rates −T 1 of S. The unit of time is
    the mean duration of a small job."""

    n: int
    p: float
    q: float
    rate: float
    alpha: Vector
    phases: Matrix
    exits: Vector

    def large(self, s: NDArray) -> tuple[NDArray, NDArray]:
        """B (len(s),) and (1 − B)/s."""
        size = len(self.alpha)
        ends = np.stack([self.exits, np.ones(size)], axis=1).astype(s.dtype)
        matrix = s[:, None, None] * np.eye(size) - self.phases
        found = self.alpha @ np.linalg.solve(matrix, np.broadcast_to(ends, (len(s), size, 2)))
        return found[:, 0], found[:, 1]


class Solution(NamedTuple):
    """The coefficients (N,) of g in a basis, the residual of (1), H, and the mean time that a job
    is undrawn."""

    basis: ExponentialSums
    coefficients: Vector
    residual: float
    blocking: float
    undrawn: float


def solve_for_age(system: ScaledSystem, basis: ExponentialSums, lowest: float) -> Solution:
    """The distribution of the age in a basis, fitted at frequencies from about `lowest` on."""
    n, p, q, rate = system.n, system.p, system.q, system.rate
    flow, stop = rate * p, rate * q
    nodes, chain = InterpolationNodes(n), StoppedChain(n, flow, stop)
    h = 1 - chain.falls_short
    T = basis.generator
    edge = np.zeros(len(T))
    integrals, times, last = [], [], []
    for part, rows in _blocks(basis.poisson_integrals(rate, p, n + 1)):
        edge[part] = rows[:, n]
        rows = rows[:, :n]
        integrals.append(nodes.weights(rows))
        # T is lower triangular: entries of `edge` that are not filled yet have no part in this.
        rows[:, n - 1] += h * _series(T, rate, stop + chain.falls_short * flow, edge)[part]
        rows = chain.times(rows)
        times.append(nodes.weights(rows))
        last.append(rows[:, n - 1])
    integrals, times, last = map(np.concatenate, (integrals, times, last))
    back = _series(T, rate, stop + chain.falls_short * flow, edge)
    all_above = _series(T, rate, stop, edge)

    omega, weight = basis.frequencies(int(OVERSAMPLING * len(last)), lowest)
    s = 1j * omega
    z = 1 - s / rate
    y, off, at_n = p / z, (stop - s) / (rate - s), 1 / (n + s)
    small = drains(nodes, n, s, y, off)
    large, left_large = system.large(s)
    shifts = stop + flow * s * at_n
    over_r = np.array([_series(T, rate, shift, edge) for shift in shifts])
    # (S(1) − S(r))/s
    climb = np.array([_solve(T, shift, flow * all_above) for shift in shifts]) * at_n[:, None]
    below = stop - s + flow * s * at_n
    c = (stop * small.left_n - (n - flow + s) * at_n) / below
    d = (stop * (1 - small.left_n * (n + s)) / n + 1 - flow * at_n) / below
    stopped = stop * small.left @ times.T
    stopped += np.outer(flow * (c + d * h), last)
    stopped += c[:, None] * over_r + climb + np.outer(d * h, back)
    summed = small.left_n[:, None] * over_r + climb + np.outer(y * at_n / off, all_above)
    summed = small.summed @ integrals.T + summed / (off + y * s * at_n)[:, None]
    held = basis.transforms(s)
    before = np.linalg.solve(T + stop * np.eye(len(T)), held.T).T
    delay = (q / z)[:, None] * (small.summed[:, :1] * held - summed) + stopped - before
    equations = left_large[:, None] * held + large[:, None] * delay
    # Each decade of rates has the same weight: slow terms may be small beside fast ones.
    scale = abs(left_large) + abs(large) * (abs(q / z * small.summed[:, 0]) + 1 / abs(stop - s))
    equations *= (np.sqrt(weight / (omega + lowest)) / scale)[:, None]
    columns = np.sqrt(basis.rates)
    equations *= columns

    _, size, vectors = np.linalg.svd(np.vstack([equations.real, equations.imag]))
    coefficients = columns * vectors[-1]
    coefficients /= coefficients @ basis.moments(0)

    def mean(vector: Vector) -> float:
        return float(coefficients @ vector)

    # Σ_j τ_{n+j} and Σ_j (j + 1) τ_{n+j}, from the first entries into n + j.
    gap = (n + stop - flow) + flow * chain.falls_short
    entries = _series(T, rate, stop, back)
    above = (flow * last + entries) / gap
    above_weighted = (flow * (last + above) + _series(T, rate, stop, entries)) / gap
    excess = mean(stop * _solve(T, 0.0, _series(T, rate, stop, all_above)) + stop * above_weighted)
    everything = _solve(T, stop, basis.start)
    overlap = mean(stop * _solve(T, 0.0, _solve(T, 0.0, everything)))

    f = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, n))])
    of_nodes = f[nodes.numbers]
    during = integrals @ of_nodes + f[-1] * all_above
    blocking = stop * (_solve(T, 0.0, during) + times @ of_nodes + f[-1] * above)
    return Solution(basis, coefficients, float(size[-1]), mean(blocking), overlap + excess / n)


def _series(T: Matrix, rate: float, shift: complex, edge: Vector) -> NDArray:
    """S(x) (N,) where λ − x λp is `shift`: (I − x A)⁻¹ = (λ + T) (shift + T)⁻¹."""
    found = _solve(T, shift, edge)
    return edge + (rate - shift) * found


def _solve(T: Matrix, shift: complex, vector: Vector) -> NDArray:
    """(shift + T)⁻¹ times a vector (N,)."""
    kind = np.result_type(type(shift), vector)
    matrix = T + shift * np.eye(len(T))
    return solve_triangular(matrix, vector.astype(kind), lower=True, check_finite=False)


def _blocks(rows: Iterable[Vector]) -> Iterator[tuple[slice, Matrix]]:
    """Rows in blocks, each with the slice of its row numbers."""
    first, held = 0, []
    for row in rows:
        held.append(row)
        if len(held) == BLOCK:
            yield slice(first, first + BLOCK), np.array(held)
            first, held = first + BLOCK, []
    if held:
        yield slice(first, first + len(held)), np.array(held)
