"""Survival probabilities of a transient Markov chain, by steps whose length is doubled repeatedly.

Rows s (R, D) of densities obey s' = s 𝒢, where 𝒢 has no negative entry off its diagonal and is
block triangular: D = m + Σ_c m_c, and from the first m states the chain moves to one of the blocks
c, where it stays. With weights f (D, G), the probabilities s(t) f fall from s(0) f to 0. Let
θ ≥ −𝒢_jj and P = I + 𝒢/θ ≥ 0. Then

    exp(𝒢 h) = e^{−θh} Σ_j (θh)^j P^j/j!,    exp(𝒢 2h) = exp(𝒢 h)²,

which are sums of positive terms only. A time is a sum of steps h 2^k and a rest below h, over which
the series is summed row by row. A quantile is found by taking every step that does not go too far,
and by bisection of a polynomial within the last one.

A squaring doubles relative errors: after a time t they are some 8 θ t roundings, most of them in
the decay of the whole. Let b > 0 with −b 𝒢 = a ≥ 0 be known (b over the first m states, their
stationary measure if a is fed in). Then b exp(𝒢 h) = b − ∫_0^h a exp(𝒢 u) du, and the integral r is
doubled by r + r exp(𝒢 h), again of positive terms. While r is less than half of b, the columns of
exp(𝒢 h) are scaled to satisfy this, as rows of stochastic matrices are, so that their decay keeps
its digits. The rows of a block D with exit rates x = −D 1 are scaled likewise, to the probability
1 − ∫_0^h exp(D u) x du that the chain goes on: a rate far below θ has lost its digits in P.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# θ times the first step; terms of its series, a multiple of 3, and of those over a shorter time.
INITIAL_STEP, SERIES_TERMS, REST_TERMS = 0.125, 12, 16
# Smaller probabilities are 0, before numbers denormalise; doublings that an int64 can count.
NEGLIGIBLE_PROBABILITY, MOST_DOUBLINGS, BISECTIONS = 1e-250, 62, 60


@dataclass(frozen=True, eq=False, slots=True)
class Triangular:
    """[[`first` (m, m), `across` (m, M)], [0, `rest`]], where `rest` has square blocks only."""

    first: Array
    across: Array
    rest: tuple[Array, ...]

    def __matmul__(self, other: Triangular) -> Triangular:
        across = self.first @ other.across + self._by_rest(self.across, other.rest)
        rest = tuple(x @ y for x, y in zip(self.rest, other.rest, strict=True))
        return Triangular(self.first @ other.first, across, rest)

    def plus(self, factor: float, other: Triangular) -> Triangular:
        """Self + factor · other."""
        rest = tuple(x + factor * y for x, y in zip(self.rest, other.rest, strict=True))
        first, across = self.first + factor * other.first, self.across + factor * other.across
        return Triangular(first, across, rest)

    def times(self, factor: float) -> Triangular:
        rest = tuple(factor * x for x in self.rest)
        return Triangular(factor * self.first, factor * self.across, rest)

    def after(self, rows: Array) -> Array:
        """Rows (R, D) times the matrix."""
        m = len(self.first)
        found = np.empty_like(rows)
        found[:, :m] = rows[:, :m] @ self.first
        found[:, m:] = rows[:, :m] @ self.across + self._by_rest(rows[:, m:], self.rest)
        return found

    def before(self, columns: Array) -> Array:
        """The matrix times columns (D, G)."""
        m = len(self.first)
        found, at = np.empty_like(columns), m
        found[:m] = self.first @ columns[:m] + self.across @ columns[m:]
        for block in self.rest:
            upto = at + len(block)
            found[at:upto] = block @ columns[at:upto]
            at = upto
        return found

    @property
    def diagonal(self) -> Array:
        """(D,)."""
        return np.concatenate([x.diagonal() for x in (self.first, *self.rest)])

    @property
    def one(self) -> Triangular:
        """The unit matrix of the same shape."""
        rest = tuple(np.eye(len(x)) for x in self.rest)
        return Triangular(np.eye(len(self.first)), np.zeros_like(self.across), rest)

    @staticmethod
    def _by_rest(rows: Array, blocks: tuple[Array, ...]) -> Array:
        found, at = np.empty_like(rows), 0
        for block in blocks:
            upto = at + len(block)
            found[:, at:upto] = rows[:, at:upto] @ block
            at = upto
        return found


class DoubledSteps:
    """The chain `generator` 𝒢 from `start` (D,), and `weights` f (D, G).

    `measure` is b and `inflow` a, (m,) each. Columns are not scaled where b is less than
    `scaling_cutoff` times its largest entry, in absolute value; if `scaling_cutoff` > 0, entries
    may have any sign. `exit_rates` are the x of each block. `max_scaling_change` is the largest
    relative change of a column or row by scaling.
    """

    def __init__(
        self,
        generator: Triangular,
        start: Array,
        weights: Array,
        measure: Array,
        inflow: Array,
        exit_rates: tuple[Array, ...],
        scaling_cutoff: float = 0.0,
    ) -> None:
        self._start, self._weights, self._measure = start, weights, measure
        self._scaling_cutoff = scaling_cutoff
        rate = float(-generator.diagonal.min())
        self.first = INITIAL_STEP / rate
        self._moves = generator.times(1 / rate).plus(1.0, generator.one)
        self.max_scaling_change = 0.0
        self._steps = [_series(self._moves)]
        self._ended = [
            _integral(block, x * self.first)
            for block, x in zip(self._moves.rest, exit_rates, strict=True)
        ]
        self._left = _integral(self._moves.first.T, inflow * self.first)
        self._scale()
        self._reached = [self._steps[0].after(start[None])[0]]

    def survival(self, times: Array) -> Array:
        """s(t) f (T, G) at `times` (T,) ≥ 0."""
        steps = np.minimum(times / self.first, 2.0**MOST_DOUBLINGS)
        whole = np.floor(steps).astype(np.int64)
        rows = np.repeat(self._start[None], len(times), axis=0)
        gone = np.zeros(len(times), dtype=bool)
        for k in range(int(whole.max(initial=0)).bit_length()):
            if (self._after(k) @ self._weights).max() < NEGLIGIBLE_PROBABILITY:
                gone = whole >> k > 0
                break
            go = (whole >> k & 1).astype(bool)
            if go.any():
                rows[go] = self._step(k).after(rows[go])
        found = _sums(self._terms(rows), INITIAL_STEP * (steps - whole))
        found[gone] = 0.0
        return np.maximum(found, 0.0)

    def quantiles(self, levels: Array, columns: NDArray[np.int64]) -> Array:
        """The first t (R,) at which s(t) f, in its column each, is at most its level (R,)."""
        found = np.zeros(len(levels))
        weights = self._weights[:, columns].T
        top = 0
        while (weights @ self._after(top) > levels).any():
            top += 1
        rows = np.repeat(self._start[None], len(levels), axis=0)
        # Steps are tried from the longest down: each length is taken once at most.
        for k in range(top - 1, -1, -1):
            further = self._step(k).after(rows)
            go = np.einsum("rd,rd->r", further, weights) > levels
            rows[go] = further[go]
            found[go] += self.first * 2.0**k
        terms = self._terms(rows)[np.arange(len(levels)), :, columns][:, :, None]
        low, high = np.zeros(len(levels)), np.ones(len(levels))
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            over = _sums(terms, INITIAL_STEP * middle)[:, 0] > levels
            low, high = np.where(over, middle, low), np.where(over, high, middle)
        at_once = (rows * weights).sum(axis=1) <= levels
        return found + np.where(at_once, 0.0, self.first * high)

    def _terms(self, rows: Array) -> Array:
        """s P^j f/j! (R, REST_TERMS, G)."""
        return (rows @ self._powers).reshape(len(rows), REST_TERMS, -1)

    @cached_property
    def _powers(self) -> Array:
        """P^j f/j! (D, REST_TERMS G), one j after another."""
        found = [self._weights]
        for j in range(1, REST_TERMS):
            found.append(self._moves.before(found[-1]) / j)
        return np.hstack(found)

    def _after(self, k: int) -> Array:
        """s exp(𝒢 h 2^k) (D,)."""
        while len(self._reached) <= k:
            last = len(self._reached) - 1
            self._reached.append(self._step(last).after(self._reached[last][None])[0])
        return self._reached[k]

    def _step(self, k: int) -> Triangular:
        """exp(𝒢 h 2^k), cached."""
        while len(self._steps) <= k:
            last = self._steps[-1]
            self._steps.append(last @ last)
            pairs = zip(self._ended, last.rest, strict=True)
            self._ended = [ended + block @ ended for ended, block in pairs]
            self._left = self._left + self._left @ last.first
            self._scale()
        return self._steps[k]

    def _scale(self) -> None:
        last = self._steps[-1]
        self._scale_columns(last.first, self._measure, self._left)
        for block, ended in zip(last.rest, self._ended, strict=True):
            self._scale_columns(block.T, np.ones_like(ended), ended)

    def _scale_columns(self, step: Array, b: Array, left: Array) -> None:
        keeps = (abs(left) < abs(b) / 2) & (abs(b) >= self._scaling_cutoff * abs(b).max())
        factor = np.ones_like(b)
        factor[keeps] = (b - left)[keeps] / (b @ step)[keeps]
        self.max_scaling_change = max(self.max_scaling_change, float(abs(factor - 1).max()))
        step *= factor


def _series(moves: Triangular) -> Triangular:
    """exp(𝒢 h) of the first step, by powers of P³."""
    square = moves @ moves
    cube = square @ moves
    shares = [
        math.exp(-INITIAL_STEP) * INITIAL_STEP**j / math.factorial(j) for j in range(SERIES_TERMS)
    ]
    found = None
    for j in range(SERIES_TERMS - 3, -1, -3):
        part = moves.one.times(shares[j]).plus(shares[j + 1], moves).plus(shares[j + 2], square)
        found = part if found is None else part.plus(1.0, found @ cube)
    return found


def _integral(moves: Array, rates: Array) -> Array:
    """∫_0^h exp(𝒢 u) du `rates`/h, where `rates` are rates times h."""
    found, term = np.zeros_like(rates), rates
    for j in range(REST_TERMS - 1):
        # ∫_0^h exp(−θu) (θu)^j/j! du θ = P(more than j of a Poisson number of mean θh).
        found += term / INITIAL_STEP * _more_than(j)
        term = moves @ term
    return found


def _more_than(j: int) -> float:
    """P(more than j) of a Poisson number of mean INITIAL_STEP."""
    return math.fsum(
        math.exp(-INITIAL_STEP) * INITIAL_STEP**i / math.factorial(i)
        for i in range(j + 1, j + 1 + REST_TERMS)
    )


def _sums(terms: Array, x: Array) -> Array:
    """e^{−x} Σ_j terms_j x^j (R, G) of terms (R, REST_TERMS, G) at x (R,)."""
    found = np.zeros((len(terms), terms.shape[2]))
    for j in range(REST_TERMS - 1, -1, -1):
        found = found * x[:, None] + terms[:, j]
    return found * np.exp(-x)[:, None]
