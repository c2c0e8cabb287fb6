r"""Quickswap, and nonpreemptive Most Servers First: needs 1 and n, exponential durations.

Small jobs need 1 of n servers and arrive at rate λ_1, large ones need all, at rate λ_n; durations
are exponential of rates μ_1 and μ_n. No job is interrupted. Under Quickswap with threshold ℓ < n
large jobs are served until none is left. Then small jobs are served, new arrivals included, until
at most ℓ are in service. Then no job starts until these, the *last*, have left; then large jobs are
served again (Most Servers First with Quickswap, arXiv 2509.01893). ℓ = 0 is nonpreemptive Most
Servers First. There are two readings: the policy waits for the last ones *always*, or only *if a
large job waits*, and until one does small jobs go on.

**Cycle.** When no large job is left, m small ones are present. Given m, the time until this is so
again has independent parts, each with a transform. Let z count small jobs that arrive while none
can start, and let s account for the large jobs that arrive in a time and wait,

    s(z) = λ_n (1 − η(λ_1 (1 − z))),

with η the transform of the busy period of large jobs. All small jobs are served, up to n. The time
in which their number falls from k to k − 1 has the transform g_k of a birth-death chain,

    g_k = k μ_1/(s + λ_1 + k μ_1 − λ_1 g_{k+1}),     g_k = g_n for k ≥ n, with n μ_1 for k μ_1,

and the time in which the last d leave has D_d = Π_{i≤d} iμ_1/(iμ_1 + s + λ_1 (1 − z)). Given k
small jobs and e large ones, the number m' of small jobs when no large one is left next has

    E[z^{m'}] = η^e R_k(z),     R_k = D_{min(k, ℓ)} Π_{ℓ<i≤k} g_i,

with η at λ_1 (1 − z). In the reading *always*, k = m and e = 0 unless m = 0; then the first arrival
decides. In the reading *if a large job waits*, e = 1, and k are present when it arrives, after the
birth-death chain has moved for an exponential time of rate λ_n.

**Solution.** G(z) = E[z^m], with coefficients x_m, satisfies an equation that leads from z to
w = g_n(z), which is nearer to 1,

    G(z) = Σ_{m<n} x_m (Q_m(z) − C(z) w^m) + h (Q_{n−1}(z) − R_{n−1}(z)) + C(z) G(w),

where C = R_{n−1}/w^{n−1} and Q_m(z) is E[z^{m'}] from m < n small jobs. In the reading *always*,
h = 0. In the other, h = Σ_{m≥n} x_m θ^{m−n+1}, where θ is the probability that n small jobs become
n − 1 before a large one arrives. The equation is iterated to 1, where G is
1 − (1 − z) E[m] + (1 − z)² E[m(m − 1)/2]. This gives G on a circle within the unit disc, linearly
in x_0, …, x_{n−1} and h. Its coefficients there are as many equations for these
(`multiserver.open.quickswap_transforms`). Nothing is cut off, however many jobs wait.

**Means.** E[N_1] and E[N_n] are the mean areas of a cycle over its mean length. From n on all areas
are quadratic in m, so that the sum and two moments of x_n, x_{n+1}, … are enough; these follow from
the moments of m'. `imprecision` is ten times the relative difference between the means by two
circles, or the error by rounding, if that is larger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import TooLargeError, require_stable
from multiserver.open.quickswap_areas import Areas, areas
from multiserver.open.quickswap_transforms import Rates, Sides, equations

Vector = NDArray[np.float64]
Reading = Literal["always", "if-large-waits"]

MOST_SERVERS, MOST_SMALL, MOST_WORK = 2048, 1e12, 1e6
# Points of a circle per server, and x such that the aliasing error is e^−x.
CIRCLES = ((6, 34.0), (5, 32.0))
# The distance from 1 within which G is quadratic, in parts of 1/E[m]; the least error by rounding;
# the largest error that is accepted.
NEAR, ROUNDING, ROUGH = 1e-5, 1e-12, 1e-6
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class QuickswapMeans:
    """E[N] of small and of large jobs, and their relative `imprecision`."""

    small_jobs: float
    large_jobs: float
    imprecision: float


class _Weights(NamedTuple):
    """Weights of k, unnormalised probabilities: `below` (n,) of k < n, and `above` (3,), the sums
    of those of k ≥ n times 1, k − n and (k − n)(k − n − 1)/2."""

    below: Vector
    above: Vector

    def mean(self, values: Vector) -> float:
        """The mean of values given in the form of `Areas`."""
        return float(np.concatenate(self) @ values)


def solve(
    servers: int,
    rates: tuple[float, float],
    flows: tuple[float, float],
    threshold: int,
    reading: Reading = "always",
) -> QuickswapMeans:
    """The means, for μ = `rates` and λ = `flows`, small before large.

    Raises `ValueError` unless n > 1 and ℓ is an integer with 0 ≤ ℓ < n, `UnstableError` unless
    ρ < 1, and `TooLargeError` beyond `MOST_SERVERS`, if more than `MOST_SMALL` jobs may wait, if n
    times the number of iterations of the equation exceeds `MOST_WORK`, or if the error exceeds
    `ROUGH`.
    """
    if servers < 2 or threshold not in range(servers):
        raise ValueError(
            f"servers must be 2 or more and the threshold an integer from 0 to n - 1,"
            f" found {servers!r} and {threshold!r}"
        )
    limit = sum(flows) / (flows[0] / (servers * rates[0]) + flows[1] / rates[1])
    require_stable(sum(flows), limit)
    if servers > MOST_SERVERS:
        raise TooLargeError(f"more than {MOST_SERVERS:,} servers")
    system = Rates(servers, *rates, *flows, threshold, reading == "always")
    with np.errstate(over="ignore", invalid="ignore"):
        areas_given = areas(system)
    # E[m] ≤ `most`: m' is at most as from n, and `growth` more for each small job above n.
    next_small = areas_given[1].next_start[0]
    growth = float(next_small[-2])
    most = float(next_small[servers] + 1) / (1 - growth)
    if not most < MOST_SMALL:
        raise TooLargeError(
            f"until {threshold} of {servers} small jobs are in service takes"
            f" {areas_given[0].length[servers]:.0e} units of time, in which more than"
            f" {MOST_SMALL:.0e} others come"
        )
    steps = math.log(most / NEAR) / -math.log(growth)
    if steps * servers > MOST_WORK:
        raise TooLargeError(f"{steps:.0e} steps from cycle to cycle, so near to λ* = {limit:g}")
    cycle = _Cycle(system, areas_given, most)
    (first, rounding), (second, _) = (
        cycle.means(equations(system, NEAR / most, points * servers, decay))
        for points, decay in CIRCLES
    )
    discrepancy = float(abs(second / first - 1).max())
    rounding += ROUNDING + 10 * EPS * limit / (limit - sum(flows))
    imprecision = max(10 * discrepancy, rounding)
    if not imprecision < ROUGH:
        raise TooLargeError(f"rates so far apart that rounding leaves {imprecision:.0e} of a mean")
    return QuickswapMeans(*first.tolist(), imprecision)


@dataclass(frozen=True)
class _Cycle:
    """Rates, areas given no large job and given one, and a bound on E[m]."""

    rates: Rates
    areas_given: tuple[Areas, Areas]
    most: float

    def means(self, by_side: Sides) -> tuple[Vector, float]:
        """E[N_1] and E[N_n], areas of a cycle over its length, and their relative rounding
        error."""
        rates, areas_given = self.rates, self.areas_given
        first = [self._moments(*side) for side in zip(*by_side, (1, 0, 0), strict=True)]
        (known, _), (by_mean, _), (by_pairs, _) = first
        # x is a linear function of E[m] and E[m(m − 1)/2], which must be the moments of x.
        moments = np.linalg.solve(np.eye(2) + np.column_stack([by_mean, -by_pairs]), known)
        x, h = (np.array([1, -moments[0], moments[1]]) @ part for part in by_side)
        _, above = self._moments(x, h, 1)
        weights = self._weights_of_k(_Weights(x, above), float(h))
        length = sum(weights[e].mean(areas_given[e].length) for e in (0, 1))
        small = [areas_given[e].small for e in (0, 1)]
        if rates.always:
            length += float(x[0]) / (rates.small_flow + rates.large_flow)
        else:
            present = np.append(np.arange(rates.servers + 1.0), [1.0, 0.0])
            length += 1 / rates.large_flow
            small[1] = small[1] + present / rates.large_flow
        by_class = small, [areas_given[e].large for e in (0, 1)]
        wholes = [sum(weights[e].mean(one[e]) for e in (0, 1)) for one in by_class]
        off = self._rounding(above)
        lost = [off @ one[1][rates.servers :] / w for one, w in zip(by_class, wholes, strict=True)]
        return np.array(wholes) / length, float(max(lost))

    def _rounding(self, above: Vector) -> Vector:
        """The error of the weights of k ≥ n, in the form of `_Weights`, by rounding or a term of
        third order."""
        if self.rates.always:
            return np.array([EPS, 0.0, 0.0])
        if self._rare:
            third = self.rates.large_first * self.most * above[2]
            return np.array([EPS * self.rates.large_first, EPS, EPS + third])
        return EPS / self.rates.large_first ** np.arange(3)

    def _moments(self, x: Vector, h: float, total: float) -> tuple[Vector, Vector]:
        """E[m] and E[m(m − 1)/2] if the weights of m < n are `x` and all sum to `total`; and, of
        m ≥ n, the sums in `_Weights`."""
        above = np.array([total - x.sum(), 0.0, 0.0])
        known, made = self._moment_equations(_Weights(x, above), h)
        # The moments of m and of m' are equal, and linear in the two of m ≥ n.
        nobody = np.zeros(len(x))
        by_moment = [self._moment_equations(_Weights(nobody, unit), 0.0) for unit in np.eye(3)[1:]]
        differences = np.column_stack([have - comes for have, comes in by_moment])
        above[1:] = np.linalg.solve(differences, made - known)
        return known + np.column_stack([have for have, _ in by_moment]) @ above[1:], above

    def _moment_equations(self, weights: _Weights, h: float) -> tuple[Vector, Vector]:
        """Sums, over the `weights` of m, of m and m(m − 1)/2, and of m' and m'(m' − 1)/2."""
        n, m = self.rates.servers, np.arange(self.rates.servers)
        own = weights.mean(np.append(m, [n, 1.0, 0.0]))
        pairs = weights.mean(np.append(m * (m - 1) / 2, [n * (n - 1) / 2, n, 1.0]))
        of_k = self._weights_of_k(weights, h)
        made = [
            sum(of_k[e].mean(self.areas_given[e].next_start[q]) for e in (0, 1)) for q in (0, 1)
        ]
        return np.array([own, pairs]), np.array(made)

    @property
    def _rare(self) -> bool:
        """Whether a large job so rarely arrives before few small ones are left that terms of third
        order are below the rounding error of a difference."""
        return self.rates.large_first * self.most < EPS ** (1 / 3)

    def _weights_of_k(self, m: _Weights, h: float) -> tuple[_Weights, _Weights]:
        """Weights of k without a large job, and with one, given those of m."""
        rates, n = self.rates, self.rates.servers
        if rates.always:
            # If no job is present, the first arrival decides.
            first = m.below[0] / (rates.small_flow + rates.large_flow)
            none, one = m.below.copy(), np.zeros(n)
            none[:2] = 0.0, m.below[1] + rates.small_flow * first
            one[0] = rates.large_flow * first
            return _Weights(none, m.above), _Weights(one, np.zeros(3))
        large_first = rates.large_first
        moved = np.append(m.below, 0.0)
        moved[n - 1] += h
        moved = moved @ rates.at_arrival
        # How far above n small jobs are when a large one arrives before they have become n − 1:
        # the distribution of those that began there, plus a geometric number.
        if self._rare:
            mass, mean, pairs = *(large_first * (m.above[:2] + m.above[1:])), 0.0
        else:
            mass = m.above[0] - h
            mean = m.above[1] - ((1 - large_first) * m.above[0] - h) / large_first
            pairs = m.above[2] + m.above[1] - mean / large_first
        ratio = rates.small_flow * (1 - large_first) / rates.serving[n]
        more = ratio / (1 - ratio)
        mass += moved[n]
        above = np.array([mass, mean + mass * more, pairs + mean * more + mass * more**2])
        return _Weights(np.zeros(n), np.zeros(3)), _Weights(moved[:n], above)
