"""The system with server needs 1 and n, split into terms as in the proofs of `multilevel-scaling`.

n = `servers` servers; p_n = c n^−α ln^β n with α = `exponent`, c = `coefficient`, β = `logs`;
`rates` are μ_1 and μ_n. With r = μ_1/μ_n, ν = μ/μ_1 for the throughput μ and x = 1 − ν/n, Lemma 5.5
has five terms, numbered as in the lists of Sections 7 and 8.2, with sums over 1 ≤ i < n:

    1  p_1^n x B with B = n − 1 − ν H_{n−1} + x/p_n,
    2  p_n Σ p_1^i i,    3  −p_n ν Σ p_1^i,    4  −p_n ν Σ p_1^i H_i,    5  p_n ν² Σ p_1^i H_i/i.

Differences of numbers near n are avoided: x is E[N_idle]/n + p_n ν (r − 1/n), and ν, E[N_idle] are
exact for n up to 2^53. Sums over states are computed directly, for n up to some 1e6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary
from multiserver.saturated.extrapolation import extrapolate
from multiserver.saturated.one_or_n import OneOrNMeans, one_or_n

Rates = tuple[float, float] | list[float]
UNIT: Rates = (1.0, 1.0)
# Limits are extrapolated from exact values at these n; larger n serve if no sum over states is
# needed.
NEAR, FAR = np.geomspace(1e3, 1e6, 7), np.geomspace(1e9, 2**53, 6)


@dataclass(frozen=True, slots=True)
class OneOrN:
    """n, p_n, μ_1 and μ_n of one system, and its exact means."""

    n: int
    p_n: float
    rate_1: float
    rate_n: float
    means: OneOrNMeans

    @classmethod
    def of(
        cls,
        servers: int,
        exponent: float,
        coefficient: float = 1.0,
        logs: float = 0.0,
        rates: Rates = UNIT,
    ) -> OneOrN:
        """The system at p_n = c n^−α ln^β n."""
        p_n = coefficient * servers**-exponent * math.log(servers) ** logs
        rate_1, rate_n = map(float, rates)
        return cls(servers, p_n, rate_1, rate_n, one_or_n(servers, p_n, rate_1, rate_n))

    @property
    def r(self) -> float:
        """μ_1/μ_n."""
        return self.rate_1 / self.rate_n

    @property
    def nu(self) -> float:
        """ν = μ/μ_1."""
        return self.means.throughput / self.rate_1

    @property
    def x(self) -> float:
        """1 − ν/n."""
        return self.means.wastage / self.n + self.p_n * self.nu * (self.r - 1 / self.n)

    @property
    def bracket(self) -> float:
        """B, the last factor of term 1."""
        return self.n - 1 - self.nu * harmonic(self.n - 1) + self.x / self.p_n

    def power(self, i: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """p_1^i."""
        return np.exp(np.asarray(i, dtype=float) * math.log1p(-self.p_n))

    def terms(self) -> tuple[float, ...]:
        """The five terms."""
        i = np.arange(1.0, self.n)
        powers, H, p_n, nu = self.power(i), np.cumsum(1 / i), self.p_n, self.nu
        return (
            float(self.power(self.n)) * self.x * self.bracket,
            p_n * float(powers @ i),
            -p_n * nu * float(powers.sum()),
            -p_n * nu * float(powers @ H),
            p_n * nu**2 * float(powers @ (H / i)),
        )


def chain_of(n: int, p_n: float, rates: Rates = UNIT) -> stationary.SaturatedDistribution:
    """The enumerated chain of the system, solved by elimination."""
    return stationary.solve(with_needs_1_and_n(n, p_n, rates))


def with_needs_1_and_n(n: int, p_n: float, rates: Rates = UNIT) -> MultiserverJobSystem:
    """The system as the library knows it."""
    return MultiserverJobSystem.of(n, (1, n), rates, (1 - p_n, p_n))


def harmonic(n: float) -> float:
    """H_n."""
    return float(digamma(n + 1)) + float(np.euler_gamma)


def limit(
    value: Callable[[OneOrN], float],
    sizes: NDArray[np.float64],
    exponent: float,
    coefficient: float = 1.0,
    logs: float = 0.0,
    rates: Rates = UNIT,
) -> float:
    """lim of a value of the system as n → ∞, by the polynomial in 1/ln n through `sizes`."""

    def at(n: int) -> float:
        return value(OneOrN.of(n, exponent, coefficient, logs, rates))

    return extrapolate(at, lambda n: 1 / math.log(n), sizes)
