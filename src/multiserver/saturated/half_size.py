"""Throughput and relative completions of the saturated system with server needs 1, n/2 and n.

n = 2h servers, FCFS; a job needs 1, h or n of them with probability p_1, p_h, p_n and completes at
rate μ_1, μ_h, μ_n: systems for which `multilevel-scaling` (Sections 10.3, 10.4) knows no E[Δ(Y_d)].
Four layers hold the saturated states; a is the number of one-server jobs in service:

    L_a  no other job in service, an n-server job blocked, 0 < a < n;      L_0 = N: it is in service
    U_a  no other job in service, an h-server job blocked, h < a < n;      U_h = S: it is in service
    H_a  beside one h-server job, an h-server job blocked, 0 < a < h;      H_0 = T: it is in service
    M_a  beside one h-server job, an n-server job blocked, 0 ≤ a < h;      U_n = F: no job blocked

The next job is drawn in no time: in D_a beside one h-server job (a < h; D_h = S), in E_a beside
none (a < n; E_n = F). Let r be the completion rate of a state, X the throughput, w = 1 − X/r, and
f_a = a μ_1/(a μ_1 + μ_h), f'_a = 1 − f_a. Relative completions, by the name of their state, solve

    L_a = w + L_{a−1},   M_a = w + f_a M_{a−1} + f'_a L_a,   D_a = p_1 D_{a+1} + p_h H_a + p_n M_a,
    U_a = w + U_{a−1},   H_a = w + f_a H_{a−1} + f'_a D_a,   E_a = p_1 E_{a+1} + p_h B_a + p_n L_a,
    N = w + E_0,   S = w + f_h D_{h−1} + f'_h E_h,   F = w + E_{n−1},   T = w + D_0,            (1)

with B_a = D_a for a < h and U_a from h on. L and U are sums, M_a = L_a + 1 − (X/μ_h) f_1 … f_a (its
w is f'_a more than f_a times that of L_a), E is a first-order recurrence. So are H and D, if levels
are eliminated upwards: let e_a be the probability of getting from H_a to D_a before any visit to T
or M (e_0 = 0), g_a that of getting from D_a to D_{a+1}. Then, with x_0 = T,

    H_a = e_a D_a + x_a,            x_a = w + (f_a/s_{a−1}) (x_{a−1} + e_{a−1} p_n M_{a−1}),
    D_a = g_a D_{a+1} + (p_h x_a + p_n M_a)/s_a,      s_a = 1 − p_h e_a,     g_a = p_1/s_a,      (2)
    e_a = f'_a + f_a g_{a−1} e_{a−1},       (1 − e_a) s_{a−1} = f_a (p_n + (1 − p_n)(1 − e_{a−1})).

Flows, the visits to a state per unit of time, obey the transposed recurrences: with i_a the flow
into D_a from outside D and H, and ι_a what of it comes to D_a from there or, by D, from below,

    ι_a = i_a + g_{a−1} ι_{a−1},                    D_a: (ι_a + e_a f_{a+1} H_{a+1})/s_a,
    H_a: p_h ι_a/s_a + (f_{a+1}/s_a) H_{a+1},       M_a: p_n D_a + f_{a+1} M_{a+1},              (3)

where names stand for flows, H_h = M_h = 0; E is geometric, L and U sum what enters above. Each of
the *corners* N, S, F, T starts such flows anew: four equations between them close (3), four (1).

Let z be the flow through a state, Σ z = 1 over the four layers, so that 1/X = Σ z/r. Between a
state y and the next, Y, Δ(y) − w = E[Δ(Y) | y]; square, and take means over z, the law of both y
and Y: 2 E[w Δ] = E[w²] + E[Var(Δ(Y) | y)]. In time Δ has mean 0, E[Δ/r] = 0, and E[w Δ] is E[Δ]:

    E[Δ(Y_d)] = (Σ z w² + Σ z Var)/2,                                                            (4)

Var being that of who completes (in H, M, S) and of the draw (in D, E). No flow or probability is a
difference, and w, as X Σ_y z_y (1/r_y − 1/r), is small in a corner that takes up nearly all time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtbtrs
from scipy.signal import lfilter

Array = NDArray[np.float64]
Triple = tuple[float, float, float]
RATIO_LIMIT, SUM_TOLERANCE = 1e15, 1e-9


@dataclass(frozen=True, slots=True)
class HalfSizeMeans:
    """Stationary means: `throughput` X in jobs per unit of time, `wastage` E[N_idle] in servers,
    `utilisation` 1 − E[N_idle]/n, `relative_completions` E[Δ(Y_d)] in jobs."""

    throughput: float
    wastage: float
    utilisation: float
    relative_completions: float


def half_size(servers: int, probabilities: Triple, rates: Triple = (1.0,) * 3) -> HalfSizeMeans:
    """The saturated system of n = `servers` servers, in O(n) time and memory.

    `probabilities` are (p_1, p_h, p_n), any of them possibly 0, and `rates` (μ_1, μ_h, μ_n) per
    unit of time. p_1 is taken as 1 − p_h − p_n: p_h and p_n may be far below the spacing of floats
    around 1. Needs 1 and h are the same for n = 2, their rates need not be. Relative error of every
    field below 1e-12 for n up to 1e5, 1e-11 for n up to 1e6 (measured with p_h, p_n down to 1e-24,
    rates a factor 1e4 apart). Raises ValueError if n is not even and positive, the probabilities no
    law of three classes, or the rates not three, positive and within a factor 1e15.
    """
    layers = _Layers(*_checked(servers, probabilities, rates))
    flows = z, *_ = layers.flows()
    sojourn = z / layers.rate
    nu = 1 / float(sojourn.sum())
    return HalfSizeMeans(
        throughput=nu * float(rates[0]),
        wastage=nu * float(sojourn @ layers.idle),
        utilisation=nu * float(sojourn @ (servers - layers.idle)) / servers,
        relative_completions=layers.squares(flows, nu) / 2,
    )


class _Layers:
    """The equations in units of 1/μ_1. A vector over states holds L, U, H and M in turn."""

    def __init__(self, n: int, p: Triple, mu: Triple) -> None:
        self.h, self.p = h, (p_1, p_h, p_n) = n // 2, p
        self.theta = theta = mu[1] / mu[0]
        pull = theta * p_1
        self.k = k = int(pull / (p_h + p_n)) if pull < (h - 1) * (p_h + p_n) else h - 1
        self.ends, self.corners = [n, n + h + 1, 2 * n + 1], [0, n, n + h, n + h + 1 + k]
        a = np.arange(n + 1.0)
        self.rate = np.concatenate([a[:n], a[h:], a[:h] + theta, a[:h] + theta])
        self.idle = np.concatenate([n - a[:n], n - a[h:], h - a[:h], h - a[:h]])
        self.rate[[0, n, n + h + 1]] = mu[2] / mu[0], h + theta, 2 * theta
        self.idle[[0, n, n + h + 1]] = 0.0
        # Near 1, p_1 has not all digits of its logarithm.
        self.powers = p_1**a if p_1 < 0.5 else np.exp(a * math.log1p(-p_h - p_n))
        self.f, self.f_ = a[: h + 1] / (a[: h + 1] + theta), theta / (a[: h + 1] + theta)

        f, f_ = self.f[:h], self.f_[:h]
        F, G, lost_X = self._fold(f, p_1), self._fold(f_, p_h), self._fold(0.0, p_n)
        P, Q, lost_Y = self._fold(p_1, f), self._fold(p_h, f_), self._fold(p_n, 0.0)
        lost_X[k : k + 1] += F[k : k + 1]
        F[k : k + 1] = 0.0
        A, B = F[1:] * (P + Q)[:-1] + lost_X[1:] * Q[:-1], F[1:] * lost_Y[:-1] + lost_X[1:] * (P + lost_Y)[:-1]
        y = np.array(list(accumulate(zip(A, B, Q[:-1], (P + lost_Y)[:-1]), lambda y, m: (m[0]*y+m[1])/(m[2]*y+m[3]), initial=lost_X[0] if h > 1 else 0.0)))[:h-1]
        self.e, self.Q, self.F = 1 - y, Q, F
        self.s = P + lost_Y + Q * y
        P[k - 1 : k] = 0.0
        self.by_g, self.by_x, self.by_f = map(_band, ((P / self.s)[:-1], F[1:] / self.s[:-1], f[1:]))
        self.e = _solve(_band(F[1:] * (P / self.s)[:-1]), G)

    def _fold(self, below, above):
        below, above = (np.broadcast_to(x, self.h) for x in (below, above))
        return np.append(below[: self.k], above[: self.k : -1])

    def _unfold(self, X, middle, Y):
        return np.concatenate([X[: self.k], [middle], Y[self.k :][::-1]])

    def flows(self) -> tuple[Array, Array, Array]:
        """z, and the flows through D and E; the probabilities of the next corner as well."""
        h, (p_1, p_h, p_n) = self.h, self.p
        jumps = [self._flows_from(visits)[-1] for visits in np.eye(5)]
        self.jumps = np.array(jumps)
        cycle, last = _eliminate(self.jumps, np.eye(5))
        D, E, H, _ = self._flows_from(cycle[last])
        M = _solve(self.by_f, p_n * D, "T")
        L, U = p_n * E, np.append(p_h * E[h:], p_1 * E[-1])
        L[:h] += self.f_[:h] * M
        U[0] += p_1 * D[-1]
        U[:-1] = _sums(U[-2::-1])[::-1]
        z = np.concatenate([_sums(L[::-1])[::-1], U, H, M])
        total = z.sum()
        return z / total, D / total, E / total

    def _flows_from(self, visits: Array) -> tuple[Array, Array, Array]:
        """Flows through D, E and H between `visits` to the corners and the next ones."""
        h, k, (p_1, p_h, p_n), (N, S, F, H_k, D_k) = self.h, self.k, self.p, visits
        E = N * self.powers[:-1]
        E[h:] += S * self.f_[h] * self.powers[:h]
        E[-1] += F
        into_D, into_H = p_h * E[:h], np.zeros(h)
        into_D[-1] += S * self.f[h]
        into_D[k + 1 : k + 2] += p_1 * D_k
        into_H[k - 1 : k] = self.f[k] * H_k
        X, Y = self._fold(into_H, into_D), self._fold(into_D, into_H)
        Y = _solve(self.by_g, Y + self.e * X)
        X = _solve(self.by_x, X + self.Q * Y / self.s, "T")
        Y[:-1] += self.e[:-1] * self.F[1:] * X[1:]
        Y /= self.s
        D, H = self._unfold(Y, D_k, X), self._unfold(X, H_k, Y)
        ahead = [
            p_n * (D.sum() + E.sum()),
            p_1 * D[-1] + p_h * E[h:].sum(),
            p_1 * E[-1],
            p_h * D_k + self.f[k + 1] * H[k + 1 : k + 2].sum(),
            into_D[k] + p_1 * D[:k][-1:].sum() + self.f_[k] * H_k,
        ]
        return D, E, H, ahead

    def squares(self, flows: tuple[Array, Array, Array], nu: float) -> float:
        """Σ z w² + Σ z Var, for a throughput of `nu` in units of μ_1."""
        (z, flow_D, flow_E), h, k, (p_1, p_h, p_n) = flows, self.h, self.k, self.p
        excess = (nu - self.rate) / (nu * self.rate)
        w = nu * (z @ excess - excess)
        L, U, H, M, D, E = self._relative(np.zeros(5), w, nu)
        ahead = (
            E[0],
            self.f[h] * D[-1] + self.f_[h] * E[h],
            E[-1],
            self.f[k] * (H[k - 1] if k else 0) + self.f_[k] * D[k],
            p_1 * (D[k + 1] if k + 1 < h else 0) + p_h * H[k] + p_n * M[k],
        )
        last = np.append(z[self.corners], flow_D[k]).argmax()
        corners, _ = _eliminate(self.jumps, np.append(w[self.corners], 0.0) + ahead, last)
        L, U, H, M, D, E = self._relative(corners, w, nu)
        next_D, next_E, B = np.append(D[1:], U[0]), np.append(E[1:], U[-1]), np.append(D, U[:-1])
        _, flow_U, flow_H, flow_M = np.split(z, self.ends)
        fork = self.f[1:] * self.f_[1:]
        total = z @ w**2 + fork[-1] * flow_U[0] * (D[-1] - E[h]) ** 2
        total += (fork[:-1] * flow_H[1:]) @ (H[:-1] - D[1:]) ** 2
        total += (fork[:-1] * flow_M[1:]) @ (M[:-1] - L[1:h]) ** 2
        total += flow_D @ (p_1 * (next_D - D) ** 2 + p_h * (H - D) ** 2 + p_n * (M - D) ** 2)
        total += flow_E @ (p_1 * (next_E - E) ** 2 + p_h * (B - E) ** 2 + p_n * (L - E) ** 2)
        return float(total)

    def _relative(self, corners: Array, w: Array, nu: float) -> tuple[Array, ...]:
        """L, U, H, M, D and E by (1) and (2), given N, S, F and T."""
        h, k, (p_1, p_h, p_n), (N, S, F, H_k, D_k) = self.h, self.k, self.p, corners
        w_L, w_U, w_H, _ = np.split(w, self.ends)
        L = _sums(np.append(N, w_L[1:]))
        U = np.append(_sums(np.append(S, w_U[1:-1])), F)
        M = L[:h] + 1 - nu / self.theta * np.cumprod(np.append(1.0, self.f[1:h]))
        D, H = p_n * M, w_H.copy()
        D[-1] += p_1 * S
        D[k - 1 : k] += p_1 * D_k
        H[k + 1 : k + 2] += self.f[k + 1] * H_k
        X, Y = self._fold(H, D), self._fold(D, H)
        X[1:] += (self.F[1:] / self.s[:-1]) * self.e[:-1] * Y[:-1]
        X = _solve(self.by_x, X)
        Y = _solve(self.by_g, (self.Q * X + Y) / self.s, "T")
        X += self.e * Y
        D, H = self._unfold(Y, D_k, X), self._unfold(X, H_k, Y)
        y = p_h * np.append(D, U[:-1]) + p_n * L
        y[-1] += p_1 * F
        E = _sums(y[::-1], self.powers)[::-1]
        return L, U, H, M, D, E


def _eliminate(jumps: Array, reward: Array, last: int | None = None) -> tuple[Array, int]:
    """Rewards from each corner up to the next visit to `last`, by default the hardest to leave."""
    P, R, left = jumps.copy(), reward.copy(), list(range(5))
    while len(left) > 1:
        np.fill_diagonal(P, 0.0)
        leave = {k: P[k, left].sum() for k in left if k != last}
        k = max(leave, key=leave.get)
        left.remove(k)
        P[k] *= np.isin(range(5), left) / leave[k]
        R[k] /= leave[k]
        R += np.multiply.outer(P[:, k], R[k])
        P += np.outer(P[:, k], P[k])
    return R, left[0]


def _band(c):
    return np.stack([np.ones(c.size + 1), -np.append(c, 0.0)], axis=1).T


def _solve(band: Array, right: Array, trans: str = "N") -> Array:
    """x_k = right_k + c_k x_{k−1}, `band` having 1 on and −c below its diagonal; or transposed."""
    if not right.size:
        return right
    return dtbtrs(band, right, uplo="L", trans=trans, diag="U")[0].reshape(right.shape)


def _sums(x: Array, powers: Array | None = None) -> Array:
    """Σ_{j≤k} p^{k−j} x_j for every k, p = 1 by default: in blocks, or rounding of p adds up."""
    size = math.isqrt(x.size) + 1
    powers = np.ones(size + 1) if powers is None else powers[: size + 1]
    blocks = np.append(x, np.zeros(size * size - x.size)).reshape(size, size)
    sums = lfilter([1.0], [1.0, -powers[1]], blocks)
    sums[1:] += lfilter([1.0], [1.0, -powers[-1]], sums[:-1, -1])[:, None] * powers[1:]
    return sums.ravel()[: x.size]


def _checked(servers: int, probabilities: Triple, rates: Triple) -> tuple[int, Triple, Triple]:
    if not isinstance(servers, Integral) or servers < 2 or servers % 2:
        raise ValueError(f"servers must be an even positive integer, found {servers!r}")
    for name, found in (("probabilities", probabilities), ("rates", rates)):
        if np.shape(found) != (3,) or not all(isinstance(x, Real) and x >= 0 for x in found):
            raise ValueError(f"{name} must be three numbers, none negative, found {found!r}")
    if not abs(math.fsum(probabilities) - 1) <= SUM_TOLERANCE:
        raise ValueError(f"probabilities must sum to 1, found {probabilities!r}")
    if not (min(rates) > 0 and max(rates) / min(rates) <= RATIO_LIMIT):
        raise ValueError(f"rates must be positive, within a factor 1e15, found {rates!r}")
    _, p_h, p_n = map(float, probabilities)
    return int(servers), (max(math.fsum([1, -p_h, -p_n]), 0.0), p_h, p_n), tuple(map(float, rates))
