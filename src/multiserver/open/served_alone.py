"""Jobs that are served only while no others are present: the largest need of Least Servers First.

There are n servers. Jobs of class c arrive at rate λ_c and need v_c servers for an exponential time
of rate μ_c; v_1 < … < v_C. The smallest needs are served first, preemptively (`finite-skip`,
Section 7.5), so that no class is affected by those after it. If v_1 + v_C > n, jobs of class C are
served one at a time, and only while no job of another class is present: class C is a single-server
queue with interruptions.

**Theorem.** Let Z be the numbers of jobs of the other classes, a = P(Z = 0), m(z) the mean time
from z until none of them is left, and ρ_C = λ_C/μ_C. Class C is stable if and only if ρ_C < a, and
then

    E[N_C] = (ρ_C + λ_C a E[m(Z)])/(a − ρ_C).

The work V of class C grows by an exponential time of mean 1/μ_C at rate λ_C and falls at rate 1
while Z = 0. Setting the mean drift of V² to 0 gives E[V; Z = 0] = ρ_C E[V] + λ_C/μ_C². The drift of
m(Z) is −1 off 0 and (1 − a)/a at 0, and setting that of V m(Z) to 0 gives
E[V; Z = 0] = a E[V] − ρ_C a E[m(Z)]; while a job of class C is in service, m(Z) = 0.
E[N_C] = μ_C E[V], as durations have no memory. (Queues with interruptions: B. Avi-Itzhak and
P. Naor, Operations Research 11, 1963.)

The distribution of Z is that of a chain of class counts (`class_counts`); m solves linear equations
on its states. It is computed repeatedly, each time ten times as precisely, until `imprecision` is
small enough: the relative change by the last repetition plus the error of the distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from multiserver.errors import require_stable
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts
from multiserver.open.class_counts import CountsDistribution
from multiserver.open.count_rules import Rule, by_need

ENOUGH = 1e-9
# Factors by which the distribution of the others is more precise than `enough`, in turn.
FINER = (0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, slots=True)
class ServedAloneMeans:
    """E[N_c] `class_jobs`, in the order of the system's classes, of which `class_waiting` are not
    in service; the number of `states` of the other classes, and the relative error."""

    arrival_rate: float
    class_jobs: tuple[float, ...]
    class_waiting: tuple[float, ...]
    states: int
    imprecision: float

    @property
    def waiting(self) -> float:
        """The jobs of all classes that are not in service, on average."""
        return math.fsum(self.class_waiting)


def solve(
    system: MultiserverJobSystem,
    arrival_rate: float,
    limit: float,
    *,
    enough: float = ENOUGH,
    most_states: int = class_counts.MOST_STATES,
) -> ServedAloneMeans:
    """The means at arrival rate λ below `limit` = λ*, of classes of increasing need.

    Raises `ValueError` unless needs increase and the first and the last together exceed the
    servers, `UnstableError` unless λ < λ*, and what `class_counts.solve` raises.
    """
    needs = system.needs
    if list(needs) != sorted(set(needs)) or not needs[0] + needs[-1] > system.servers > 1:
        raise ValueError(
            f"needs must increase, the first and the last more than {system.servers} servers"
            f" together, found {needs}"
        )
    require_stable(arrival_rate, limit)
    shares = np.array(system.probabilities[:-1])
    share = float(shares.sum())
    others = MultiserverJobSystem.of(system.servers, needs[:-1], system.rates[:-1], shares / share)
    rule = by_need(system.servers, needs[:-1], largest_first=False)
    rate, most = arrival_rate * share, limit * share
    flow = arrival_rate * system.probabilities[-1]
    own = flow / system.rates[-1]
    estimates, imprecision, rare = [], np.inf, 1.0
    for finer in FINER:
        wanted = max(enough / finer * rare, class_counts.FINEST)
        options = {"enough": wanted, "most_states": most_states}
        distribution = class_counts.solve(others, rule, rate, most, **options)
        idle, busy = (float(part.sum()) for part in np.split(distribution.probabilities, [1]))
        away = _time_to_empty(distribution, others, rule)
        # E[N_C] less those in service, which would have no digit left where jobs hardly ever wait.
        waiting = (own * (busy + own) + flow * idle * away) / (idle - own)
        estimates.append(own + waiting)
        rare = class_counts.rarity(distribution.class_jobs)
        if len(estimates) > 1:
            imprecision = abs(estimates[-1] / estimates[-2] - 1) + distribution.imprecision / rare
        if imprecision <= enough:
            break
    return ServedAloneMeans(
        arrival_rate,
        (*distribution.class_jobs, estimates[-1]),
        (*distribution.class_waiting, waiting),
        len(distribution.counts),
        imprecision,
    )


def _time_to_empty(
    distribution: CountsDistribution, system: MultiserverJobSystem, rule: Rule
) -> float:
    """E[m(Z)], on the states of the distribution and those below them; an arrival that leads out of
    these is turned away."""
    inside = np.zeros(1 + distribution.counts.max(axis=0), bool)
    inside[tuple(distribution.counts.T)] = True
    for axis in range(inside.ndim):
        downwards = np.logical_or.accumulate(np.flip(inside, axis), axis)
        inside = np.flip(downwards, axis)
    place = np.where(inside, np.cumsum(inside).reshape(inside.shape) - 1, -1)
    served, m = rule(np.argwhere(inside)), int(inside.sum())
    rows, columns, speeds = [], [], []
    for c, (rate, share) in enumerate(zip(system.rates, system.probabilities, strict=True)):
        above = np.take(place, range(1, place.shape[c]), c).ravel()
        below = np.take(place, range(place.shape[c] - 1), c).ravel()[above >= 0]
        above = above[above >= 0]
        rows += [below, above]
        columns += [above, below]
        speeds += [np.full(len(below), distribution.arrival_rate * share), served[above, c] * rate]
    starts, rates = np.concatenate(rows), np.concatenate(speeds)
    moves = sparse.csc_array((rates, (starts, np.concatenate(columns))), shape=(m, m))
    leaving = sparse.diags_array(np.bincount(starts, weights=rates, minlength=m))
    # The first state is the empty one. Without it an M-matrix is left, with its diagonal as pivots.
    rest = (leaving - moves).tocsc()[1:, 1:]
    times = np.append(0.0, splu(rest, diag_pivot_thresh=0.0).solve(np.ones(m - 1)))
    return float(distribution.probabilities @ times[place[tuple(distribution.counts.T)]])
