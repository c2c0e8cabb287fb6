"""Throughput and relative completions of the saturated system with server needs 1, n/2 and n.

n = 2h servers, FCFS; a job needs 1, h or n of them with probability p_1, p_h, p_n and completes at
rate μ_1, μ_h, μ_n. `multilevel-scaling` (Sections 10.3, 10.4) knows no exact E[Δ(Y_d)] for them.
Four layers hold the saturated states; a is the number of one-server jobs in service:

    L_a  no other job in service, an n-server job blocked, 0 < a < n;      L_0 = N: it is in service
    U_a  no other job in service, an h-server job blocked, h < a < n;      U_h = S: it is in service
    H_a  beside one h-server job, an h-server job blocked, 0 < a < h;      H_0: it is in service
    M_a  beside one h-server job, an n-server job blocked, 0 ≤ a < h;      U_n = A: no job blocked

The next job is drawn in no time: in D_a beside one h-server job (a < h; D_h = S), in E_a beside
none (a < n; E_n = A). Let r be the completion rate of a state, X the throughput, w = 1 − X/r, and
f_a = a μ_1/(a μ_1 + μ_h), f'_a = 1 − f_a. Relative completions, by the name of their state, solve

    L_a = w + L_{a−1},   M_a = w + f_a M_{a−1} + f'_a L_a,   D_a = p_1 D_{a+1} + p_h H_a + p_n M_a,
    U_a = w + U_{a−1},   H_a = w + f_a H_{a−1} + f'_a D_a,   E_a = p_1 E_{a+1} + p_h B_a + p_n L_a,
    N = w + E_0,         S = w + f_h D_{h−1} + f'_h E_h,     A = w + E_{n−1},                    (1)

with B_a = D_a for a < h, U_a from h on. Sums give L and U; M_a = L_a + 1 − (X/μ_h) f_1 … f_a, for
its w is f'_a more than f_a times that of L_a; E is a recurrence. H and D climb and fall, and may
dwell for ages near a = p_1 μ_h/((p_h + p_n) μ_1). Let k be that level, h − 1 at most; given H_k and
D_k, eliminate towards them, from below for (V, W, F, G, P, Q) = (H, D, f_a, f'_a, p_1, p_h), from
above for (D, H, p_1, p_h, f_a, f'_a). V_j = F_j V_i + G_j W_j + …, W_i = P_i W_j + Q_i V_i + … give

    V_j = e_j W_j + v_j,    v_j = F_j (v_i + e_i u_i/s_i) + …,      e_j = G_j + F_j e_i P_i/s_i,
    s_i W_i = P_i W_j + u_i,        u_i = Q_i v_i + …,        s_i = P_i + m_i + Q_i (1 − e_i),   (2)
    1 − e_j = l_j + F_j (m_i + (P_i + Q_i) (1 − e_i))/s_i,

for level j after i, with l = 1 − F − G, m = 1 − P − Q. Flows (visits to a state per unit of time)
solve the transposed equations, (2) included, starting from each of the *corners* N, S, A, H_k, D_k;
five equations between these remain. None of it takes a subtraction.

Let z be the flow through a state, Σ z = 1 over the four layers, so that 1/X = Σ z/r. Between a
state y and the next, Y, Δ(y) − w = E[Δ(Y) | y]; square, and take means over z, the law of both y
and Y: 2 E[w Δ] = E[w²] + E[Var(Δ(Y) | y)]. In time Δ has mean 0, E[Δ/r] = 0, and E[w Δ] is E[Δ]:

    E[Δ(Y_d)] = (Σ z w² + Σ z Var)/2,                                                            (3)

Var being that of who completes (in H, M, S) and of the draw (in D, E). Squares do not cancel, and
w = X Σ_y z_y (1/r_y − 1/r) is as tiny as it should be in a state that takes up nearly all time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtbtrs

from multiserver.checks import SUM_TOLERANCE

RATIO_LIMIT = 1e15

Array = NDArray[np.float64]
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class OneHalfAllMeans:
    """Stationary means: `throughput` X in jobs per unit of time, `wastage` E[N_idle] in servers,
    `utilisation` 1 − E[N_idle]/n, `relative_completions` E[Δ(Y_d)] in jobs."""

    throughput: float
    wastage: float
    utilisation: float
    relative_completions: float


def one_half_all(
    servers: int, probabilities: Triple, rates: Triple = (1.0,) * 3
) -> OneHalfAllMeans:
    """The saturated system of n = `servers` servers, in O(n) time and memory.

    `probabilities` are (p_1, p_h, p_n), any of them possibly 0, and `rates` (μ_1, μ_h, μ_n) per
    unit of time. The largest is what the others leave of 1: these may be far below the spacing of
    floats around 1. Relative error of every field below 1e-12 for n up to 1e4, 1e-10 for n up to
    1e6, as measured for probabilities down to 1e-12 and rates a factor 1e4 apart. Raises ValueError
    unless n is even and positive, probabilities and rates are three, the former a law, the latter
    positive.
    """
    layers = _Layers(*_checked(servers, probabilities, rates))
    flows = z, *_ = layers.flows()
    sojourn = z * layers.tau
    nu = 1 / float(sojourn.sum())
    return OneHalfAllMeans(
        throughput=nu * float(rates[0]),
        wastage=nu * float(sojourn @ layers.idle),
        utilisation=nu * float(sojourn @ (servers - layers.idle)) / servers,
        relative_completions=layers.squares(flows, nu) / 2,
    )


class _Layers:
    """The equations in units of 1/μ_1. A vector over states holds L, U, H and M in turn."""

    def __init__(self, n: int, p: Triple, mu: Triple) -> None:
        self.h, self.p, self.theta = h, (p_1, p_h, p_n), theta = n // 2, p, mu[1] / mu[0]
        self.k = k = int(min(p_1 * theta / max(p_h + p_n, 1e-300), h - 1))
        a = np.arange(n + 1.0)
        self.ends, self.corners = [n, n + h + 1, 2 * n + 1], [0, n, n + h, n + h + 1 + k]
        self.rate = np.concatenate([a[:n], a[h:], a[:h] + theta, a[:h] + theta])
        self.idle = np.concatenate([n - a[:n], n - a[h:], h - a[:h], h - a[:h]])
        self.rate[[0, n, n + h + 1]] = mu[2] / mu[0], h + theta, 2 * theta  # N, S and H_0.
        self.idle[[0, n, n + h + 1]], self.tau = 0.0, 1 / self.rate
        # Near 1, p_1 lacks digits of its logarithm.
        self.powers = p_1**a if p_1 < 0.5 else np.exp(a * math.log1p(-p_h - p_n))
        self.f, self.f_ = a[: h + 1] / (a[: h + 1] + theta), theta / (a[: h + 1] + theta)
        self.by_f, self.by_p = _band(1, -self.f[1:]), _band(1, np.full(n, -p_1))
        self._eliminate_levels(h, k)

    def _eliminate_levels(self, h: int, k: int) -> None:
        """The factors of (2) as band matrices, and the order of states in (H, D) they go by."""
        level, up = np.append(np.arange(k), np.arange(h - 1, k, -1)), np.arange(h - 1) < k
        self.order = np.where([up, ~up], level, h + level).T.ravel()
        fall, climb = np.array([self.f[level], self.f_[level], 0 * level]), np.array([self.p]).T
        (F, G, out), (P, Q, m) = np.where(up, fall, climb), np.where(up, climb, fall)
        # From D_{h−1} up and to H_k and D_k, the way leads to a corner.
        out[k : k + 1] += F[k : k + 1]
        F[k : k + 1] = 0.0
        C, D, B, A = (np.roll(x, 1) for x in (Q, P + m, m, P + Q))
        lost = _moebius(np.stack([F * A + out * C, F * B + out * D, C, D]))
        s = P + m + Q * lost
        P[k - 1 : k] = 0.0
        F = np.roll(F, -1)
        e = _solve(_band(1, -F * P / s), G)
        self.lower = _band(1, -Q, -F, 1, -F * e / s, 0)
        self.upper = _band(1, -e, 0, s, 0, -P)

    def flows(self) -> list[Array]:
        """z, and the flows through D and E."""
        *sent, into = zip(*(self._flows_from(*visits) for visits in np.eye(5)), strict=True)
        self.jumps = np.array(into)
        self.between = np.array([(z.sum(), z @ self.tau) for z in sent[0]])
        cycle, last = _eliminate(self.jumps, np.eye(5))
        z, D, E = (sum(map(np.multiply, cycle[last], flows)) for flows in sent)
        z[self.corners] = cycle[last, :4]
        return [x / z.sum() for x in (z, D, E)]

    def _flows_from(self, N: float, S: float, A: float, H_k: float, D_k: float) -> list[Array]:
        """What visits to the corners send through other states, D and E, and into the corners."""
        h, k, (p_1, p_h, p_n), f, f_ = self.h, self.k, self.p, self.f, self.f_
        E = N * self.powers[:-1]
        E[h:] += S * f_[h] * self.powers[:h]
        E[-1] += A
        HD = np.append(np.zeros(h), p_h * E[:h])
        H, D = np.split(HD, 2)
        H[k - 1 : k] = f[k] * H_k
        D[-1] += f[h] * S
        D[k + 1 : k + 2] += p_1 * D_k
        into_D_k = D[k] + f_[k] * H_k
        if HD.any():
            HD[self.order] = _solve(self.lower, _solve(self.upper, HD[self.order]), "T")
        into_D_k += p_1 * D[:k][-1:].sum()
        H[k], D[k] = p_h * D_k + f[k + 1] * H[k + 1 : k + 2].sum(), D_k
        M = _solve(self.by_f, p_n * D, "T") if D.any() else D
        L, U = p_n * E, p_h * E[h:]
        L[:h] += f_[:h] * M
        U[0] += p_1 * D[-1]
        L, U = np.cumsum(L[::-1])[::-1], np.cumsum(U[::-1])[::-1]
        z = np.concatenate([L, U, [p_1 * E[-1]], H, M])
        into, z[self.corners] = np.append(z[self.corners], into_D_k), 0.0
        return [z, D, E, into]

    def squares(self, flows: list[Array], nu: float) -> float:
        """Σ z w² + Σ z Var, for a throughput of `nu` in units of μ_1."""
        (z, z_D, z_E), h, k, (p_1, p_h, p_n) = flows, self.h, self.k, self.p
        lead = (nu - self.rate) * self.tau
        w = z @ lead - lead
        reward = np.append(w[self.corners], 0.0) + self.between @ [1.0, -nu]
        corners, _ = _eliminate(self.jumps, reward, np.append(z[self.corners], z_D[k]).argmax())
        L, U, H, M, D, E = self._relative(w, nu, corners)
        next_D, next_E, B = np.append(D[1:], U[0]), np.append(E[1:], U[-1]), np.append(D, U[:-1])
        _, z_U, z_H, z_M = np.split(z, self.ends)
        fork = self.f[1:] * self.f_[1:]
        total = z @ w**2 + fork[-1] * z_U[0] * (D[-1] - E[h]) ** 2
        total += fork[:-1] @ (z_H[1:] * (H[:-1] - D[1:]) ** 2 + z_M[1:] * (M[:-1] - L[1:h]) ** 2)
        total += z_D @ (p_1 * (next_D - D) ** 2 + p_h * (H - D) ** 2 + p_n * (M - D) ** 2)
        total += z_E @ (p_1 * (next_E - E) ** 2 + p_h * (B - E) ** 2 + p_n * (L - E) ** 2)
        return float(total)

    def _relative(self, w: Array, nu: float, corners: Array) -> list[Array]:
        """L, U, H, M, D and E by (1) and (2)."""
        h, k, (p_1, p_h, p_n), (N, S, A, H_k, D_k) = self.h, self.k, self.p, corners
        w_L, w_U, w_H, _ = np.split(w, self.ends)
        L = np.cumsum(np.append(N, w_L[1:]))
        U = np.append(np.cumsum(np.append(S, w_U[1:-1])), A)
        M = L[:h] + 1 - nu / self.theta * np.cumprod(np.append(1.0, self.f[1:h]))
        HD = np.append(w_H, p_n * M)
        H, D = np.split(HD, 2)
        D[-1] += p_1 * S
        D[k - 1 : k] += p_1 * D_k
        H[k + 1 : k + 2] += self.f[k + 1] * H_k
        HD[self.order] = _solve(self.upper, _solve(self.lower, HD[self.order]), "T")
        H[k], D[k] = H_k, D_k
        E = p_h * np.append(D, U[:-1]) + p_n * L
        E[-1] += p_1 * A
        return [L, U, H, M, D, _solve(self.by_p, E, "T")]


def _moebius(maps: Array) -> Array:
    """y_1, y_2, … if y_0 = 1 and y becomes (A y + B)/(C y + D), in √m blocks side by side."""
    size = math.isqrt(maps.shape[1]) + 1
    steps = np.pad(maps, ((0, 0), (0, size * size - maps.shape[1])), constant_values=1.0)
    steps = steps.reshape(4, size, size).transpose(2, 0, 1).copy()
    u, v = np.repeat(np.eye(2)[:, :, None], size, axis=2)
    for A, B, C, D in steps:
        u, v = A * u + B * v, C * u + D * v
        u, v = (u, v) / (v[0] + v[1])
    y = np.ones(size)
    for b in range(size - 1):
        y[b + 1] = (u[0, b] * y[b] + u[1, b]) / (v[0, b] * y[b] + v[1, b])
    for A, B, C, D in steps:
        y = A[:] = (A * y + B) / (C * y + D)
    return steps[:, 0].T.ravel()[: maps.shape[1]]


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


def _band(*entries: Array | float) -> Array:
    """Columns of a lower band matrix, diagonal first, three entries each and recurring."""
    return np.stack(np.broadcast_arrays(*entries), axis=1).reshape(-1, min(len(entries), 3)).T


def _solve(band: Array, right: Array, trans: str = "N") -> Array:
    """Solves with the matrix of `band`, or its transpose."""
    return dtbtrs(band, right, uplo="L", trans=trans)[0]


def _checked(servers: int, probabilities: Triple, rates: Triple) -> tuple[int, Triple, Triple]:
    if not isinstance(servers, Integral) or servers < 2 or servers % 2:
        raise ValueError(f"servers must be an even positive integer, found {servers!r}")
    for name, found in (("probabilities", probabilities), ("rates", rates)):
        if np.shape(found) != (3,) or not all(isinstance(x, Real) and x == x for x in found):
            raise ValueError(f"{name} must be three numbers, found {found!r}")
    p_1, p_h, p_n = map(float, probabilities)
    if not (min(p_1, p_h, p_n) >= 0 and abs(math.fsum(probabilities) - 1) <= SUM_TOLERANCE):
        raise ValueError(f"probabilities must be ≥ 0 and sum to 1, found {probabilities!r}")
    if not (min(rates) > 0 and max(rates) / min(rates) <= RATIO_LIMIT):
        raise ValueError(f"rates must be positive, within a factor 1e15, found {rates!r}")
    if p_1 > 0.5:
        p_1 = math.fsum([1, -p_h, -p_n])
    return int(servers), (p_1, p_h, p_n), tuple(map(float, rates))
