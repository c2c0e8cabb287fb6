"""One job at a time, in order of arrival: M/G/1, of any distribution.

Jobs arrive in a Poisson stream of rate λ and are served for S, a mixture over classes. With
ρ = λ E[S] < 1,

    E[W] = λ E[S²]/(2 (1 − ρ)),    E[T_c] = E[W] + E[S_c]

(F. Pollaczek, Math. Z. 32, 1930; A. Y. Khinchine, Mat. Sbornik 39, 1932). Let b_n be the
probability that more than n jobs arrive during a service. The numbers of jobs left behind at
completions, and by Poisson arrivals those at any time, have the distribution

    π_0 = 1 − ρ,    (1 − b_0) π_j = b_{j−1} π_0 + Σ_{0<k<j} b_{j−k} π_k,

a recursion of positive terms (H. C. Tijms, Stochastic Models, 1994, Section 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.special import gammainc, pdtrc

from multiserver.errors import require_stable
from multiserver.saturated.quadrature import WEIGHTS, panels
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Lognormal,
    Pareto,
    Size,
    Weibull,
)

Vector = NDArray[np.float64]
# A Pareto distribution is cut where it is exceeded with probability e^-TAIL; ln S is integrated in
# panels of length PANEL.
TAIL, PANEL = 40.0, 0.125
# A normal variable exceeds WIDE with probability 1e-20.
WIDE = 9.3


@dataclass(frozen=True)
class OneAtATime:
    """The distributions S_c of services, with `probabilities` p_c. The second moment may be
    infinite."""

    distributions: tuple[Size, ...]
    probabilities: tuple[float, ...]

    @property
    def limit(self) -> float:
        """λ* = 1/E[S]."""
        return 1 / self._mixed([S.mean for S in self.distributions])

    @property
    def relative_completions(self) -> float:
        """E[Δ] = (c² − 1)/2, with E[Q (1 − ρ)] → E[Δ] + 1 as ρ → 1."""
        return self._mixed([S.second_moment for S in self.distributions]) * self.limit**2 / 2 - 1

    def waiting_time(self, rate: float) -> float:
        """E[W] at λ = `rate`. Raises `UnstableError` unless λ < λ*."""
        require_stable(rate, self.limit)
        second = self._mixed([S.second_moment for S in self.distributions])
        return rate * second / 2 / (1 - rate / self.limit)

    def numbers(self, rate: float) -> NumbersOfJobs:
        """The distribution of N at λ = `rate`."""
        return NumbersOfJobs(self, rate)

    def more_arrive(self, rate: float, most: int) -> Vector:
        """b_0, …, b_most."""
        rows = [more_arrive(S, rate, most) for S in self.distributions]
        return np.array(self.probabilities) @ np.array(rows)

    def _mixed(self, values: Sequence[float]) -> float:
        return math.fsum(p * x for p, x in zip(self.probabilities, values, strict=True))


@dataclass(frozen=True)
class NumbersOfJobs:
    """N at λ = `rate`."""

    queue: OneAtATime
    rate: float

    def tail(self, k: int) -> float:
        """P(N > k), with an absolute error of about 1e-14."""
        if k < 0:
            return 1.0
        if k >= len(self._found["over"]):
            self._found["over"] = self._over(max(2 * k, 64))
        return float(self._found["over"][k])

    @cached_property
    def _found(self) -> dict[str, Vector]:
        return {"over": np.zeros(0)}

    def _over(self, most: int) -> Vector:
        beyond = self.queue.more_arrive(self.rate, most)
        distribution = np.zeros(most + 1)
        distribution[0] = 1 - self.rate / self.queue.limit
        none = 1 - beyond[0]
        for j in range(1, most + 1):
            distribution[j] = (
                beyond[j - 1] * distribution[0] + beyond[j - 1 : 0 : -1] @ distribution[1:j]
            ) / none
        return np.maximum(1 - distribution.cumsum(), 0.0)


def more_arrive(distribution: Size, rate: float, most: int) -> Vector:
    """P(more than n arrivals of rate λ during S) (most + 1,), n = 0 … `most`."""
    n = np.arange(most + 1.0)
    match distribution:
        case Deterministic(value):
            return pdtrc(n, rate * value)
        case Bimodal(values, probabilities):
            rows = [pdtrc(n, rate * value) for value in values]
            return np.array(probabilities) @ np.array(rows)
        case Pareto(shape, scale):
            return _of_powers(n, rate * scale, shape, TAIL / shape)
        case BoundedPareto(shape, low, high):
            return _of_powers(n, rate * low, shape, min(math.log(high / low), TAIL / shape))
        case Lognormal(median, sigma):
            return _of_logs(n, rate * median, sigma, WIDE, lambda z: -z * z / 2)
        case Weibull(shape, scale):
            return _of_logs(n, rate * scale, 1 / shape, TAIL, lambda z: z - np.exp(z))
    alpha, T = distribution.phases()
    # λ (λ − T)⁻¹: given the phase now, the probabilities of each phase at the next arrival.
    factors = lu_factor(np.eye(len(T)) - T / rate)
    found, left = np.empty(most + 1), np.ones(len(T))
    for i in range(most + 1):
        left = lu_solve(factors, left)
        found[i] = alpha @ left
    return found


def _of_logs(
    n: Vector, flow: float, sigma: float, span: float, log_density: Callable[[Vector], Vector]
) -> Vector:
    """The same if (ln λS − ln `flow`)/σ has the given density, up to a constant factor, between
    −span and WIDE."""
    length = span + WIDE
    nodes, half = panels(length, math.ceil(length * max(sigma, 1.0) / PANEL))
    z, weights = nodes.ravel() - span, np.tile(half * WEIGHTS, len(nodes))
    weights = weights * np.exp(log_density(z))
    return gammainc(n[:, None] + 1, flow * np.exp(sigma * z)) @ (weights / weights.sum())


def _of_powers(n: Vector, flow: float, shape: float, span: float) -> Vector:
    """The mean of P(n + 1, λ S), the regularised incomplete gamma function, if ln(S/low) has a
    density proportional to exp(−shape t) on 0 … span; λ low is `flow`."""
    nodes, half = panels(span, math.ceil(span / PANEL))
    t, weights = nodes.ravel(), np.tile(half * WEIGHTS, len(nodes))
    weights = weights * np.exp(-shape * t)
    return gammainc(n[:, None] + 1, flow * np.exp(t)) @ (weights / weights.sum())
