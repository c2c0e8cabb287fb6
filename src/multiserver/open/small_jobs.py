"""Small jobs between two large ones, in the system of server needs 1 and n.

Time is counted in mean durations of a small job. Until the next large job arrives, small ones
arrive at rate λp and n servers serve them at rate 1 each: a birth–death chain of m jobs, stopped at
rate λq. Those that are left then *drain*. Let D(m) be the time that m small jobs take if none
arrives,

    E[exp(−s D(m))] = Π_{i≤m} i/(i + s)  for m ≤ n,  and a factor r = n/(n + s) more for each above.

Only Δ_m(s) = (1 − E[exp(−s D(m))])/s and Z_m(s) = Σ_j y^j Δ_{m+j}(s) are needed, where s = λ(1 − z)
and y = p/z: in this form nothing cancels as s → 0. With w = exp(−t), for m ≤ n,

    Δ_m = ∫ exp(−st) (1 − (1 − w)^m) dt,    Z_m = I_m − y^{n−m} (I_n − Z_n),
    I_m = ∫ exp(−st) ((1 − (1 − w)^m) + y w/(1 − y))/(1 − y (1 − w)) dt,
    Z_n = (Δ_n + y/((n + s)(1 − y)))/(1 − y r),

with integrals over t > 0 of functions that are analytic in a strip, whatever m and n. These are
smooth in m, so that a few m are enough, with weights that replace sums over all m
(`InterpolationNodes`).

Let h be the probability that the chain falls from m ≥ n jobs to m − 1 before it is stopped:
λp h² − (λ + n) h + n = 0. Elimination upwards from m = 0 has pivots λp + k_m with
k_0 = λq and k_m = λq + m k_{m−1}/(k_{m−1} + λp): there is no subtraction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgttrs

from multiserver.fronts.interpolated import cut
from multiserver.saturated.quadrature import WEIGHTS, panels

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

# Contributions below e^−TAIL are left out.
TAIL = 40.0
# Frequencies up to FAST use quadrature on panels of length PANEL. Beyond, Δ_m is 1/s to all digits
# for m > MAX_ONE_BY_ONE, as |E[exp(−s D(m))]| < e^−36, and is found one by one up to it.
FAST, PANEL, MAX_ONE_BY_ONE = 25.0, 0.5, 256


class InterpolationNodes:
    """The m among 0 … n − 1 between which functions of m are interpolated: `numbers` (M,)."""

    def __init__(self, n: int) -> None:
        found = cut(0, n - 1)
        self.numbers = np.unique(np.concatenate(found))
        single = np.array([nodes[0] for nodes in found if len(nodes) == 1])
        self._single = single, np.searchsorted(self.numbers, single)
        # The last node of a panel is the first of the next, or single.
        self._panels = [
            (nodes[0], nodes[-1], np.searchsorted(self.numbers, nodes), _shares(nodes))
            for nodes in found
            if len(nodes) > 1
        ]

    def weights(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights (…, M) that give the same sum with any smooth f(m) as `values` (…, n)."""
        found = np.zeros((*values.shape[:-1], len(self.numbers)))
        numbers, rows = self._single
        found[..., rows] = values[..., numbers]
        for first, last, rows, shares in self._panels:
            found[..., rows] += values[..., first:last] @ shares
        return found


def _shares(nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Lagrange's polynomials of the nodes at all integers from the first node to the last less
    1."""
    gaps = (nodes[:, None] - nodes) / ((nodes[-1] - nodes[0]) / 4)
    weights = 1 / (gaps + np.eye(len(nodes))).prod(axis=1)
    distance = np.arange(nodes[0], nodes[-1])[:, None] - nodes
    kept = (distance == 0).any(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        shares = np.where(kept, distance == 0, weights / distance)
    return shares / shares.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Drains:
    """Δ `left` (S, M) at the nodes and `left_n` (S,) at n, Z `summed` (S, M) and `summed_n` (S,),
    at S values of s."""

    left: Complex
    left_n: Complex
    summed: Complex
    summed_n: Complex


def drains(nodes: InterpolationNodes, n: int, s: Complex, y: Complex, off: Complex) -> Drains:
    """The drains at imaginary s, where y = p/z and `off` is 1 − y, with all its digits.

    The absolute error of Δ is about 1e-15 of the larger of 1 and Δ_n; that of Z is this divided by
    1 − y r.
    """
    m, slow = nodes.numbers, abs(s) <= FAST
    left, within = np.empty((2, len(s), len(m)), dtype=complex)
    left_n, within_n = np.empty((2, len(s)), dtype=complex)
    left[slow], left_n[slow], within[slow], within_n[slow] = _by_quadrature(
        np.append(m, n), s[slow], y[slow], off[slow]
    )
    fast = ~slow
    left[fast], left_n[fast], few = _one_by_one(m, n, s[fast])
    # Neither 1 − y r nor powers of y are formed: near 1, y has lost the digits of 1 − y.
    summed_n = (left_n + y / ((n + s) * off)) / (off + y * s / (n + s))
    log_y = np.log(y)
    near = abs(y) > 0.5
    log_y[near] = np.log1p(-off[near])
    power = np.exp(np.outer(log_y, n - m))
    above = power * summed_n[:, None]
    summed = np.empty_like(left)
    summed[slow] = within[slow] - power[slow] * within_n[slow, None] + above[slow]
    summed[fast] = (1 - power[fast]) / (s * off)[fast, None] + above[fast]
    most, y = len(few) - 1, y[fast]
    rest = np.exp(log_y[fast] * (n - most))
    total = (1 - rest) / (s * off)[fast] + rest * summed_n[fast]
    row = np.flatnonzero(fast)
    column = np.searchsorted(m, most) - 1
    for k in range(most - 1, -1, -1):
        total = few[k] + y * total
        if m[column] == k:
            summed[row, column] = total
            column -= 1
    return Drains(left, left_n, summed, summed_n)


def _by_quadrature(
    m: NDArray[np.int64], s: Complex, y: Complex, off: Complex
) -> tuple[Complex, Complex, Complex, Complex]:
    """Δ and I at all m but the last, and at the last."""
    length = math.log(m[-1]) + TAIL
    nodes, half = panels(length, math.ceil(length / PANEL))
    t, weight = nodes.ravel(), np.tile(half * WEIGHTS, len(nodes))
    w = np.exp(-t)
    busy = -np.expm1(np.outer(np.log1p(-w), m))
    wave = np.exp(-np.outer(s, t)) * weight
    left = wave @ busy
    wave /= off[:, None] + y[:, None] * w
    within = wave @ busy + (y / off * (wave @ w))[:, None]
    return left[:, :-1], left[:, -1], within[:, :-1], within[:, -1]


def _one_by_one(m: NDArray[np.int64], n: int, s: Complex) -> tuple[Complex, Complex, list[Complex]]:
    """Δ at all m and at n, and at 0 … min(n, MAX_ONE_BY_ONE) one by one."""
    few = [np.zeros_like(s)]
    for k in range(1, min(n, MAX_ONE_BY_ONE) + 1):
        few.append((few[-1] * k + 1) / (k + s))
    left = np.repeat((1 / s)[:, None], len(m), axis=1)
    small = m < len(few)
    left[:, small] = np.array(few)[m[small]].T
    return left, few[-1] if n < len(few) else 1 / s, few


@dataclass(frozen=True, eq=False)
class StoppedChain:
    """The chain of small jobs: arrivals `flow` λp, `stop` λq, `servers` n ≥ 2."""

    servers: int
    flow: float
    stop: float

    @cached_property
    def falls_short(self) -> float:
        """1 − h."""
        ahead = self.servers + self.stop - self.flow
        return 2 * self.stop / (ahead + math.sqrt(ahead**2 + 4 * self.flow * self.stop))

    @cached_property
    def _pivots(self) -> Vector:
        flow, stop = self.flow, self.stop
        leaving = accumulate(
            range(1, self.servers), lambda k, m: stop + m * (k / (k + flow)), initial=stop
        )
        pivots = np.array(list(leaving))
        # Of the jumps upwards from n − 1 a share h comes back.
        pivots[:-1] += flow
        pivots[-1] += flow * self.falls_short
        return pivots

    def times(self, entering: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean times (k, n) with m = 0 … n − 1 jobs, for k rows of the masses that enter there from
        outside or for the first time from above."""
        n, pivots = self.servers, self._pivots
        if n == 2:
            total = entering[:, 1] + entering[:, 0] * (self.flow / pivots[0])
            upper = total / pivots[1]
            return np.stack([(entering[:, 0] + upper) / pivots[0], upper], axis=1)
        found, info = dgttrs(
            -self.flow / pivots[:-1],
            pivots,
            -np.arange(1.0, n),
            np.zeros(n - 2),
            np.arange(1, n + 1, dtype=np.int32),
            np.asfortranarray(entering.T),
        )
        assert info == 0
        return found.T
