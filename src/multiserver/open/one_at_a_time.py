"""One job at a time, in order of arrival: M/G/1, of any distribution.

Jobs arrive in a Poisson stream of rate λ and are served for S, a mixture over classes. With
ρ = λ E[S] < 1,

    E[W] = λ E[S²]/(2 (1 − ρ)),    E[T_c] = E[W] + E[S_c]

(F. Pollaczek, Math. Z. 32, 1930; A. Y. Khinchine, Mat. Sbornik 39, 1932). Let b_n be the
probability that more than n jobs arrive during a service. The numbers of jobs left behind at
completions, and by Poisson arrivals those at any time, have the distribution

    π_0 = 1 − ρ,    (1 − b_0) π_j = b_{j−1} π_0 + Σ_{0<k<j} b_{j−k} π_k,

a recursion of positive terms (H. C. Tijms, Stochastic Models, 1994, Section 4.2). Its sum over all
j > k is positive too: with B_k = Σ_{n≥k} b_n = E[(A − k)^+], A being the arrivals during a service,

    P(N > k) = B_k + Σ_{0<i≤k} π_i B_{k+1−i}/(1 − ρ),

so that small probabilities keep their digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.special import gammainc

from multiserver.errors import TooLargeError, require_stable
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
# A service without phases is cut off where it is rare. If more than this part of its mean is then
# missing, the B_k are differences, which keep their digits: P(N > k) is not small.
MISSING = 1e-12
# The largest k for which P(N > k) is computed, in time proportional to k².
LARGEST_K = 2**15
# The most values of a gamma function at once.
MOST_VALUES = 2**20


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
        """E[Δ] = (c² − 1)/2, with E[Q] (1 − λ/λ*) → E[Δ] + 1 as λ → λ*."""
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

    def arrive_beyond(self, rate: float, most: int) -> Vector:
        """B_0, …, B_most."""
        rows = [arrive_beyond(S, rate, most) for S in self.distributions]
        return np.array(self.probabilities) @ np.array(rows)

    def _mixed(self, values: Sequence[float]) -> float:
        return math.fsum(p * x for p, x in zip(self.probabilities, values, strict=True))


@dataclass(frozen=True)
class NumbersOfJobs:
    """N at λ = `rate`."""

    queue: OneAtATime
    rate: float

    def tail(self, k: int) -> float:
        """P(N > k), with twelve digits; for durations so variable that they are cut off, with an
        absolute error of about 1e-14. Raises `TooLargeError` if k is above `LARGEST_K` and P(N > k)
        may be above 1e-300."""
        if k < 0:
            return 1.0
        over = self._found["over"]
        while k >= len(over) and not (len(over) and over[-1] < 1e-300):
            if len(over) > LARGEST_K:
                raise TooLargeError(
                    f"P(N > k) takes a time proportional to k²: k may be at most {LARGEST_K},"
                    f" found {k}"
                )
            over = self._found["over"] = self._over(min(max(2 * len(over), 64), LARGEST_K + 1))
        return float(over[k]) if k < len(over) else 0.0

    @cached_property
    def _found(self) -> dict[str, Vector]:
        return {"over": np.zeros(0)}

    def _over(self, size: int) -> Vector:
        """P(N > k) (size,)."""
        more = self.queue.more_arrive(self.rate, size - 1)
        beyond = self.queue.arrive_beyond(self.rate, size - 1)
        distribution = np.zeros(size)
        distribution[0] = 1 - self.rate / self.queue.limit
        none = 1 - more[0]
        for j in range(1, size):
            distribution[j] = (
                more[j - 1] * distribution[0] + more[j - 1 : 0 : -1] @ distribution[1:j]
            ) / none
        waits = np.convolve(distribution[1:], beyond[1:])[: size - 1]
        beyond[1:] += waits / distribution[0]
        return np.minimum(beyond, 1.0)


def more_arrive(distribution: Size, rate: float, most: int) -> Vector:
    """P(more than n arrivals of rate λ during S) (most + 1,), n = 0 … `most`."""
    if flows := _flows(distribution, rate):
        return _mixed(most, *flows, lambda n, flow: gammainc(n + 1, flow))
    alpha, T = distribution.phases()
    return _at_arrivals(alpha, T, rate, np.ones(len(T)), most + 2)[1:]


def arrive_beyond(distribution: Size, rate: float, most: int) -> Vector:
    """E[(A − k)^+] (most + 1,), k = 0 … `most`, for A arrivals of rate λ during S."""
    mean = rate * distribution.mean
    if flows := _flows(distribution, rate):
        found = _mixed(
            most,
            *flows,
            lambda k, flow: np.maximum(flow * gammainc(k, flow) - k * gammainc(k + 1, flow), 0.0),
        )
        if abs(found[0] - mean) > MISSING * mean:
            more = more_arrive(distribution, rate, most)[:-1]
            found = np.maximum(mean - np.concatenate([[0.0], more.cumsum()]), 0.0)
        return found
    alpha, T = distribution.phases()
    # The arrivals that the rest of the service brings, given the phase.
    return _at_arrivals(alpha, T, rate, np.linalg.solve(-T / rate, np.ones(len(T))), most + 1)


def _at_arrivals(alpha: Vector, T: Vector, rate: float, values: Vector, count: int) -> Vector:
    """The mean of `values` (m,) over the phase at arrival i during S, counted as 0 once S is over
    (count,); i = 0 is the start of S."""
    # λ (λ − T)⁻¹: given the phase now, the probabilities of each phase at the next arrival.
    factors = lu_factor(np.eye(len(T)) - T / rate)
    found = np.empty(count)
    for i in range(count):
        found[i] = alpha @ values
        values = lu_solve(factors, values)
    return found


def _mixed(
    most: int, flow: Vector, weights: Vector, value: Callable[[Vector, Vector], Vector]
) -> Vector:
    """The means of value(k, flow), k = 0 … `most`."""
    parts = math.ceil((most + 1) * flow.size / MOST_VALUES)
    k = np.arange(most + 1.0)[:, None]
    return np.concatenate([value(some, flow) @ weights for some in np.array_split(k, parts)])


def _flows(distribution: Size, rate: float) -> tuple[Vector, Vector] | None:
    """λ S at the nodes of a quadrature, and their weights, of sum 1; None for phases."""
    match distribution:
        case Deterministic(value):
            return np.array([rate * value]), np.ones(1)
        case Bimodal(values, probabilities):
            return rate * np.array(values), np.array(probabilities)
        case Pareto(shape, scale):
            return _of_powers(rate * scale, shape, TAIL / shape)
        case BoundedPareto(shape, low, high):
            return _of_powers(rate * low, shape, min(math.log(high / low), TAIL / shape))
        case Lognormal(median, sigma):
            return _of_logs(rate * median, sigma, WIDE, lambda z: -z * z / 2)
        case Weibull(shape, scale):
            return _of_logs(rate * scale, 1 / shape, TAIL, lambda z: z - np.exp(z))
    return None


def _of_logs(
    flow: float, sigma: float, span: float, log_density: Callable[[Vector], Vector]
) -> tuple[Vector, Vector]:
    """The same if (ln λS − ln `flow`)/σ has the given density, up to a constant factor, between
    −span and WIDE."""
    length = span + WIDE
    nodes, half = panels(length, math.ceil(length * max(sigma, 1.0) / PANEL))
    z, weights = nodes.ravel() - span, np.tile(half * WEIGHTS, len(nodes))
    weights = weights * np.exp(log_density(z))
    return flow * np.exp(sigma * z), weights / weights.sum()


def _of_powers(flow: float, shape: float, span: float) -> tuple[Vector, Vector]:
    """The same if ln(S/low) has a density proportional to exp(−shape t) on 0 … span; λ low is
    `flow`."""
    nodes, half = panels(span, math.ceil(span / PANEL))
    t, weights = nodes.ravel(), np.tile(half * WEIGHTS, len(nodes))
    weights = weights * np.exp(-shape * t)
    return flow * np.exp(t), weights / weights.sum()
