r"""The equation for G(z), the transform of the small jobs at the start of a cycle of Quickswap.

Symbols are those of `multiserver.open.quickswap`. With u = 1 − z in place of z nothing cancels near
z = 1. The transform η of a busy period with arrivals at rate λ and services of rate μ has

    1 − η(s) = 2 s/(s + μ − λ + √((s + μ − λ)² + 4 λ s)),

which is 1 − η for the large jobs, 1 − w for the small ones, and 1 − θ at s = λ_n.

**Equation.** For k ≥ n, R_k = R_{n−1} w^{k−n+1}. So in the reading *always*, in which Q_m = R_m
except for m = 0,

    G(z) = Σ_{m<n} x_m Q_m + R_{n−1} Σ_{m≥n} x_m w^{m−n+1},

and the second sum is that of G(w) without its first terms. In the reading *if a large job waits*,
from m ≥ n small jobs, n or more are present when it arrives with probability 1 − θ^{m−n+1}, and
Σ_k η R_k over their number k then telescopes to R_{n−1} (w^{m−n+1} − θ^{m−n+1}). Otherwise they
become n − 1. From m < n they move as a birth-death chain on 0, …, n, in which n stands for n and
more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from multiserver.open.birth_and_death import Resolvent

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Complex = NDArray[np.complex128]
Number = TypeVar("Number", float, Complex)

# Points of a circle that are iterated at once, and the fewest of a circle.
POINTS_AT_ONCE, MIN_POINTS = 512, 32


@dataclass(frozen=True)
class Rates:
    """n, μ_1, μ_n, λ_1, λ_n, ℓ and whether the last small jobs are always waited for."""

    servers: int
    small: float
    large: float
    small_flow: float
    large_flow: float
    threshold: int
    always: bool

    @cached_property
    def serving(self) -> Vector:
        """The rates (n + 1,) at which small jobs leave while 0, …, n are present."""
        return self.small * np.arange(self.servers + 1)

    @cached_property
    def large_first(self) -> float:
        """1 − θ, the probability that a large job comes before n small ones have become n − 1."""
        return float(busy_complement(self.large_flow, self.small_flow, self.serving[-1]))

    @cached_property
    def at_arrival(self) -> Resolvent:
        """The distribution of the number of small jobs when a large one arrives, given 0, …, n now;
        n stands for n and more, and is left at their rate."""
        back = self.large_flow * (1 - self.large_first) / self.large_first
        return Resolvent(self.small_flow, np.append(self.serving[:-1], back), self.large_flow)


class Sides(NamedTuple):
    """x_0, …, x_{n−1} (3, n) and h (3,): the constant part, and the coefficients of −E[m] and of
    E[m(m − 1)/2]."""

    x: Matrix
    h: Vector


def equations(rates: Rates, near: float, points: int, decay: float) -> Sides:
    """The solution on a circle of `points` points or a few more, with a relative aliasing error of
    e^−`decay`; G is quadratic within `near` of 1."""
    n, size = rates.servers, next_fast_len(max(points, MIN_POINTS), real=True)
    radius = math.exp(-decay / size)
    z = radius * np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    blocks = np.array_split(1 - z, math.ceil(len(z) / POINTS_AT_ONCE))
    found = np.hstack([_by_series(rates, block, near, decay) for block in blocks])
    # Columns for x, h and the three right-hand sides.
    rows = np.fft.irfft(found, size)[:, :n].T * radius ** -np.arange(n)[:, None]
    if not rates.always:
        rows = np.vstack([rows, _beyond(rates, found, z, radius, size, near)])
    width = len(rows)
    solved = np.linalg.solve(np.eye(width) - rows[:, :width], rows[:, n + 1 :]).T
    return Sides(solved[:, :n], solved[:, n] if width > n else np.zeros(3))


def _beyond(
    rates: Rates, found: Complex, z: Complex, radius: float, size: int, near: float
) -> Vector:
    """The equation for h, in columns as the others."""
    n, theta = rates.servers, 1 - rates.large_first
    if theta < radius**2:
        # The sum of the coefficients from n on, each times a power of θ.
        weights = theta * z ** -float(n) / (1 - theta / z)
        return np.fft.irfft(found * weights, size)[:, 0]
    # G(θ) without its first terms.
    row = _follow(rates, np.array([rates.large_first + 0j]), near)[:, 0].real
    row[:n] -= theta ** np.arange(n)
    return row / theta ** (n - 1)


def busy_complement(s: Number, arrivals: float, service: float) -> Number:
    """1 − the transform at s of the busy period of a single server."""
    surplus = s + service - arrivals
    return 2 * s / (surplus + np.sqrt(surplus**2 + 4 * arrivals * s))


def _by_series(rates: Rates, u: Complex, near: float, decay: float) -> Complex:
    """As `_follow`; if that takes fewer points, with G(w) as a power series in η, whose terms count
    large jobs that arrive while small ones go from m to n − 1: from a circle half as near to 1."""
    eta = 1 - busy_complement(rates.small_flow * u, rates.large_flow, rates.large)
    outer = math.sqrt(abs(eta).max())
    if decay > -math.log(outer) * len(u):
        return _follow(rates, u, near)
    size = next_fast_len(max(MIN_POINTS, math.ceil(decay / -math.log(outer))), real=True)
    rows, factor, _ = _step(rates, u)
    turned = outer * np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    around = busy_complement(rates.large_flow * (1 - turned), rates.small_flow, rates.serving[-1])
    coefficients = np.fft.irfft(_follow(rates, around, near), size)
    found = factor * (coefficients @ (eta / outer) ** np.arange(size)[:, None])
    found[: len(rows)] += rows
    return found


def _follow(rates: Rates, u: Complex, near: float) -> Complex:
    """G at 1 − `u`, as coefficients (n + 4, …) of x_0, …, x_{n−1}, h, 1, −E[m] and
    E[m(m − 1)/2]."""
    found = np.zeros((rates.servers + 1, len(u)), complex)
    product = np.ones(len(u), complex)
    while abs(u).max() > near:
        rows, factor, u = _step(rates, u)
        found += product * rows
        product *= factor
    return np.vstack([found, product * u ** np.arange(3)[:, None]])


def _step(rates: Rates, u: Complex) -> tuple[Complex, Complex, Complex]:
    """At z = 1 − `u` the coefficients of x_0, …, x_{n−1} and h, C(z), and 1 − w."""
    # A name with `not_` is 1 minus the quantity.
    n, up, serving = rates.servers, rates.small_flow, rates.serving[:, None]
    not_eta = busy_complement(up * u, rates.large_flow, rates.large)
    cost = rates.large_flow * not_eta
    not_w = busy_complement(cost, up, rates.serving[n])
    w = 1 - not_w
    # R_k/w^k, in which no factor is above 1.
    ratios = np.ones((n, len(u)), complex)
    not_g = not_w
    for k in range(n - 1, rates.threshold, -1):
        ratios[k] = serving[k] / (cost + serving[k] + up * not_g)
        not_g = 1 - ratios[k]
    last = serving[1 : rates.threshold + 1]
    ratios[1 : rates.threshold + 1] = last / (last + cost + up * u)
    ratios[1:] /= w
    np.multiply.accumulate(ratios, axis=0, out=ratios)
    powers = np.ones((n, len(u)), complex)
    powers[1:] = w
    np.multiply.accumulate(powers, axis=0, out=powers)
    rows = np.zeros((n + 1, len(u)), complex)
    first, factor = ratios * powers, ratios[n - 1].copy()
    if rates.always:
        rows[:n] = powers * (ratios - factor)
        # If no job is present, the first arrival decides.
        next_job = up * (first[1] - 1) - rates.large_flow * not_eta
        rows[0] += next_job / (up + rates.large_flow)
        return rows, factor, not_w
    above = first[n - 1] * (rates.large_first - not_w) / rates.large_first
    moved = rates.at_arrival @ np.vstack([(1 - not_eta) * first, above])
    rows[:n] = moved[:n] - factor * powers
    rows[n] = moved[n - 1] - first[n - 1]
    return rows, factor, not_w
