"""Chains of numbers of jobs: preemptive policies that ask only how many of each class there are.

Jobs of class c arrive at rate λ_c = λ p_c, need v_c of the n servers, for an exponential time of
rate μ_c. A rule (`count_rules`) says how many of each class, u(N), are in service while N are
present. Then N is a Markov chain, with steps of one job,

    π(N) Σ_c (λ_c + μ_c u_c(N)) = Σ_c (λ_c π(N − e_c) + μ_c u_c(N + e_c) π(N + e_c)).

**Iteration.** Lines of states are balanced, and aggregates of states on many levels
(`count_levels`); the next point is mixed from the last ones (`anderson`).

**What is left out.** The states that are told apart need be no box, but no departure leads out of
them. An arrival that does is turned away. With h the relative value of E[N], which solves a Poisson
equation,

    E[N] − Ê[N] = Σ_{N + e_c left out} π̂(N) λ_c (h(N + e_c) − h(N)) + Σ_N r(N) h(N),

r being what is unbalanced. A fluid of work w(N) = Σ N_c v_c/μ_c is served away after w(N)/s, by the
surplus s = (λ* − λ) E[S] of the capacity. A job more, of work a_c = v_c/μ_c, is there until then,
and all the others are there for a_c/s longer. So the difference of h is taken to be at most

    4 (D(N) + (Σ_b N_b + 2 + E[N]) a_c/s),    D(N) = w(N)/s + d,

d being the largest 1/μ_b, and h itself at most (Σ_b N_b + 1 + E[N]) (D(N) + a/s), a the largest
a_b. `left_out` is what this makes of the first sum, `unsettled` of the second, relatively. States
are added where the first sum comes from, until both together are below what is asked. That is no
theorem, and hence the 4: of random systems no job more adds what is taken, nor was a bound too
small (`tests/theory/test_class_counts.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.model import MultiserverJobSystem
from multiserver.open.anderson import Mixing
from multiserver.open.count_levels import RADIX, Level, States, base
from multiserver.open.count_rules import Rule

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]

MOST_STATES, MOST_CYCLES = 5_000_000, 300
# Means that are worse are refused, those that are better are not sought.
ROUGH, ENOUGH = 1e-5, 1e-9
# States that are told apart at first have so many numbers of jobs of each class.
FIRST, DEPTH = 6, 6
# A plane of states is moved by a share 1/REACH of how far out the states are.
REACH = 6
# A distribution that still changes by more tells nothing of what is left out.
SETTLING = 0.1
# What a job more adds is taken to be so many times that of a fluid.
MARGIN = 4.0


@dataclass(frozen=True, eq=False)
class CountsDistribution:
    """The stationary distribution: the states `counts` (m, C), those in service `served` (m, C),
    and `probabilities` (m,); what `left_out` states and `unsettled` balances make of E[N],
    relatively.
    """

    arrival_rate: float
    counts: Counts
    served: Counts
    probabilities: Vector
    left_out: float
    unsettled: float

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
        return self.left_out + self.unsettled

    def tail(self, k: int) -> float:
        """P(N > k), of all classes together."""
        return float(self.probabilities[self.counts.sum(axis=1) > k].sum())


class _Served(States):
    """States, and how many jobs of each class are in service, `served` (m, C)."""

    def __init__(self, codes: Counts, classes: int, rule: Rule, fewer: _Served | None = None):
        """`fewer` of them are known already, whose rule is not asked again."""
        super().__init__(codes, classes)
        self.served = np.empty_like(self.counts)
        new = np.ones(len(codes), bool)
        if fewer is not None:
            self.places = np.searchsorted(codes, fewer.codes)
            self.served[self.places], new[self.places] = fewer.served, False
        self.served[new] = rule(self.counts[new])


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

    Raises `UnstableError` unless λ < λ*, `TooLargeError` if with so many states E[N] is still open
    by more than `ROUGH`, and `NotKnownError` if balances do not settle.
    """
    require_stable(arrival_rate, limit)
    classes = len(system.classes)
    point = Point(system, arrival_rate, limit)
    first = np.array(list(product(range(FIRST), repeat=classes)), dtype=np.int64)
    states = _Served(np.sort(first @ base(classes)), classes, rule)
    distribution, step = np.ones(len(states.codes)), Level.cycle
    with announced():
        while True:
            chain = _Chain(point, states)
            distribution, scores, settled = chain.settle(distribution, enough, step)
            if not settled and step is Level.cycle:
                # Coarser chains lead a few systems astray, such as needs 3 and 4 of 8.
                distribution, step = np.ones(len(states.codes)), Level.sweep
                continue
            left_out = float(scores.sum())
            more = states.codes
            if settled and left_out > enough / 2:
                more = _closed(_further(states, scores, enough), states, rule)
            if len(more) > len(states.codes) and len(more) <= most_states:
                states = _Served(more, classes, rule, states)
                filled = np.zeros(len(more))
                filled[states.places] = distribution
                distribution = filled
                continue
            found = CountsDistribution(
                arrival_rate,
                states.counts,
                states.served,
                distribution,
                left_out,
                chain.unsettled(distribution),
            )
            if found.imprecision <= max(ROUGH, enough):
                return found
            if len(more) > most_states:
                raise TooLargeError(
                    f"with {len(states.codes)} numbers of jobs by class {left_out:.0e} of E[N] is"
                    f" open, and {most_states} fit"
                )
            raise NotKnownError(
                f"balances of {len(states.codes)} numbers of jobs by class do not settle:"
                f" {found.unsettled:.0e} of E[N] is open; simulate() takes any system"
            )


class Point:
    """A system at one arrival rate: what its fluid makes of a job more, see above."""

    def __init__(self, system: MultiserverJobSystem, arrival_rate: float, limit: float) -> None:
        self.rates = np.array(system.rates)
        self.flows = arrival_rate * np.array(system.probabilities)
        surplus = (limit - arrival_rate) * system.mean_demand
        self.shifts = np.array(system.needs) / self.rates / surplus

    def delay(self, counts: Vector) -> Vector:
        """D(N) in states N (m, C), (m,)."""
        return counts @ self.shifts + 1 / self.rates.min()

    def added(self, counts: Vector, mean_jobs: float) -> Vector:
        """What h(N + e_c) − h(N) is taken to be at most in states N (m, C), (m, C)."""
        jobs = counts.sum(axis=1) + 2 + mean_jobs
        return MARGIN * (self.delay(counts)[:, None] + np.outer(jobs, self.shifts))


class _Chain:
    """The chain at a point, kept to some states; an arrival that leads out is turned away."""

    def __init__(self, point: Point, states: _Served) -> None:
        rising, leaving = (states.above >= 0) * point.flows, states.served * point.rates
        self._rates = rising, leaving
        self._balance = states.above, states.below, rising, leaving
        self._levels = Level(states)
        counts = states.counts.astype(float)
        self._jobs, self._delay = counts.sum(axis=1), point.delay(counts) + point.shifts.max()
        # What is left out grows with E[N], which is not known yet.
        outward = point.flows - rising
        self._outward = (outward * point.added(counts, 0.0)).sum(axis=1)
        self._growing = MARGIN * outward @ point.shifts

    def unsettled(self, distribution: Vector) -> float:
        """What is unbalanced, in parts of E[N]."""
        from multiserver.open.count_sweeps import unbalanced

        left, mean = abs(unbalanced(distribution, *self._balance)), distribution @ self._jobs
        return float(left @ ((self._jobs + 1 + mean) * self._delay) / mean)

    def left_out(self, distribution: Vector) -> Vector:
        """What each state (m,) makes of what is left out, in parts of E[N]."""
        mean = distribution @ self._jobs
        return distribution * (self._outward + mean * self._growing) / mean

    def settle(
        self, distribution: Vector, enough: float, step: Callable[..., None]
    ) -> tuple[Vector, Vector, bool]:
        """The distribution among these states, as well as those left out allow, by steps of their
        levels; what each state makes of what is left out, and whether steps have settled."""
        mixing = Mixing(DEPTH)
        for _ in range(MOST_CYCLES):
            before = distribution.copy()
            step(self._levels, distribution, *self._rates)
            mean = float(distribution @ self._jobs)
            change = float(abs(distribution - before) @ self._jobs) / mean
            left_out = float(self.left_out(distribution).sum())
            if change <= max(min(left_out, SETTLING), enough) and (
                left_out > enough / 2 or self.unsettled(distribution) < enough / 2
            ):
                return distribution, self.left_out(distribution), True
            if not np.isfinite(change):
                break
            mixed = mixing.next(before, distribution)
            distribution = np.where(mixed > 0, mixed, distribution)
        return distribution, self.left_out(distribution), False


def _further(states: _Served, scores: Vector, enough: float) -> Counts:
    """The codes of these states, and of those beyond the ones that leave most open."""
    edge = scores > enough / 3 / np.count_nonzero(scores)
    found = []
    for c, step in enumerate(states.steps):
        codes = states.codes[edge & (states.above[:, c] < 0)]
        reach = 1 + int(states.counts[:, c].max()) // REACH
        found += [codes + k * step for k in range(1, reach + 1)]
    return _merged(states.codes, *found)


def _closed(codes: Counts, states: _Served, rule: Rule) -> Counts:
    """These codes, more than those of `states`, and of all that departures lead to: a state that
    has no way on would be a trap."""
    new = _without(codes, states.codes)
    while len(new):
        served = rule(new[:, None] // states.steps % RADIX)
        below = [new[served[:, c] > 0] - step for c, step in enumerate(states.steps)]
        new = _merged(*(_without(found, codes) for found in below))
        codes = _merged(codes, new)
    return codes


def _merged(*runs: Counts) -> Counts:
    """The codes of increasing `runs`, each of them once.

    Runs are merged; `np.unique` of all would take longer than the sweeps.
    """
    codes = np.sort(np.concatenate(runs), kind="stable")
    return codes[np.append(True, np.diff(codes) > 0)[: len(codes)]]


def _without(codes: Counts, known: Counts) -> Counts:
    """The codes that are not among the increasing `known` ones."""
    places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return codes[known[places] != codes]
