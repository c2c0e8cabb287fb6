"""Functions on the half line as sums of exponentials, in a basis that is orthonormal.

Given decay rates t_1, …, t_N > 0, in any order and possibly repeated, the functions b_l with the
transforms

    b̂_l(s) = √(2 t_l)/(s + t_l) · Π_{i<l} (s − t_i)/(s + t_i)

span the sums of exp(−t_i u), times powers of u where rates are repeated, and are orthonormal on
u > 0 (S. Takenaka, 1925; F. Malmquist, 1926; one rate repeated gives Laguerre's functions). They
solve b' = −T b with b(0)_l = √(2 t_l) and T lower triangular, T_ll = t_l, T_lj = 2 √(t_l t_j). No
coefficient exceeds the norm of the function; with plain exponentials all digits would cancel.

On the imaginary axis (s − t)/(s + t) turns by 2 atan(ω/t). If 2N or more frequencies are such that
the sum of these N phases is evenly spaced, sums over them are nearly integrals of products
b̂_l(iω) b̂_k(−iω).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, solve_triangular

from multiserver.recurrences import lfilter

Vector = NDArray[np.float64]
# Grid points a decade, between which frequencies of evenly spaced phases are interpolated.
STEPS_A_DECADE = 200
MOST_MOVED = 1e-3


@dataclass(frozen=True, eq=False, slots=True)
class ExponentialSums:
    """The basis of the given decay `rates` (N,), per unit of time."""

    rates: Vector

    @property
    def start(self) -> Vector:
        """b(0) (N,)."""
        return np.sqrt(2 * self.rates)

    @property
    def generator(self) -> NDArray[np.float64]:
        """T (N, N)."""
        t = self.rates
        return np.tril(2 * np.sqrt(np.outer(t, t)), -1) + np.diag(t)

    def transforms(self, s: NDArray) -> NDArray:
        """b̂_l(s) (len(s), N) at real or complex s, Re s ≥ 0."""
        found = np.empty((len(s), len(self.rates)), dtype=s.dtype)
        product = np.ones_like(s)
        for j, t in enumerate(self.rates):
            found[:, j] = product * (math.sqrt(2 * t) / (s + t))
            product = product * ((s - t) / (s + t))
        return found

    def moments(self, k: int) -> Vector:
        """The integrals of u^k b_l(u)/k! (N,): T^−(k+1) b(0)."""
        found, T = self.start, self.generator
        for _ in range(k + 1):
            found = solve_triangular(T, found, lower=True)
        return found

    def integrals_beyond(self, u: float) -> Vector:
        """The integrals of b_l (N,) from u to infinity: exp(−T u) T⁻¹ b(0)."""
        return expm(-u * self.generator) @ self.moments(0)

    def frequencies(self, count: int, lowest: float) -> tuple[Vector, Vector]:
        """`count` frequencies ω of evenly spaced phases, and their weights (Σ f(ω) weight is about
        the integral of f over ω > 0); the grid begins at `lowest`/10."""
        t = self.rates
        decades = math.log10(t.max() / lowest) + 5
        fine = np.geomspace(lowest / 10, 1e4 * t.max(), math.ceil(STEPS_A_DECADE * decades))
        phase, slope = np.zeros_like(fine), np.zeros_like(fine)
        for rate in t:
            phase += 2 * np.arctan(fine / rate)
            slope += 2 * rate / (rate * rate + fine * fine)
        step = math.pi * len(t) / count
        omega = np.exp(np.interp(step * (np.arange(count) + 0.5), phase, np.log(fine)))
        weight = step / np.interp(omega, fine, slope)
        return omega, weight

    def with_exact_poles(
        self, rate: float, probability: float, complement: float
    ) -> ExponentialSums:
        """The same with rates moved by as little as makes the poles of `poisson_integrals` exact
        floats: near 1, rounding of a pole would cost its rate many digits. `complement` is
        1 − p."""
        poles = rate * probability / (rate + self.rates)
        moved = rate * ((1 - poles) - complement) / poles
        near = (poles > 0.5) & (abs(moved - self.rates) < MOST_MOVED * self.rates)
        return ExponentialSums(np.where(near, moved, self.rates))

    def poisson_integrals(self, rate: float, probability: float, count: int) -> Iterator[Vector]:
        """For each b_l in turn, the integrals of b_l(u) exp(−λu) (λpu)^m/m! (count,), λ being
        `rate`. The factor of b_l is the probability that m jobs arrive in a time u, all of the
        class of probability p.

        They are the power series of b̂_l(λ − λ p x) in x, a chain of filters of first order.
        """
        product = np.zeros(count)
        product[0] = 1.0
        for t in self.rates:
            root = math.sqrt(2 * t)
            row = lfilter([root / (rate + t)], [1.0, -rate * probability / (rate + t)], product)
            # (s − t)/(s + t) is 1 − 2t/(s + t), which does not subtract nearly equal numbers.
            product = product - root * row
            yield row
