"""Preemptive policies that depend only on the number of jobs of each class, as Markov chains.

Jobs of class c arrive at rate λ_c = λ p_c and need v_c of the n servers for an exponential time of
rate μ_c. A rule (`count_rules`) says how many of each class, u(N), are in service while N are
present. Then N is a Markov chain, with steps of one job,

    π(N) Σ_c (λ_c + μ_c u_c(N)) = Σ_c (λ_c π(N − e_c) + μ_c u_c(N + e_c) π(N + e_c)).

**Iteration.** Each step balances lines of states, and aggregates of states on many levels
(`count_levels`); the next point is mixed from the last ones (`anderson`).

**What is left out.** Only the states that matter are kept (`count_states`); an arrival that leads
out of them is turned away. With r the residual of the balance equations, the error is

    E[N] − Ê[N] = Σ_{N + e_c left out} π̂(N) λ_c (h(N + e_c) − h(N)) + Σ_N r(N) h(N).

`truncation_error` bounds the first sum, relative to E[N], and `residual_error` the second, by upper
bounds on h and its differences. States are added where the first sum is large, until both bounds
together are small enough (the module `truncation_error` defines h and the bounds). `means` are
those over all states, extrapolated from the last chains: their error is a hundredth of this, so
that half as many states are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.model import MultiserverJobSystem
from multiserver.open.anderson import Mixing
from multiserver.open.count_levels import Level, unit_codes
from multiserver.open.count_rules import Rule
from multiserver.open.count_states import Served, extended
from multiserver.open.truncation_error import MARGIN, Extrapolated, Point, Target, Truncated

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]

MOST_STATES, MOST_CYCLES = 8_000_000, 300
# Means with larger errors are refused; smaller errors are not sought.
ROUGH, ENOUGH = 1e-5, 1e-9
# Errors are relative to E[N], and for classes of a smaller share of the jobs to this much of it.
COMMON = 0.05
# The least error that is asked for, for the sake of rare classes.
FINEST = 1e-14
# The first states have so many values of each class count; points that are mixed.
INITIAL_COUNTS, DEPTH = 6, 6
# While a distribution still changes by more, it does not show how much is left out.
STILL_MOVING = 0.1


@dataclass(frozen=True, eq=False)
class CountsDistribution:
    """The stationary distribution: the states `counts` (m, C), those in service `served` (m, C),
    and `probabilities` (m,). `truncation_error` bounds the relative error of E[N] by truncation,
    `residual_error` that by residuals of the balance equations.
    """

    arrival_rate: float
    counts: Counts
    served: Counts
    probabilities: Vector
    truncation_error: float
    residual_error: float

    @property
    def class_jobs(self) -> tuple[float, ...]:
        """E[N_c]."""
        return tuple((self.probabilities @ self.counts).tolist())

    @property
    def class_waiting(self) -> tuple[float, ...]:
        """The jobs of each class that are not in service, on average."""
        return tuple((self.probabilities @ (self.counts - self.served)).tolist())

    @property
    def class_in_service(self) -> tuple[float, ...]:
        """E[u_c], which is λ_c/μ_c."""
        return tuple((self.probabilities @ self.served).tolist())

    @property
    def imprecision(self) -> float:
        """The relative error of E[N], by the bounds above."""
        return self.truncation_error + self.residual_error

    def tail(self, k: int) -> float:
        """P(N > k), of all classes together."""
        return float(self.probabilities[self.counts.sum(axis=1) > k].sum())


@dataclass(frozen=True, eq=False)
class CountsMeans:
    """E[N_c] `class_jobs`, of which `class_waiting` are not in service. The last chain had so many
    `states`; `imprecision` is the error of all E[N_c], relative to E[N]."""

    class_jobs: tuple[float, ...]
    class_waiting: tuple[float, ...]
    states: int
    imprecision: float


def solve(
    system: MultiserverJobSystem,
    rule: Rule,
    arrival_rate: float,
    limit: float,
    *,
    enough: float = ENOUGH,
    most_states: int = MOST_STATES,
) -> CountsDistribution:
    """The distribution at arrival rate λ under a rule that is stable below `limit` = λ*, with
    `imprecision` at most `enough` if that takes no more than `most_states`.

    Raises `UnstableError` unless λ < λ*, `TooLargeError` if with so many states the relative error
    of E[N] still exceeds `ROUGH`, and `NotKnownError` if the iteration does not converge.
    """
    target = Target.distribution(enough)
    return _solve(system, rule, arrival_rate, limit, target, most_states)[0]


def rarity(jobs: ArrayLike, parts: ArrayLike | None = None) -> float:
    """The factor, at most 1, by which errors of `parts` of E[N], or of E[N_c] `jobs` (C,), must be
    smaller than those of E[N], as one has a share below `COMMON`."""
    numbers = np.asarray(jobs)
    least = float(np.min(numbers if parts is None else parts))
    share = max(least / float(numbers.sum()), float(np.finfo(float).tiny))
    return min(share / COMMON, 1.0)


def means(
    system: MultiserverJobSystem,
    rule: Rule,
    arrival_rate: float,
    limit: float,
    *,
    enough: float = ENOUGH,
    most_states: int = MOST_STATES,
) -> CountsMeans:
    """The means alone, which are extrapolated from fewer states; arguments and errors as above,
    but that a class with a share s < `COMMON` of the jobs has an error of at most
    `enough`/`COMMON` relative to its own E[N_c], or else `imprecision` is larger than `enough`."""
    best, wanted = None, enough
    while True:
        target = Target.means(wanted)
        try:
            last, found = _solve(system, rule, arrival_rate, limit, target, most_states)
        except (NotKnownError, TooLargeError):
            if best is None:
                raise
            return best
        rare = rarity(found.jobs)
        error = (found.error + last.residual_error) / rare
        if best is None or error < best.imprecision:
            numbers = tuple(found.jobs.tolist()), tuple(found.waiting.tolist())
            best = CountsMeans(*numbers, len(last.counts), error)
        finer = max(enough * rare, FINEST)
        if best.imprecision <= enough or finer >= wanted:
            return best
        wanted = finer


def _solve(
    system: MultiserverJobSystem,
    rule: Rule,
    arrival_rate: float,
    limit: float,
    target: Target,
    most_states: int,
) -> tuple[CountsDistribution, Extrapolated]:
    """The distribution on enough states to meet the target, and the means that follow from it."""
    require_stable(arrival_rate, limit)
    classes, enough = len(system.classes), target.enough
    point = Point(system, arrival_rate, limit)
    first = np.array(list(product(range(INITIAL_COUNTS), repeat=classes)), dtype=np.int64)
    states = Served(np.sort(first @ unit_codes(classes)), classes, rule)
    distribution, step = np.ones(len(states.codes)), Level.cycle
    with announced():
        while True:
            chain = _Chain(point, states)
            distribution, scores, converged = chain.iterate(distribution, target, step)
            if not converged and step is Level.cycle:
                # For a few systems, such as needs 3 and 4 of 8, cycles do not converge.
                distribution, step = np.ones(len(states.codes)), Level.sweep
                continue
            truncation_error = float(scores.sum())
            residual_error = chain.residual_error(distribution)
            found = target.add_chain(chain.truncated(distribution, truncation_error))
            more = states.codes
            if converged and found.error + residual_error > enough:
                aim = target.next_truncation_error(truncation_error)
                more = extended(states, scores, aim, rule)
            fits = len(more) <= most_states
            near = truncation_error < target.last * max(ROUGH, enough)
            if not fits and near and np.isinf(target.allowed_residual(truncation_error)):
                # No more states fit; these may be enough if they are balanced well.
                target = replace(target, last=np.inf)
                continue
            if fits and len(more) > len(states.codes):
                states = Served(more, classes, rule, states)
                filled = np.zeros(len(more))
                filled[states.places] = distribution
                distribution = filled
                continue
            if found.error + residual_error <= max(ROUGH, enough):
                last = states.counts, states.served, distribution, truncation_error, residual_error
                return CountsDistribution(arrival_rate, *last), found
            if not fits:
                raise TooLargeError(
                    f"a chain of {len(states.codes)} numbers of jobs by class leaves a relative"
                    f" error of {found.error:.0e} in E[N], and {most_states} fit"
                )
            raise NotKnownError(
                f"the balance equations of {len(states.codes)} numbers of jobs by class do not"
                f" converge: they leave a relative error of {residual_error:.0e} in E[N];"
                " simulate() takes any system"
            )


class _Chain:
    """The chain at a point, truncated to some states; an arrival that leads out is turned away."""

    def __init__(self, point: Point, states: Served) -> None:
        rising, leaving = (states.above >= 0) * point.flows, states.served * point.rates
        self._rates = rising, leaving
        self._balance = states.above, states.below, rising, leaving
        self._levels = Level(states)
        counts = states.counts.astype(float)
        self._jobs, self._delay = counts.sum(axis=1), point.delay(counts) + point.shifts.max()
        # What is left out is linear in E[N], which is not known yet; its slope is the work that is
        # turned away.
        outward = point.flows - rising
        self._outward = (outward * point.difference_bound(counts, 0.0)).sum(axis=1)
        self._lost, self._states = outward @ point.shifts, states

    def residual_error(self, distribution: Vector) -> float:
        """The bound on the error by residuals of the balance equations, relative to E[N]."""
        from multiserver.open.count_sweeps import balance_residuals

        left, mean = abs(balance_residuals(distribution, *self._balance)), distribution @ self._jobs
        return float(left @ ((self._jobs + 1 + mean) * self._delay) / mean)

    def truncation_errors(self, distribution: Vector) -> Vector:
        """The contribution of each state (m,) to the truncation error, relative to E[N]."""
        mean = distribution @ self._jobs
        return distribution * (self._outward + mean * MARGIN * self._lost) / mean

    def truncated(self, distribution: Vector, truncation_error: float) -> Truncated:
        """The results of this chain, which leaves out so much."""
        counts = self._states.counts
        return Truncated(
            truncation_error,
            float(distribution * self._lost @ self._jobs),
            distribution @ counts,
            distribution @ (counts - self._states.served),
        )

    def iterate(
        self, distribution: Vector, target: Target, step: Callable[..., None]
    ) -> tuple[Vector, Vector, bool]:
        """The distribution on these states, as precise as the target asks given the truncation
        error, by steps of their levels; the contribution of each state to that error; and whether
        steps have converged."""
        mixing = Mixing(DEPTH)
        for _ in range(MOST_CYCLES):
            before = distribution.copy()
            step(self._levels, distribution, *self._rates)
            mean = float(distribution @ self._jobs)
            change = float(abs(distribution - before) @ self._jobs) / mean
            scores = self.truncation_errors(distribution)
            truncation_error = float(scores.sum())
            open_ = target.allowed_residual(truncation_error)
            if change <= max(min(truncation_error, STILL_MOVING, open_), target.enough) and (
                open_ == np.inf or self.residual_error(distribution) <= open_
            ):
                return distribution, scores, True
            if not np.isfinite(change):
                break
            mixed = mixing.next(before, distribution)
            distribution = np.where(mixed > 0, mixed, distribution)
        return distribution, scores, False
