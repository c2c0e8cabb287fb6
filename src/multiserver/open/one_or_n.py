"""First come, first served, jobs that need one server or all n: exact response times in O(n).

Jobs arrive at rate λ. A share p is *small*: one server, an exponential time of rate 1 (the unit of
time here). A share q = 1 − p is *large*: all n servers, a phase-type time S. Everything follows
from the distribution of one number, the age U of a large job when it completes, which is its
response time. While this job was present, others arrived in a Poisson stream, with classes not yet
drawn. The next large job arrives a time A after it, exponential of rate λq. If A ≤ U, the small
jobs between the two start at U; their number K is Poisson of mean λpA. If not, small jobs are
served from U on, at first a Poisson number of mean λpU, until the next large job stops the chain
(`small_jobs`) with K present. When these have drained it starts, at the age

    V = max(U − A, 0) + D(K),    U' = V + S'.

This recursion for U replaces the n + 1 fronts of `age_process`. Let g be the density of U and ĝ its
transform, B the transform of S, s = λ(1 − z), y = p/z, and ξ_m = ∫ g(u) e^−λu (λpu)^m/m! du the
probability that A > U with m small jobs present. If always V = U − A + D(K), with K Poisson of mean
λpA, the transform of V would be ĝ(s) (q/z) Σ_k y^k E[exp(−s D(k))]. The correction is linear in ξ:

    ĝ (1/B − (q/z) Φ) = Σ_m ξ_m (E_m[exp(−s D(K))] − (q/z) Σ_j y^j E[exp(−s D(m + j))]),

where Φ = Σ_k y^k E[exp(−s D(k))], and E_m is the mean over K from m jobs on. Divided by s, with Δ
and Z of `small_jobs`,

    ĝ ((1/B − 1)/s + (q/z) Z_0 − 1/(λq − s)) = Σ_m ξ_m ((q/z) Z_m − E_m[Δ_K] − 1/(λq − s)).    (1)

This holds on the imaginary axis and has one solution with ĝ(0) = 1. As g is a sum of n + 1
exponentials, it is smooth, and N ≪ n exponentials of any rates are enough (`exponential_sums`). (1)
is linear in their coefficients and is solved by least squares over 1.5 N frequencies. For m ≥ n all
sums have closed forms, S(x) = Σ_j x^j ξ_{n+j} = (I − x A)⁻¹ ξ_n; below n, ξ_m and the mean times of
the chain take O(N n). N grows until the residual of (1) is small.

Then E[T_n] = E[U]. Let H be the mean time for which a large job is the first to wait, which is
1 + … + 1/min(K, n − 1) given K. Both classes wait alike until their class is drawn. A large job
waits V, so a small one waits E[V] − H = E[max(U − A, 0)] + E[max(K − n + 1, 0)]/n. The zero −θ of
1/B − (q/z) Φ next to 0 is the first pole of ĝ: P(U > u) falls as exp(−θu), and P(N > k) as
(1 + θ/λ)^−k.

Compared with the chain whose level is the number of jobs, n from 2 to 70, the relative error of
E[T_c] is below 1e-11 up to .99 λ*, 1e-10 over six decades of rates and probabilities, and 1e-9 over
twelve. Short waits keep their digits, as they are no difference of E[T] and E[S]: for q from 1e-6
and λ from 1e-10 λ*, the error of E[W_c] is below 1e-9, or 4e-8 where large jobs are a hundred times
as short as small ones. The `residual` of (1) shows where digits are lost, as for q below 1e-5: the
error is up to 70 residuals, 2e-7 for q of 1e-8. Near λ* digits are lost as θ is small beside λ: for
n = 5000 and q = 1e-5 the error is 7e-9 at .9999 λ*. N is 80 for n = 10 and 300 for 1e6. One point
takes .1 s for n = 100, .4 s for 1e4 and 18 s for 1e6, less if q n > 46: more than 46/q small jobs
between two large ones never occur.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotKnownError, UnstableError
from multiserver.open.age_equation import ScaledSystem, Solution, solve_for_age
from multiserver.open.age_rates import slowest_rate, suitable_rates
from multiserver.open.exponential_sums import ExponentialSums
from multiserver.open.numbers_of_jobs import numbers_of_jobs
from multiserver.phased import PhasedJobs
from multiserver.saturated.one_or_n import one_or_n
from multiserver.sizes import Size

Vector = NDArray[np.float64]

# The number of small jobs between two large ones is cut where it is exceeded with probability
# e^-NEGLIGIBLE_EXPONENT.
NEGLIGIBLE_EXPONENT = 46.0
# Exponentials a decade over the whole range and, at least, near the rate of small jobs, at first;
# the factor by which their number grows; the most of them.
WIDE_PER_DECADE, MIN_NEAR, GROWTH, MAX_EXPONENTIALS = 6, 24, 1.4, 420
GOOD, ROUGH = 2e-13, 1e-8
# Errors of E[T_c] have been found to be about so many residuals, mostly fewer, and near λ* about so
# many roundings of λ/θ and, with 1 as the rate of small jobs, of √(λ/q)/θ.
AMPLIFIED, ROUNDED, ROUNDED_IF_RARE = 50.0, 3.0, 0.3


@dataclass(frozen=True, eq=False)
class OneOrNDistribution:
    """The queue at arrival rate λ (jobs per unit of time).

    `class_response_times` E[T_1], E[T_n]; `class_waiting_times` E[W_1], E[W_n]; `blocking` H;
    `decay` θ; `residual` of (1), relative. The density of T_n is the sum of `coefficients` (N,)
    times the functions of `basis`; `system` and `solution` are the same in the unit of time of
    small jobs.
    """

    arrival_rate: float
    probabilities: tuple[float, float]
    class_response_times: tuple[float, float]
    class_waiting_times: tuple[float, float]
    blocking: float
    decay: float
    residual: float
    basis: ExponentialSums
    coefficients: Vector
    system: ScaledSystem
    solution: Solution

    @property
    def mean_response_time(self) -> float:
        """E[T]."""
        return float(np.dot(self.probabilities, self.class_response_times))

    @property
    def mean_waiting(self) -> float:
        """E[Q]."""
        return self.arrival_rate * float(np.dot(self.probabilities, self.class_waiting_times))

    @property
    def imprecision(self) -> float:
        """The relative error of E[T_c], within a factor of about ten. As θ → 0 the residual does
        not show it: (1) is relative to terms far larger than those that θ leaves."""
        λ, q = self.system.rate, self.system.q
        terms = ROUNDED * λ + ROUNDED_IF_RARE * math.sqrt(λ / q)
        rounding = float(np.finfo(float).eps) * terms / float(self.solution.basis.rates[0])
        return max(AMPLIFIED * self.residual, rounding)

    @property
    def decay_rate(self) -> float:
        """η, with P(N > k + 1)/P(N > k) → η."""
        return 1 / (1 + self.decay / self.arrival_rate)

    @cached_property
    def _numbers(self) -> dict[str, Vector]:
        return {"longest": np.zeros(0)}

    def tail(self, k: int) -> float:
        """P(N > k), with an absolute error of about 1e-12 (`numbers_of_jobs`).

        Raises `NotKnownError` if it takes too many steps.
        """
        if k >= len(self._numbers["longest"]):
            most = max(k, min(2 * k, 1000))
            self._numbers["longest"] = numbers_of_jobs(self.system, self.solution, most)
        return max(0.0, 1 - float(self._numbers["longest"][: max(k + 1, 0)].sum()))

    def tail_of_large(self, time: float) -> float:
        """P(T_n > t)."""
        return float(self.coefficients @ self.basis.integrals_beyond(time))


def most_between(servers: int, probabilities: tuple[float, float]) -> int:
    """The largest number of small jobs between two large ones that matters, given p and q: n, or
    the one that is exceeded with probability e^-NEGLIGIBLE_EXPONENT, if that is less."""
    p, q = probabilities
    rare = -math.log(p) if q > 0.5 else -math.log1p(-q)
    return min(servers, max(2, math.ceil(NEGLIGIBLE_EXPONENT / rare)))


def solve(
    servers: int,
    rate_small: float,
    large: Size,
    probabilities: tuple[float, float],
    arrival_rate: float,
) -> OneOrNDistribution:
    """The distribution of n = `servers` ≥ 2 servers: small jobs of rate `rate_small`, large ones of
    the phase-type durations `large`, `probabilities` (p, q), all above 0.

    Raises `UnstableError` unless λ < λ*, and `NotKnownError` if rates are so far apart that
    `MAX_EXPONENTIALS` exponentials are not enough for eight digits, or λ is so near λ* that none is
    left.
    """
    p, q = probabilities
    saturated = one_or_n(servers, q, rate_small, 1 / large.mean, probability_1=p)
    if not 0 < arrival_rate < saturated.throughput:
        raise UnstableError(
            f"jobs arrive at rate {arrival_rate!r}, which must be below λ* ="
            f" {saturated.throughput!r}",
            arrival_rate=arrival_rate,
            limit=saturated.throughput,
        )
    alpha, phases = large.phases()
    exits = PhasedJobs.of(servers, (servers,), (large,), (1.0,)).exits
    n, unit = most_between(servers, probabilities), rate_small
    system = ScaledSystem(n, p, q, arrival_rate / unit, alpha, phases / unit, exits / unit)
    try:
        found = _converged(system)
    except ArithmeticError as error:
        raise NotKnownError(
            f"λ = {arrival_rate!r} is so near λ* = {saturated.throughput!r} that exact means of"
            f" {servers} servers and needs 1 and {servers} have no digits: ask for a smaller load"
        ) from error
    if not found.residual < ROUGH:
        raise NotKnownError(
            f"rates are too far apart for exact means of {servers} servers and needs 1 and"
            f" {servers}: equations are {found.residual:.0e} off; simulate() needs no rates that"
            " are near each other"
        )
    coefficients, basis = found.coefficients, found.basis
    blocking, undrawn = found.blocking / rate_small, found.undrawn / rate_small
    response = float(coefficients @ basis.moments(1)) / rate_small
    return OneOrNDistribution(
        arrival_rate=arrival_rate,
        probabilities=(p, q),
        class_response_times=(undrawn + 1 / rate_small, response),
        class_waiting_times=(undrawn, undrawn + blocking),
        blocking=blocking,
        decay=float(basis.rates[0]) * rate_small,
        residual=found.residual,
        basis=ExponentialSums(basis.rates * rate_small),
        coefficients=coefficients * math.sqrt(rate_small),
        system=system,
        solution=found,
    )


def _converged(system: ScaledSystem) -> Solution:
    """The best of several bases, each of more functions than the one before."""
    decay = slowest_rate(system)
    delay = math.log(system.n)  # Of n small jobs, in their mean durations.
    wide, near = WIDE_PER_DECADE, MIN_NEAR + 6 * delay + delay**2
    best, last = None, math.inf
    while True:
        rates = ExponentialSums(suitable_rates(system, decay, wide, math.ceil(near)))
        found = solve_for_age(
            system, rates.with_exact_poles(system.rate, system.p, system.q), decay
        )
        best = found if best is None or found.residual < best.residual else best
        # A residual that no longer falls is rounding.
        if not GOOD < found.residual < last / 2 or len(rates.rates) * GROWTH > MAX_EXPONENTIALS:
            return best
        last = found.residual
        wide, near = wide * GROWTH, near * GROWTH
