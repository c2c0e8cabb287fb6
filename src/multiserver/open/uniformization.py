"""Times until Markov chains end, by uniformization: distributions, quantiles and moments.

A chain whose rates are at most Λ moves at the times of a Poisson process of rate Λ; some moves
leave it where it is (uniformization: A. Jensen, Skand. Aktuarietidskr. 36, 1953). If it goes on
after k moves with probability s_k, then

    P(time > t) = Σ_k e^{−Λt} (Λt)^k/k! s_k,    E[time^r] = r!/Λ^r Σ_k C(k + r − 1, r − 1) s_k.

From k = K on s_k is assumed to fall by one factor, s_k = s_K σ^{k−K}, so that

    Σ_{k≥K} e^{−Λt} (Λt)^k/k! s_k = s_K σ^{−K} e^{−Λt(1−σ)} P(K moves or more at mean σΛt),
    Σ_{k≥K} C(k + r − 1, r − 1) s_k = s_K Σ_{i<r} C(K + r − 1, r − 1 − i) σ^i/(1 − σ)^{i+1}.

All terms are positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise
from scipy.special import binom, gammainc, gammaln, xlogy

Array = NDArray[np.float64]
# Poisson probabilities that are held at once, and the relative tolerance of quantiles.
AT_ONCE, EXACT = 4_000_000, 1e-14


@dataclass(frozen=True, eq=False)
class UniformizedTimes:
    """G times of chains that move at `rate` Λ: `going` (K + 1, G) holds s_0, …, s_K, and `decay`
    (G,) −log σ. `at_once` (C + 1,) and `imprecision` are as in `Times`."""

    rate: float
    going: Array
    decay: Array
    at_once: Array
    imprecision: float

    def survival(self, times: Array) -> Array:
        """P(time > t) (T, G) at `times` (T,) ≥ 0."""
        found = np.empty((len(times), len(self.decay)))
        for part, moves in self._moves(times):
            found[part] = moves @ self.going[:-1]
            for column in range(len(self.decay)):
                found[part, column] += self._beyond(times[part], column)
        return found

    def quantiles(self, levels: Array, columns: NDArray[np.int64]) -> Array:
        """The first t (R,) with P(time > t) at most `levels` (R,), for the times `columns` (R,)."""
        found = np.zeros(len(levels))
        above = np.flatnonzero(self.going[0, columns] > levels)
        # If s_k has fallen to the level, t is not far from k/Λ.
        most = [
            np.searchsorted(-self.going[:, g], -level)
            for g, level in zip(columns[above], levels[above], strict=True)
        ]
        last = (np.array(most, dtype=float) + 1) / self.rate
        while (over := self._over(last, levels[above], columns[above]) > 0).any():
            last[over] *= 2
        roots = elementwise.find_root(
            self._over,
            (np.zeros(len(above)), last),
            args=(levels[above], columns[above]),
            tolerances={"xrtol": EXACT, "xatol": 0.0, "frtol": 0.0, "fatol": 0.0},
        )
        found[above] = roots.x
        return found

    def moments(self, k: int) -> Array:
        """E[time^k] (G,), k ≥ 1."""
        r, K = k, len(self.going) - 1
        found = binom(np.arange(K) + r - 1, r - 1) @ self.going[:-1]
        for i in range(r):
            tail = np.exp(-i * self.decay) / (-np.expm1(-self.decay)) ** (i + 1)
            found += self.going[-1] * binom(K + r - 1, r - 1 - i) * tail
        return math.factorial(r) / self.rate**r * found

    def _over(self, times: Array, levels: Array, columns: NDArray[np.int64]) -> Array:
        """log of P(time > t) relative to its level, for one column at each t."""
        found = np.empty(len(times))
        for part, moves in self._moves(times):
            found[part] = np.einsum("rk,kr->r", moves, self.going[:-1, columns[part]])
        for column in np.unique(columns):
            rows = columns == column
            found[rows] += self._beyond(times[rows], column)
        return np.log(found / levels)

    def _moves(self, times: Array) -> Iterator[tuple[slice, Array]]:
        """Slices of `times`, and the probabilities (R, K) of k < K moves in these times."""
        K = len(self.going) - 1
        k, size = np.arange(K), max(AT_ONCE // max(K, 1), 1)
        logs = gammaln(k + 1)
        for first in range(0, len(times), size):
            part = slice(first, first + size)
            mean = self.rate * times[part, None]
            yield part, np.exp(xlogy(k, mean) - mean - logs)

    def _beyond(self, times: Array, column: int) -> Array:
        """The contribution of K moves or more to P(time > t) (T,)."""
        K, decay, last = len(self.going) - 1, self.decay[column], self.going[-1, column]
        mean = self.rate * times
        with np.errstate(divide="ignore"):
            further = np.log(gammainc(max(K, 1), np.exp(-decay) * mean)) if K else 0.0
            log = np.log(last) + K * decay + mean * np.expm1(-decay) + further
        return np.exp(log)
