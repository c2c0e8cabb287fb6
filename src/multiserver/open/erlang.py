"""Jobs of one exponential distribution on k servers, in order of arrival: M/M/k.

Let μ be the rate of service, a = λ/μ < k the traffic, r = a/k, and θ = kμ − λ. By Erlang's B and C,
the probabilities of a loss in M/M/k/k and of a wait,

    1/B = Σ_{0≤j≤k} Π_{0≤i<j} (k − i)/a,    C = B/(1 − r (1 − B)).

A wait that is not 0 is exponential of rate θ, and independent of the service that follows:

    P(W > t) = C e^{−θt},    P(T > t) = e^{−μt} (1 + C ∫_0^t μ e^{(μ−θ)s} ds).

The number of jobs N exceeds j ≥ k − 1 with probability C r^{j−k+1}. Given N < k, it is distributed
as a Poisson variable of mean a, given that this is below k.

Its distribution is the same for any order of service that leaves no server idle while a job
waits and does not depend on the times that jobs in service still need.

Reference: A. K. Erlang, Elektroteknikeren 13 (1917).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise
from scipy.special import exprel, gammainc, gammaincc

from multiserver.errors import require_stable

Array = NDArray[np.float64]
# Terms of 1/B that are summed at once, and the relative tolerance of quantiles.
AT_ONCE, EXACT = 100_000, 1e-14
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class MMk:
    """M/M/k of k = `servers`, arrival rate λ and rate of service μ; `p_wait` is C."""

    servers: int
    arrival_rate: float
    service_rate: float
    p_wait: float

    @classmethod
    def of(cls, servers: int, service_rate: float, arrival_rate: float) -> MMk:
        """Raises `UnstableError` unless λ < kμ."""
        require_stable(arrival_rate, servers * service_rate)
        lost = erlang_b(servers, arrival_rate / service_rate)
        load = arrival_rate / (servers * service_rate)
        return cls(servers, arrival_rate, service_rate, lost / (1 - load + load * lost))

    @property
    def waiting_rate(self) -> float:
        """θ = kμ − λ."""
        return self.servers * self.service_rate - self.arrival_rate

    @property
    def waiting_time(self) -> float:
        """E[W]."""
        return self.p_wait / self.waiting_rate

    def tail(self, j: int) -> float:
        """P(N > j)."""
        k, a = self.servers, self.arrival_rate / self.service_rate
        if j < 0:
            return 1.0
        if j >= k - 1:
            return self.p_wait * (a / k) ** (j - k + 1)
        # P(j < N < k) of the Poisson variable, whose tails are nearly 1 only if j is far below k.
        between = gammainc(j + 1, a) - gammainc(k, a)
        return self.p_wait + (1 - self.p_wait) * float(between / gammaincc(k, a))

    def times(self, classes: int) -> ErlangTimes:
        """The distributions of W and T, which are those of each of `classes` classes."""
        return ErlangTimes(self, classes)


@dataclass(frozen=True, slots=True)
class ErlangTimes:
    """`policies.policy.Times` of an M/M/k."""

    queue: MMk
    classes: int
    imprecision: float = 0.0

    @property
    def at_once(self) -> Array:
        """P(W = 0) (C + 1,)."""
        return np.full(self.classes + 1, 1 - self.queue.p_wait)

    def survival(self, times: Array) -> Array:
        """P(time > t) (T, 2C + 2) at `times` (T,) ≥ 0."""
        rows = [np.exp(log)[:, None] for log in (self._log_waiting(times), self._log(times))]
        return np.hstack([np.repeat(row, self.classes + 1, axis=1) for row in rows])

    def quantiles(self, levels: Array, columns: NDArray[np.int64]) -> Array:
        """The least t (R,) with P(time > t) at most `levels` (R,), for the times `columns` (R,)."""
        logs, queue = np.log(levels), self.queue
        with np.errstate(divide="ignore"):
            waits = np.maximum(np.log(queue.p_wait) - logs, 0.0) / queue.waiting_rate
        # P(T > t) lies between P(S > t) and P(W > w) + P(S > t − w). Where hardly any job waits,
        # the root is the lower end, which rounding must not leave out.
        least, half = -logs / queue.service_rate * (1 - 8 * EPSILON), np.log(2.0)
        found = elementwise.find_root(
            lambda t, level: self._log(t) - level,
            (least, least + (half / queue.service_rate + half / queue.waiting_rate) + waits),
            args=(logs,),
            tolerances={"xrtol": EXACT, "xatol": 0.0, "frtol": 0.0, "fatol": 0.0},
        )
        responses = np.where(levels < 1, found.x, 0.0)
        return np.where(columns <= self.classes, waits, responses)

    def moments(self, k: int) -> Array:
        """E[time^k] (2C + 2,), k ≥ 1."""
        queue = self.queue
        parts = [queue.p_wait ** (i > 0) / queue.waiting_rate**i for i in range(k + 1)]
        whole = math.fsum(part / queue.service_rate ** (k - i) for i, part in enumerate(parts))
        return math.factorial(k) * np.repeat([parts[k], whole], self.classes + 1)

    def _log_waiting(self, times: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(self.queue.p_wait) - self.queue.waiting_rate * times

    def _log(self, times: Array) -> Array:
        """log P(T > t)."""
        mu, theta = self.queue.service_rate, self.queue.waiting_rate
        # The integral is t e^{(μ−θ)t} exprel(−(μ − θ) t), which does not overflow if μ > θ.
        apart = abs(mu - theta) * times
        with np.errstate(divide="ignore"):
            later = np.log(self.queue.p_wait * mu * times * exprel(-apart))
        return np.logaddexp(-mu * times, later - min(mu, theta) * times)


def erlang_b(servers: int, traffic: float) -> float:
    """B, 0 where it is next to the least float: a multiple of √k terms of the sum."""
    found, term = 1.0, 1.0
    with np.errstate(over="ignore"):
        for first in range(0, servers, AT_ONCE):
            i = np.arange(first, min(first + AT_ONCE, servers))
            terms = term * np.cumprod((servers - i) / traffic)
            found, term = found + float(terms.sum()), float(terms[-1])
            if found == math.inf or (term < found * 1e-20 and servers - i[-1] < traffic):
                break
    return 1 / found
