"""The highest arrival rate under any policy: jobs in service are a packing of the servers.

A job of class c holds v_c of the n servers for a time of mean E[X_c]; jobs of class c arrive at
rate λ p_c. A *packing* k has k_c jobs of class c in service at once, Σ_c v_c k_c ≤ n. Under any
policy, preemptive or not, and for any distribution of the durations, the jobs in service are a
packing at every moment. If the queue is stable, λ a_c of them are of class c on average, where
a_c = p_c E[X_c] (Little's law). So λ a lies in the convex hull of the packings, and λ < λ_max,

    λ_max = max {λ : λ a ≤ Σ_k x_k k,  Σ_k x_k = 1,  x ≥ 0}                                (primal)
          = min {K(y)/(y·a) : y ≥ 0},    K(y) = max {y·k : Σ_c v_c k_c ≤ n}.                (dual)

*Prices* y certify the bound: jobs in service are worth y·k ≤ K(y) at every moment, and λ y·a on
average. MaxWeight attains every λ < λ_max (L. Tassiulas and A. Ephremides, IEEE Transactions on
Automatic Control 37, 1992). As y = v gives K(v) ≤ n, λ_max ≤ n/E[S]. It is less if the classes
cannot fill the servers together: with 16 servers, needs 1 and 11, equal shares and durations, 12
servers are busy on average, and λ_max is three quarters of n/E[S].

There are many packings. 1/λ_max is the least Σ_k x_k with Σ_k x_k k ≥ a, the relaxed cutting-stock
problem, which is solved by column generation (P. C. Gilmore and R. E. Gomory, Operations Research
9, 1961): C packings are a basis B, prices solve Bᵀ y = 1, and the packing of the largest y·k (a
knapsack problem, solved by dynamic programming over the servers) enters if that exceeds 1. The
column that leaves is chosen lexicographically, so that no basis comes twice. Both certificates are
returned: the prices, and the packings with their shares x_k λ_max of the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import TooLargeError

# The most numbers in the table of a knapsack: 200 MB.
MAX_TABLE_NUMBERS = 25_000_000
# A packing that is worth at most this beyond 1 does not enter: λ_max is as exact.
EXCESS = 1e-13
# Far more bases than are ever visited; the result after so many still bounds λ_max.
MAX_BASES = 10_000


@dataclass(frozen=True, slots=True)
class Capacity:
    """λ_max, `limit` (jobs per unit of time), accurate to 1e-11, and the certificates of it.

    `needs` (C,) are distinct, in increasing order, `prices` y (C,) scaled to K(y) = 1. If each of
    the `packings` (m, C) is in service for its share of the time, `shares` (m,), jobs that arrive
    at rate λ_max are served.
    """

    limit: float
    needs: tuple[int, ...]
    prices: tuple[float, ...]
    packings: NDArray[np.int64]
    shares: NDArray[np.float64]


def capacity(servers: int, needs: Sequence[int], in_service: Sequence[float]) -> Capacity:
    """λ_max of n `servers`, for needs v_c ≤ n and a_c = p_c E[X_c], `in_service` (units of time).

    Classes of one need count as one. Raises `TooLargeError` if the table of a knapsack does not
    fit, which takes needs of millions of servers.

    >>> found = capacity(16, (1, 11), (0.5, 0.5))
    >>> round(found.limit, 12), found.prices, found.packings.tolist(), found.shares.round(12)
    (2.0, (0.0, 1.0), [[5, 1], [0, 1]], array([0.2, 0.8]))
    """
    kinds = tuple(sorted(set(needs)))
    a = np.zeros(len(kinds))
    for need, mean in zip(needs, in_service, strict=True):
        a[kinds.index(need)] += mean
    # Only multiples of the greatest common divisor are ever held.
    divisor = math.gcd(*kinds)
    n, v = servers // divisor, np.array(kinds) // divisor
    basis = np.diag(n // v)
    for _ in range(MAX_BASES):
        y = np.maximum(np.linalg.solve(basis.T, np.ones(len(v))), 0.0)
        worth, packing = heaviest(n, v, y)
        if worth <= 1 + EXCESS:
            break
        basis[:, _leaving(basis, a, packing)] = packing
    limit = max(worth, 1.0) / float(y @ a)
    shares = np.linalg.solve(basis, a) * limit
    used = shares > 0
    return Capacity(limit, kinds, tuple(y.tolist()), basis.T[used], shares[used])


def heaviest(
    servers: int, needs: NDArray[np.int64], prices: NDArray[np.float64]
) -> tuple[float, NDArray[np.int64]]:
    """K(y) and the packing k (C,) that attains it. Raises `TooLargeError`.

    Let v_b be the need that is worth most per server. Some best packing has fewer than v_b jobs of
    other needs: any v_b of them include some whose needs sum to a multiple of v_b, for which jobs
    of need v_b are worth as much. The servers beyond those that so few jobs can hold need no table.
    """
    density = prices / needs
    best = int(np.argmax(density >= density.max() * (1 - 1e-14)))
    most, packing = (int(needs[best]) - 1) * int(needs.max()), np.zeros(len(needs), np.int64)
    packing[best] = max(servers - most, 0) // int(needs[best])
    n = servers - int(packing[best] * needs[best])
    order = [c for c in range(len(needs)) if prices[c] > 0 and needs[c] <= n]
    if (len(order) + 1) * (n + 1) > MAX_TABLE_NUMBERS:
        raise TooLargeError(
            f"the packings of {servers} servers by jobs that need {needs.tolist()} take a table of"
            f" {(len(order) + 1) * (n + 1)} numbers"
        )
    # Rows: the most that j = 0 … n servers are worth with the first classes alone.
    table = [np.zeros(n + 1)]
    for c in order:
        table.append(_with_one_more(table[-1], int(needs[c]), float(prices[c])))
    for c, before in zip(reversed(order), reversed(table[:-1]), strict=True):
        v = int(needs[c])
        left = before[n::-v]
        count = int(np.argmax(left + prices[c] * np.arange(len(left))))
        packing[c] += count
        n -= count * v
    return float(packing @ prices), packing


def _with_one_more(before: NDArray[np.float64], v: int, price: float) -> NDArray[np.float64]:
    """max_t before[j − t v] + t price, for all j at once: a running maximum along j mod v."""
    rows = -(-len(before) // v)
    grid = np.concatenate([before, np.full(rows * v - len(before), -np.inf)]).reshape(rows, v)
    gained = price * np.arange(rows)[:, None]
    return (np.maximum.accumulate(grid - gained, axis=0) + gained).ravel()[: len(before)]


def _leaving(basis: NDArray[np.int64], a: NDArray[np.float64], packing: NDArray[np.int64]) -> int:
    """The column that a packing replaces: of those that it uses, the first to be used up; if
    several are, the one whose row of (B⁻¹ a, B⁻¹)/(B⁻¹ packing) is lexicographically least."""
    inverse = np.linalg.inv(basis)
    used = inverse @ packing
    rows = [i for i in range(len(a)) if used[i] > 1e-12]
    return min(rows, key=lambda i: (inverse[i] @ a / used[i], *(inverse[i] / used[i])))
