"""The layers of `one_half_all` level by level: the loops for its equations (1) to (3).

The symbols are those of that module, with f' written `g`. Arrays over levels have a length of h, f
and g of h + 1, E of n, the powers of p_1 of n + 1. Levels below k are eliminated from 0 up, with
(V, W) = (H, D), those above from h − 1 down, with (V, W) = (D, H). Numbers below `NOTHING` are left
out: floats that small have few digits, and processors are slow with them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

NOTHING = 1e-290
# Long sums are taken in this many parts, to keep digits.
PARTS = 64

Array = NDArray[np.float64]
Triple = tuple[float, float, float]


@njit(cache=True, error_model="numpy")
def eliminate(p: Triple, f: Array, g: Array, k: int) -> tuple[Array, Array]:
    """e and s of (2); level k is a corner."""
    p_1, p_h, p_n = p
    h = len(f) - 1
    e, s = np.zeros(h), np.ones(h)
    # F_j e_i P_i/s_i, and F_j (m_i + (P_i + Q_i) (1 − e_i))/s_i, for the next level j.
    kept, lost = 0.0, 0.0
    for a in range(k):
        e[a] = g[a] + kept
        s[a] = p_1 + p_n + p_h * lost
        kept = f[a + 1] * e[a] * p_1 / s[a]
        lost = f[a + 1] * (p_n + (p_1 + p_h) * lost) / s[a]
        lost = lost if lost > NOTHING else 0.0
    kept, lost = 0.0, p_1
    for a in range(h - 1, k, -1):
        e[a], lost = p_h + kept, p_n + lost
        s[a] = f[a] + g[a] * lost
        kept = p_1 * e[a] * f[a] / s[a]
        lost = p_1 * (f[a] + g[a]) * lost / s[a]
        lost = lost if lost > NOTHING else 0.0
    return e, s


@njit(cache=True, error_model="numpy")
def send(
    visits: Triple,
    z: Array,
    D: Array,
    E: Array,
    powers: Array,
    p: Triple,
    f: Array,
    g: Array,
    k: int,
    e: Array,
    s: Array,
) -> float:
    """Fill in the flows `z`, `D` and `E` that result from `visits` to N, S, A, H_k and D_k, through
    other states and into corners; returns the flow into D_k."""
    p_1, p_h, p_n = p
    N, S, A, H_k, D_k = visits
    h = len(D)
    n = 2 * h
    for a in range(h):
        E[a] = N * powers[a]
        E[h + a] = N * powers[h + a] + S * g[h] * powers[a]
    E[n - 1] += A
    # D holds the W of (2), transposed, until the next level is known.
    W = 0.0
    for a in range(k):
        W = (p_h * E[a] + p_1 * W) / s[a]
        W = D[a] = W if W > NOTHING else 0.0
    H = H_k
    for a in range(k - 1, -1, -1):
        D[a] += f[a + 1] * e[a] / s[a] * H
        H = p_h * D[a] + f[a + 1] * H
        H = H if H > NOTHING else 0.0
    W, S = 0.0, f[h] * S
    into = p_h * E[k] + g[k] * H_k + (S if k == h - 1 else 0.0) + (p_1 * D[k - 1] if k > 0 else 0.0)
    for a in range(h - 1, k, -1):
        W = (e[a] * (p_h * E[a] + (S if a == h - 1 else 0.0)) + f[a + 1] * W) / s[a]
        W = D[a] = W if W > NOTHING else 0.0
    D[k] = D_k
    for a in range(k + 1, h):
        W = D[a] + p_1 * e[a] / s[a] * D[a - 1]
        D[a] = p_h * E[a] + (S if a == h - 1 else 0.0) + g[a] * W + p_1 * D[a - 1]
        D[a] = D[a] if D[a] > NOTHING else 0.0
    # By layers: L and U sum up, H and M fall. A million plain sums would round off too much.
    L, U, H, M = (0.0, 0.0), (0.0, 0.0), 0.0, 0.0
    z[n + h] = p_1 * E[n - 1]
    for a in range(n - 1, h - 1, -1):
        L, U = _add(L, p_n * E[a]), _add(U, p_h * E[a])
        z[a], z[a + h] = L[0], U[0]
    z[n] += p_1 * D[h - 1]
    for a in range(h - 1, -1, -1):
        M = p_n * D[a] + f[a + 1] * M
        H = p_h * D[a] + f[a + 1] * H
        L = _add(L, p_n * E[a] + g[a] * M)
        z[a], z[a + n + h + 1], z[a + 2 * n + 1] = L[0], H, M
        H = H_k if a == k else H
    return into


@njit(cache=True)
def _add(sum: tuple[float, float], x: float) -> tuple[float, float]:
    """A Kahan sum with x added, and its rounding error."""
    x -= sum[1]
    whole = sum[0] + x
    return whole, (whole - sum[0]) - x


@njit(cache=True, error_model="numpy")
def climb_and_fall(
    corners: Array, w: Array, M: Array, p: Triple, f: Array, g: Array, k: int, e: Array, s: Array
) -> tuple[Array, Array]:
    """H and D by (1), given w of H, given M, and given `corners` N, S, A, H_k and D_k."""
    p_1, p_h, p_n = p
    _, S, _, H_k, D_k = corners
    h = len(e)
    H, D = np.empty(h), np.empty(h)
    H[k], D[k] = H_k, D_k
    before = 0.0
    for a in range(k):
        H[a] = w[a] + before
        D[a] = p_n * M[a] + p_h * H[a]
        before = f[a + 1] * (H[a] + e[a] / s[a] * D[a])
    for a in range(k - 1, -1, -1):
        D[a] = (D[a] + p_1 * D[a + 1]) / s[a]
        H[a] += e[a] * D[a]
    before = p_1 * S
    for a in range(h - 1, k, -1):
        D[a] = p_n * M[a] + before
        H[a] = w[a] + g[a] * D[a]
        before = p_1 * (D[a] + e[a] / s[a] * H[a])
    for a in range(k + 1, h):
        H[a] = (H[a] + f[a] * H[a - 1]) / s[a]
        D[a] += e[a] * H[a]
    return H, D


@njit(cache=True, error_model="numpy")
def variance(
    layers: tuple[Array, Array, Array, Array, Array],
    z: Array,
    z_D: Array,
    z_E: Array,
    p: Triple,
    f: Array,
    g: Array,
) -> float:
    """Σ z Var of (3): `layers` are the relative completions L, U, H, M and D."""
    p_1, p_h, p_n = p
    L, U, H, M, D = layers
    h = len(D)
    z_U, z_H, z_M = z[2 * h :], z[3 * h + 1 :], z[4 * h + 1 :]
    sums, E = np.zeros(PARTS), U[h]
    for a in range(2 * h - 1, -1, -1):
        B = U[a - h] if a >= h else D[a]
        above, E = E, p_1 * E + p_h * B + p_n * L[a]
        draw = p_1 * (above - E) ** 2 + p_h * (B - E) ** 2 + p_n * (L[a] - E) ** 2
        here = z_E[a] * draw
        if a == h:
            here += f[h] * g[h] * z_U[0] * (D[h - 1] - E) ** 2
        elif a < h:
            above_D = U[0] if a == h - 1 else D[a + 1]
            draw = p_1 * (above_D - D[a]) ** 2 + p_h * (H[a] - D[a]) ** 2 + p_n * (M[a] - D[a]) ** 2
            here += z_D[a] * draw
            if a > 0:
                ends = z_H[a] * (H[a - 1] - D[a]) ** 2 + z_M[a] * (M[a - 1] - L[a]) ** 2
                here += f[a] * g[a] * ends
        sums[a % PARTS] += here
    return sums.sum()
