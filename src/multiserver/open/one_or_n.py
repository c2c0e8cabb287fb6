"""First come, first served, jobs that need one server or all n: exact response times in O(n).

Jobs arrive at rate λ. A share p is *small*: one server, an exponential time of rate 1 (the unit of
time here). A share q = 1 − p is *large*: all n servers, a phase-type time S. Everything is known
from the distribution of one number, the age U of a large job when it completes, which is its
response time. While it was there jobs came in a Poisson stream, of classes not yet drawn. The next
large job came at a time A, exponential of rate λq, after it. If A ≤ U, the small jobs between them
start at U, and their number K is Poisson of mean λpA. If not, small jobs are served from U on, a
Poisson number of mean λpU to begin with, until the next large job stops the chain (`small_jobs`)
with K there. Once they have drained it starts at once, at the age

    V = max(U − A, 0) + D(K),    U' = V + S',

a recursion for U in place of the n + 1 fronts of `age_process`. Let g be the density of U with
transform ĝ, B that of S, s = λ(1 − z), y = p/z, and ξ_m = ∫ g(u) e^−λu (λpu)^m/m! du the chance
that A > U with m small jobs there. Were K drawn as if A ≤ U always, V + A − U would have a
distribution of its own and V a transform ĝ(s) (q/z) Σ_k y^k E[exp(−s D(k))]; what that gets wrong
is linear in ξ:

    ĝ (1/B − (q/z) Φ) = Σ_m ξ_m (E_m[exp(−s D(K))] − (q/z) Σ_j y^j E[exp(−s D(m + j))]),

Φ = Σ_k y^k E[exp(−s D(k))], and E_m is over K, from m jobs on. Divided by s, with Δ and Z of
`small_jobs`,

    ĝ ((1/B − 1)/s + (q/z) Z_0 − 1/(λq − s)) = Σ_m ξ_m ((q/z) Z_m − E_m[Δ_K] − 1/(λq − s)).    (1)

It holds on the imaginary axis, has one solution with ĝ(0) = 1, and g is a sum of n + 1
exponentials, hence smooth: N ≪ n of any rates are enough (`exponential_sums`), and (1), linear in
their coefficients, is solved by least squares over 1.5 N frequencies. For m ≥ n all sums are closed
forms, S(x) = Σ_j x^j ξ_{n+j} = (I − x A)⁻¹ ξ_n; below n, ξ_m and the mean times of the chain take
O(N n). The residual of (1) tells how good N is, which grows until that is small.

Then E[T_n] = E[U]. With H the mean time for which a large job is the first to wait, 1 + … +
1/min(K, n − 1) given K, a small job waits E[U] − E[S] − H: both wait alike until their class is
drawn. The zero −θ of 1/B − (q/z) Φ next to 0 is the first pole of ĝ: P(U > u) falls as exp(−θu),
and P(N > k) as (1 + θ/λ)^−k.

Relative error of E[T_c] below 1e-11 up to .99 λ* beside the number of jobs as the level, n from 2
to 70, and 1e-10 over six decades of rates and probabilities, 1e-9 over twelve; waiting times have
as many digits as are left when E[S] is taken from E[T]. `residual`, of (1), tells where that fails,
as for q below 1e-5: the error is up to 70 residuals, 2e-7 for q of 1e-8.
N is 80 for n = 10 and 300 for 1e6. One point takes .1 s for n = 100, .4 s for 1e4 and 18 s for 1e6,
less if q n > 46: more than 46/q small jobs between two large ones are never seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotKnownError, UnstableError
from multiserver.open.age_equation import Scaled, Solution, solve_for_age
from multiserver.open.age_rates import slowest_rate, suitable_rates
from multiserver.open.exponential_sums import ExponentialSums
from multiserver.open.numbers_of_jobs import numbers_of_jobs
from multiserver.phased import PhasedJobs
from multiserver.saturated.one_or_n import one_or_n
from multiserver.sizes import Size

Vector = NDArray[np.float64]

# More small jobs than e^-NEVER of all numbers between two large ones are not looked at.
NEVER = 46.0
# Exponentials of rates over the whole range, and near the rate of small jobs; how many more a try.
WIDE, LEAST, MORE, MOST = 6, 24, 1.4, 420
GOOD, ROUGH = 2e-13, 1e-8
# Errors of E[T_c] have been seen to be so many residuals, mostly fewer.
AMPLIFIED = 50.0


@dataclass(frozen=True, eq=False)
class OneOrNDistribution:
    """The queue at arrival rate λ (jobs per unit of time).

    `class_response_times` E[T_1], E[T_n]; `blocking` H; `decay` θ; `residual` of (1), relative.
    The density of T_n is the sum of `coefficients` (N,) times the functions of `basis`; `system`
    and `solution` are the same in the unit of time of small jobs.
    """

    arrival_rate: float
    probabilities: tuple[float, float]
    class_response_times: tuple[float, float]
    mean_waiting: float
    blocking: float
    decay: float
    residual: float
    basis: ExponentialSums
    coefficients: Vector
    system: Scaled
    solution: Solution

    @property
    def mean_response_time(self) -> float:
        """E[T]."""
        return float(np.dot(self.probabilities, self.class_response_times))

    @property
    def imprecision(self) -> float:
        """The relative error of E[T_c], within a factor of about ten."""
        return AMPLIFIED * self.residual

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
    """The number of small jobs between two large ones that matters: n, or what is exceeded with
    probability e^-NEVER, given p and q."""
    p, q = probabilities
    rare = -math.log(p) if q > 0.5 else -math.log1p(-q)
    return min(servers, max(2, math.ceil(NEVER / rare)))


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
    `MOST` exponentials are not enough for eight digits.
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
    system = Scaled(n, p, q, arrival_rate / unit, alpha, phases / unit, exits / unit)
    found = _converged(system)
    if not found.residual < ROUGH:
        raise NotKnownError(
            f"rates are too far apart for exact means of {servers} servers and needs 1 and"
            f" {servers}: equations are {found.residual:.0e} off; simulate() needs no rates that"
            " are near each other"
        )
    coefficients, basis, blocking = found.coefficients, found.basis, found.blocking
    response = float(coefficients @ basis.moments(1)) / rate_small
    undrawn = response - large.mean - blocking / rate_small
    return OneOrNDistribution(
        arrival_rate=arrival_rate,
        probabilities=(p, q),
        class_response_times=(undrawn + 1 / rate_small, response),
        mean_waiting=arrival_rate * (undrawn + q * blocking / rate_small),
        blocking=blocking / rate_small,
        decay=float(basis.rates[0]) * rate_small,
        residual=found.residual,
        basis=ExponentialSums(basis.rates * rate_small),
        coefficients=coefficients * math.sqrt(rate_small),
        system=system,
        solution=found,
    )


def _converged(system: Scaled) -> Solution:
    """The best of several bases, each of more functions than the one before."""
    decay = slowest_rate(system)
    delay = math.log(system.n)  # Of so many small jobs, in their mean durations.
    wide, near = WIDE, LEAST + 6 * delay + delay**2
    best, last = None, math.inf
    while True:
        rates = ExponentialSums(suitable_rates(system, decay, wide, math.ceil(near)))
        found = solve_for_age(system, rates.suited(system.rate, system.p, system.q), decay)
        best = found if best is None or found.residual < best.residual else best
        # What no longer falls is rounding.
        if not GOOD < found.residual < last / 2 or len(rates.rates) * MORE > MOST:
            return best
        last = found.residual
        wide, near = wide * MORE, near * MORE
