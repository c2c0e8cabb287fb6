"""The layers of `one_half_all` as vectors, and the five corners that connect them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from multiserver.saturated.half_size_levels import climb_and_fall, eliminate, send, variance

Array = NDArray[np.float64]
Triple = tuple[float, float, float]


class Layers:
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
        # Near 1, p_1 has too few digits for its logarithm.
        self.powers = p_1**a if p_1 < 0.5 else np.exp(a * math.log1p(-p_h - p_n))
        self.f, self.f_ = a[: h + 1] / (a[: h + 1] + theta), theta / (a[: h + 1] + theta)
        self.levels = self.p, self.f, self.f_, k
        self.eliminated = eliminate(*self.levels)

    def flows(self) -> list[Array]:
        """z, and the flows through D and E."""
        flows = z, *_ = [np.empty(size) for size in (len(self.tau), self.h, 2 * self.h)]
        self.jumps, self.between = np.empty((5, 5)), np.empty((5, 2))
        known = *flows, self.powers, *self.levels, *self.eliminated
        for corner, visits in enumerate(np.eye(5)):
            into_D_k = send(tuple(visits), *known)
            self.jumps[corner], z[self.corners] = np.append(z[self.corners], into_D_k), 0.0
            self.between[corner] = z.sum(), z @ self.tau
        cycle, last = _eliminate(self.jumps, np.eye(5))
        send(tuple(cycle[last]), *known)
        z[self.corners] = cycle[last, :4]
        return [x / z.sum() for x in flows]

    def squares(self, flows: list[Array], nu: float) -> float:
        """Σ z w² + Σ z Var, for a throughput of `nu` in units of μ_1."""
        (z, z_D, z_E), h, k = flows, self.h, self.k
        lead = (nu - self.rate) * self.tau
        w = z @ lead - lead
        reward = np.append(w[self.corners], 0.0) + self.between @ [1.0, -nu]
        corners, _ = _eliminate(self.jumps, reward, np.append(z[self.corners], z_D[k]).argmax())
        w_L, w_U, w_H, _ = np.split(w, self.ends)
        N, S, A, *_ = corners
        L = np.cumsum(np.append(N, w_L[1:]))
        U = np.append(np.cumsum(np.append(S, w_U[1:-1])), A)
        M = L[:h] + 1 - nu / self.theta * np.cumprod(np.append(1.0, self.f[1:h]))
        H, D = climb_and_fall(corners, w_H, M, *self.levels, *self.eliminated)
        spread = variance((L, U, H, M, D), z, z_D, z_E, self.p, self.f, self.f_)
        return float(z @ w**2 + spread)


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
