"""Elimination without a subtraction, block by block, for chains of up to a million states.

The steps of `elimination` hold for blocks of states too. For a block of a `dissection`, the rates
among its pivots B and its border C are put into one dense matrix, [[q_BB, q_BC], [q_CB, q_CC]].
What earlier blocks have left over is added, and B is eliminated. With D the diagonal of the d_k, L
the shares q_ik/d_k of the eliminated rates below it, and U the rates above it,

    q_BC ← (I − L)⁻¹ q_BC,   q_CB ← q_CB (D − U)⁻¹,   q_CC ← q_CC + q_CB q_BC.

These are products and substitutions of numbers of one sign, which run at the speed of matrix
products.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse

from multiserver.saturated.dissection import Dissection, Integers
from multiserver.saturated.elimination import HIGH, LOW, NeverLeft, Vector

# Pivots that are eliminated one by one before the rest of the matrix is updated.
PANEL = 32


class BlockElimination:
    """The rates (N, N) of an irreducible chain, eliminated in the order of a dissection.

    Raises `NeverLeft` if some state practically never reaches the last one.
    """

    def __init__(self, rates: sparse.csr_array, dissection: Dissection) -> None:
        self._tree = tree = dissection
        ordered = rates[tree.order][:, tree.order].tocsr()
        by_row = ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), ordered.data
        turned = ordered.T.tocsr()
        by_column = turned.indptr.astype(np.int64), turned.indices.astype(np.int64), turned.data
        pivots, border = tree.last - tree.first, np.diff(tree.start)
        self._shape = tree.first, tree.last, tree.border, tree.start
        self._at = np.concatenate([[0], np.cumsum(pivots * (pivots + 2 * border))])
        self._numbers = np.empty(self._at[-1])
        highest = _height(tree.children, border)
        kept = self._at, self._numbers
        stuck = _eliminate(*by_row, *by_column, *self._shape, *kept, tree.children, highest)
        if stuck >= 0:
            raise NeverLeft(int(tree.order[stuck]))

    def distribution(self) -> Vector:
        """z (N,) with z Q = 0, scaled to a largest mass of 1."""
        found = np.empty(len(self._tree.order))
        found[self._tree.order] = _distribution(*self._shape, self._at, self._numbers)
        return found / found.max()

    def potential(self, reward: Vector) -> Vector:
        """Δ (N,) with −Q Δ = reward, 0 in the state eliminated last, whose equation is left out."""
        found = np.empty(len(reward))
        ordered = reward[self._tree.order]
        found[self._tree.order] = _potential(*self._shape, self._at, self._numbers, ordered)
        return found


def _height(children: Integers, border: Integers) -> int:
    """The most numbers, at any time, that blocks have left over and no block has taken over yet."""
    waiting: list[int] = []
    now = most = 0
    for taken, size in zip(children.tolist(), border.tolist(), strict=True):
        for _ in range(taken):
            now -= waiting.pop()
        waiting.append(size * size)
        now += size * size
        most = max(most, now)
    return most


@njit(cache=True, error_model="numpy")
def _eliminate(rp, rj, rx, cp, ci, cx, first, last, border, start, at, numbers, children, highest):
    F = len(first)
    left_over, top = np.empty(highest), 0
    waiting, left = np.empty(F, dtype=np.int64), 0
    place = np.empty(len(rp), dtype=np.int64)
    for i in range(F):
        a, z = first[i], last[i]
        b, c = z - a, start[i + 1] - start[i]
        for p in range(a, z):
            place[p] = p - a
        for e in range(start[i], start[i + 1]):
            place[border[e]] = b + e - start[i]
        rates = np.zeros((b + c, b + c))
        for p in range(a, z):
            for e in range(rp[p], rp[p + 1]):
                if rj[e] >= a:
                    rates[p - a, place[rj[e]]] = rx[e]
            for e in range(cp[p], cp[p + 1]):
                if ci[e] >= z:
                    rates[place[ci[e]], p - a] = cx[e]
        for _ in range(children[i]):
            left -= 1
            e, size = start[waiting[left]], start[waiting[left] + 1] - start[waiting[left]]
            top -= size * size
            for k in range(size):
                row = place[border[e + k]]
                for j in range(size):
                    rates[row, place[border[e + j]]] += left_over[top + k * size + j]
        waiting[left] = i
        left += 1
        stuck = _eliminate_block(rates, b)
        if stuck >= 0:
            return a + stuck
        to = at[i]
        for k in range(b):
            for j in range(b + c):
                numbers[to] = rates[k, j]
                to += 1
        for k in range(b, b + c):
            for j in range(b):
                numbers[to] = rates[k, j]
                to += 1
            for j in range(b, b + c):
                left_over[top] = rates[k, j]
                top += 1
    return -1


@njit(cache=True, error_model="numpy")
def _eliminate_block(rates, pivots):
    """Eliminate the first states of `rates` (f, f) in place: q_ik/d_k below the diagonal, d_k on
    it. The very last state is left alone: there is no state to which it could go."""
    f, b = len(rates), pivots
    for a in range(0, b, PANEL):
        z = min(a + PANEL, b)
        stuck = _eliminate_panel(rates, a, z)
        if stuck >= 0:
            return stuck
        if z == f:
            break
        lower, upper = _inverses(rates, a, z)
        rows = np.dot(lower, rates[a:z, z:].copy())
        columns = np.dot(rates[z:, a:z].copy(), upper)
        for i in range(z - a):
            for j in range(f - z):
                rates[a + i, z + j] = rows[i, j]
                rates[z + j, a + i] = columns[j, i]
        if z < b:
            _add(rates[z:b, z:], np.dot(columns[: b - z], rows))
            _add(rates[b:, z:b], np.dot(columns[b - z :], rows[:, : b - z].copy()))
    if 0 < b < f:
        _add(rates[b:, b:], np.dot(rates[b:, :b].copy(), rates[:b, b:].copy()))
    return -1


@njit(cache=True, error_model="numpy")
def _eliminate_panel(rates, a, z):
    """The same for states a … z − 1 alone: rates from and to all later states are not updated."""
    f = len(rates)
    leaving = np.zeros(z - a)
    for k in range(a, z):
        for j in range(z, f):
            leaving[k - a] += rates[k, j]
    for k in range(a, min(z, f - 1)):
        d = leaving[k - a]
        for j in range(k + 1, z):
            d += rates[k, j]
        if not d > LOW:
            return k
        rates[k, k] = d
        for i in range(k + 1, z):
            x = rates[i, k] / d
            rates[i, k] = x
            if x > 0:
                leaving[i - a] += x * leaving[k - a]
                for j in range(k + 1, z):
                    rates[i, j] += x * rates[k, j]
    return -1


@njit(cache=True, error_model="numpy")
def _inverses(rates, a, z):
    """(I − L)⁻¹ and (D − U)⁻¹ of states a … z − 1, which are also sums of terms of one sign."""
    m = z - a
    lower, upper = np.zeros((m, m)), np.zeros((m, m))
    for i in range(m):
        lower[i, i] = 1.0
        for k in range(i):
            x = rates[a + i, a + k]
            if x > 0:
                for j in range(k + 1):
                    lower[i, j] += x * lower[k, j]
    for i in range(m - 1, -1, -1):
        upper[i, i] = 1.0
        for k in range(i + 1, m):
            x = rates[a + i, a + k]
            if x > 0:
                for j in range(k, m):
                    upper[i, j] += x * upper[k, j]
        for j in range(i, m):
            upper[i, j] /= rates[a + i, a + i]
    return lower, upper


@njit(cache=True)
def _add(rates, more):
    for i in range(more.shape[0]):
        for j in range(more.shape[1]):
            rates[i, j] += more[i, j]


@njit(cache=True)
def _distribution(first, last, border, start, at, numbers):
    N = last[-1]
    mass = np.zeros(N)
    mass[N - 1] = 1.0
    for i in range(len(first) - 1, -1, -1):
        a, b, c = first[i], last[i] - first[i], start[i + 1] - start[i]
        to = at[i] + b * (b + c)
        for e in range(start[i], start[i + 1]):
            x = mass[border[e]]
            for k in range(b):
                mass[a + k] += x * numbers[to + k]
            to += b
        for k in range(b - 1, -1, -1):
            x, to = mass[a + k], at[i] + k * (b + c)
            if x > HIGH:
                for j in range(a, N):
                    mass[j] /= x
                x = 1.0
            for j in range(k):
                mass[a + j] += x * numbers[to + j]
    return mass


@njit(cache=True)
def _potential(first, last, border, start, at, numbers, reward):
    found, N = reward.copy(), len(reward)
    for i in range(len(first)):
        a, b, c = first[i], last[i] - first[i], start[i + 1] - start[i]
        for k in range(1, b):
            to = at[i] + k * (b + c)
            for j in range(k):
                found[a + k] += numbers[to + j] * found[a + j]
        to = at[i] + b * (b + c)
        for e in range(start[i], start[i + 1]):
            for k in range(b):
                found[border[e]] += numbers[to + k] * found[a + k]
            to += b
    found[N - 1] = 0.0
    for i in range(len(first) - 1, -1, -1):
        a, b, c = first[i], last[i] - first[i], start[i + 1] - start[i]
        for k in range(min(b, N - 1 - a) - 1, -1, -1):
            to, total = at[i] + k * (b + c), found[a + k]
            for j in range(k + 1, b):
                total += numbers[to + j] * found[a + j]
            for j in range(c):
                total += numbers[to + b + j] * found[border[start[i] + j]]
            found[a + k] = total / numbers[to + k]
    return found
