"""First come, first served multiserver jobs: the distribution of waiting and of response times, by
class.

A job waits *undrawn* for a time V, finds an unsettled front u when it is drawn, blocks the head of
the queue for a time B_c(u) if its class c does not fit, and is in service for X_c:

    W_c = V + B_c(u),    T_c = V + B_c(u) + X_c.

(V, u) is independent of the class, B_c is the time until v_c servers are idle if no job enters, and
X_c is independent of both.

The joint distribution of V and u follows from the age of the head (`age_process`, whose symbols are
used). The jobs that are undrawn behind a settled front have arrived since its last job did, in a
Poisson stream. As x_q = x_0 R^q, R = λ (λ + T)⁻¹, the age has the density

    a(t) = a_0 exp(−T t),    a_0 = λ y E,

since ∫ a(t) e^{−λt} (λt)^q/q! dt = a_0 λ^q (λ + T)^{−(q+1)} = x_q. While jobs are drawn, the fluid
falls by exponential times of rate λ. Each time that it has risen above t it falls below t in an
unsettled front of distribution Ψ, so that jobs of age t are drawn in u at the rate λ (a(t) Ψ)_u. As
λ jobs are drawn in a unit of time,

    P(V = 0, u) = y_u,    P(V in dt, u) = (a(t) Ψ)_u dt,    P(V > t) = b exp(−T t) 1,

with b = a_0 T⁻¹ = x_0 + Σ_{q≥1} x_q, the distribution of the settled fronts. So V is phase-type, of
mean E[N_q]/λ. Given the class, let S_c be the probabilities that a draw settles a front with c at
its head, s_c = S_c 1, Q_c the rates among those fronts, and (α_c, D_c) the phases of X_c. Then W_c
and T_c are the times until a chain ends, with one matrix for all classes (`doubled_steps`),

    𝒢 = [[−T, Ψ S_c, Ψ (1 − s_c) α_c], [0, Q_c, −Q_c 1 α_c], [0, 0, D_c]].

It starts from (a_0, y S_c, y (1 − s_c) α_c), and is weighted by κ = T⁻¹ 1 while the job is undrawn
and by 1 after. Moments are r! s (−𝒢)^{−r} f.

All sums are of positive terms, except for the diagonal of T. This follows from b T = a_0 as a sum
of positive terms, T_jj = (a_0j − Σ_{i≠j} b_i T_ij)/b_j. If fronts are few, they are eliminated
without a subtraction (`positive_elimination`). T⁻¹ f is corrected to a_0 (T⁻¹ f) = b f, so that
near λ* no digit is lost with the small eigenvalue of T. Sums over levels have rounded away the
small entries of b; these follow from the rest, from T and from b T = a_0
(`positive_elimination.enforce_balance`): for a front of tiny probability T_jj is precise and b_j is
not. If fronts are interpolated, b may have any sign, and T is taken as it is.

The number left undrawn when a job is drawn is Poisson of mean λV given V (D. Bertsimas and
D. Nakazato, Oper. Res. 43, 1995), so that λ^r E[V^r] are factorial moments of N_q: another route.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from multiserver.checks import listed
from multiserver.errors import NotKnownError
from multiserver.fronts import Fronts, interpolated
from multiserver.open.age_distribution import AgeDistribution
from multiserver.open.doubled_steps import DoubledSteps, Triangular
from multiserver.open.front_distribution import ROUGH
from multiserver.open.level_zero import has_few_states
from multiserver.open.positive_elimination import Factors, enforce_balance, refined
from multiserver.phased import PhasedJobs, count_fronts

# At most so many settled fronts: some thirty matrices of that size are kept.
MOST_SETTLED = 1_500
# If fronts are interpolated, entries of b below this part of the largest are rounding.
NOISE = 1e-6
# For at most so many probabilities the quantiles of all columns are found at once.
FEW_LEVELS = 16
Array = NDArray[np.float64]


def is_feasible(jobs: PhasedJobs) -> bool:
    """Whether the matrices fit, decided by numbers of fronts alone."""
    return interpolated.applies(jobs) or count_fronts(jobs)[0] <= MOST_SETTLED


@dataclass(frozen=True, eq=False)
class WaitingDistribution:
    """The distributions of C classes and of all jobs at one arrival rate, as columns: W_c at c, W
    of all jobs at C, T_c at C + 1 + c and T of all jobs at 2C + 1.

    `start` (D,), `generator` 𝒢 and `weights` f (D, 2C + 2) are those above; `inverse` is (−𝒢)⁻¹.
    `at_once` (C + 1,) is P(W = 0), and `little` (C + 1,) E[W] by Little's law.
    """

    start: Array
    generator: Triangular
    weights: Array
    steps: DoubledSteps
    inverse: Inverse
    at_once: Array
    little: Array
    quantile_cache: dict[tuple[float, ...], Array] = field(default_factory=dict, repr=False)

    @cached_property
    def imprecision(self) -> float:
        """The error by rounding, within a factor of about ten: the largest of the differences
        between means and Little's law, relative to E[T_c], between all probability and 1, and
        between steps as long as E[W_c] and what they are scaled to."""
        waits, times = np.split(self.moments(1), 2)
        self.steps.survival(self.little)
        discrepancy = float((abs(waits - self.little) / times).max())
        whole = float(abs(self.start @ self.weights[:, len(waits) :] - 1).max())
        return max(discrepancy, whole, self.steps.max_scaling_change)

    def survival(self, times: Array) -> Array:
        """P(time > t) (T, 2C + 2) at `times` (T,) ≥ 0."""
        return self.steps.survival(times)

    def quantiles(self, levels: Array, columns: NDArray[np.int64]) -> Array:
        """The first t (R,) with P(time > t) at most `levels` (R,), for `columns` (R,)."""
        unique, place = np.unique(levels, return_inverse=True)
        if len(unique) > FEW_LEVELS:
            return self.steps.quantiles(levels, columns)
        return self._of_all(tuple(unique))[place, columns]

    def _of_all(self, levels: tuple[float, ...]) -> Array:
        """The same (L, 2C + 2) for all columns, which take hardly longer than one; cached."""
        if levels not in self.quantile_cache:
            shape = len(levels), self.weights.shape[1]
            each, column = (x.ravel() for x in np.indices(shape))
            found = self.steps.quantiles(np.array(levels)[each], column)
            self.quantile_cache[levels] = found.reshape(shape)
        return self.quantile_cache[levels]

    def moments(self, k: int) -> Array:
        """E[W^k] and E[T^k] (2C + 2,), k ≥ 1: k! s (−𝒢)^{−k} f."""
        found = self.weights
        for _ in range(k):
            found = self.inverse(found)
        return math.factorial(k) * (self.start @ found)


def waiting_distribution(distribution: AgeDistribution) -> WaitingDistribution:
    """The distributions of the times of a queue, given its distribution over levels.

    Raises `NotKnownError` if rounding has left fewer than six digits.
    """
    precise = has_few_states(distribution.process)
    distribution = refined(distribution) if precise else distribution
    fronts, jobs, rate = distribution.fronts, distribution.fronts.jobs, distribution.arrival_rate
    positive = not distribution.process.interpolated
    p, C = np.array(jobs.probabilities), len(jobs.needs)
    inflow = rate * (distribution.unsettled @ fronts.settles)
    measure = distribution.settled + distribution.above
    later = _Later.of(fronts)
    entering = later.entering
    records = distribution.records.copy()
    if positive:
        inflow = np.maximum(inflow, 0.0)
        enforce_balance(records, measure, inflow)
    generator = Triangular(
        -records, distribution.returns @ entering[distribution.process.drawn], later.blocks
    )
    start = np.concatenate([inflow, distribution.unsettled @ entering])
    inverse = Inverse(records, generator, measure, inflow, precise=precise)

    m = len(measure)
    weights = np.zeros((len(start), 2 * C + 2))
    weights[:m] = inverse.undrawn[:, None]
    for c in range(C):
        blocked, served = later.blocked[c] + m, later.served[c] + m
        weights[blocked, c] = 1.0
        weights[blocked, C] = p[c]
        for column, share in ((C + 1 + c, 1.0), (2 * C + 1, p[c])):
            weights[blocked, column] = share
            weights[served, column] = share
    at_once = np.array([start[later.served[c] + m].sum() for c in range(C)])
    waits = distribution.undrawn / rate + distribution.blocking_times
    found = WaitingDistribution(
        start=start,
        generator=generator,
        weights=weights,
        steps=DoubledSteps(
            generator,
            start,
            weights,
            measure,
            inflow,
            later.exit_rates,
            scaling_cutoff=0.0 if positive else NOISE,
        ),
        inverse=inverse,
        at_once=np.append(at_once, p @ at_once),
        little=np.append(waits, p @ waits),
    )
    if not found.imprecision <= ROUGH:
        raise NotKnownError(
            f"rates are too far apart for the distributions of times of {jobs.servers} servers and"
            f" needs {listed(jobs.needs)}: they are {found.imprecision:.0e} off; simulate() needs"
            " no rates that are near each other"
        )
    return found


@dataclass(frozen=True, eq=False, slots=True)
class _Later:
    """The chain after the draw, class after class: the fronts that a job blocks, then its phases.

    `blocks` are [[Q_c, −Q_c 1 α_c], [0, D_c]], `entering` (e, M) the probabilities of starting in
    each of their M states, given the class; `blocked[c]` and `served[c]` are these states, and
    `exit_rates[c]` the rates at which service ends there.
    """

    blocks: tuple[Array, ...]
    entering: Array
    blocked: tuple[NDArray[np.int64], ...]
    served: tuple[NDArray[np.int64], ...]
    exit_rates: tuple[Array, ...]

    @classmethod
    def of(cls, fronts: Fronts) -> _Later:
        jobs = fronts.jobs
        within = (fronts.moves + fronts.blocked).tocsr()
        opening = np.asarray(fronts.opened.sum(axis=1)).ravel()
        idle = jobs.servers - fronts.room @ jobs.held
        blocks, entering, blocked, served, exit_rates, at = [], [], [], [], [], 0
        for c, (need, p) in enumerate(zip(jobs.needs, jobs.probabilities, strict=True)):
            mine, kinds = np.flatnonzero(fronts.head == c), np.flatnonzero(jobs.owner == c)
            others = np.flatnonzero(fronts.head != c)
            h, size = len(mine), len(mine) + len(kinds)
            leaving = opening[mine] + within[mine][:, others].sum(axis=1)
            block = np.zeros((size, size))
            block[:h, :h] = within[mine][:, mine].toarray()
            block[:h, h:] = np.outer(leaving, jobs.start[kinds])
            block[h:, h:] = jobs.moves[np.ix_(kinds, kinds)]
            exit_rates.append(np.append(np.zeros(h), jobs.exits[kinds]))
            out = block.sum(axis=1) + exit_rates[c]
            block[np.arange(size), np.arange(size)] -= out
            found = np.zeros((len(idle), size))
            found[:, :h] = fronts.settles[:, mine].toarray() / p
            found[:, h:] = np.outer(idle >= need, jobs.start[kinds])
            blocks.append(block)
            entering.append(found)
            blocked.append(at + np.arange(h))
            served.append(at + h + np.arange(len(kinds)))
            at += size
        lists = blocked, served, exit_rates
        return cls(tuple(blocks), np.hstack(entering), *map(tuple, lists))


class Inverse:
    """The map of f (D, G) to (−𝒢)⁻¹ f; `undrawn` κ (m,) is T⁻¹ 1."""

    def __init__(
        self, records: Array, generator: Triangular, measure: Array, inflow: Array, *, precise: bool
    ) -> None:
        self._across, self._measure, self._inflow = generator.across, measure, inflow
        self._records = Factors(records, measure, inflow, precise=precise)
        self._rest = [lu_factor(-block) for block in generator.rest]
        self.undrawn = self._records.solve(np.ones((len(records), 1)))[:, 0]
        # Near λ* this is nearly the eigenvector of the small eigenvalue, with most of the rounding.
        if (drawn := float(inflow @ self.undrawn)) > 0:
            self.undrawn *= measure.sum() / drawn

    def __call__(self, f: Array) -> Array:
        m = len(self._measure)
        found, at = np.empty_like(f), m
        for factors in self._rest:
            upto = at + len(factors[0])
            found[at:upto] = lu_solve(factors, f[at:upto])
            at = upto
        right = f[:m] + self._across @ found[m:]
        first = self._records.solve(right)
        missing = self._measure @ right - self._inflow @ first
        found[:m] = first + np.outer(self.undrawn, missing / self._measure.sum())
        return found
