"""Preemptive Most Servers First where needs divide each other and the servers: E[N] by class.

There are n servers. Jobs of class c arrive at rate λ_c and need v_c servers for an exponential time
of rate μ_c; v_1 > v_2 > … > v_C, each divides the one before it, and v_1 divides n. Classes are
served in this order, preemptively, as many jobs of each as fit (`finite-skip`, Section 7.5). No
class is affected by those after it, so that classes 1 … c are such a system by themselves.

**Theorem.** Let a_b = v_b/μ_b, let V_c = Σ_{b≤c} a_b N_b be the expected work of the jobs present,
and I_c the servers that classes 1 … c leave idle. Then

    E[V_c] = Σ_{b≤c} λ_b a_b²/E[I_c] + E[V_c I_c]/E[I_c],     E[I_c] = n − Σ_{b≤c} λ_b a_b.

V_c² grows at the mean rate Σ λ_b (2 V_c a_b + a_b²) and falls at Σ μ_b u_b (2 V_c a_b − a_b²),
where Σ μ_b u_b a_b = n − I_c and E[μ_b u_b] = λ_b; the two have the same mean if moments are
finite. A job of need v_b waits only if fewer than v_b servers are idle; as n and all servers taken
before are multiples of v_b, none is: *servers are idle only while all jobs are in service*. So the
second term is a mean over the finitely many states with Σ v_b N_b < n, and only their odds are
needed.

**Truncation.** The odds do not depend on how long the chain is away from these states, only on
where it returns; after a long absence, in which classes are served one after the other, it has
forgotten where it left. So the chain may be truncated to a box N_b ≤ L_b far smaller than the
region that holds the mass: at a load of .95 in the systems of Figs 6 and 7 to some 30, 60 and 100
jobs, where there are hundreds. Each L_b in turn is made larger by half until this changes nothing.
The error `open` is three times the sum of the last changes, as each change is less than half of the
one before.

E[N_c] = (E[V_c] − E[V_{c−1}])/a_c is a difference, which loses digits if the work of class c is
small beside that of the classes before it: `imprecision` includes this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import require_divisors
from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.model import MultiserverJobSystem
from multiserver.open.anderson import Mixing
from multiserver.open.birth_and_death import scale_down
from multiserver.open.count_rules import by_need

Vector = NDArray[np.float64]

MOST_STATES, MOST_SWEEPS, DEPTH = 3_000_000, 400, 8
# Means with larger errors are refused; smaller errors are not sought.
ROUGH, ENOUGH = 1e-5, 5e-10
# The change of the odds by a sweep at convergence, and the relative error of E[V] that it leaves.
CONVERGED, ROUNDING = 1e-13, 1e-12
# A box has room for so many waiting jobs of a class at first, and grows by such a factor.
INITIAL_ROOM, GROWTH = 8, 1.5
# The sum of a geometric series whose ratio is below 2/3.
SERIES = 3.0


@dataclass(frozen=True, slots=True)
class MostServersFirstMeans:
    """E[N_c] `class_jobs`, in the order of the system's classes; the relative error of the worst
    of them, by truncation and by differences; and the largest `box`, by class."""

    arrival_rate: float
    class_jobs: tuple[float, ...]
    imprecision: float
    box: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """E[V_c] `mean`, its error `open`, and the `box` that it takes."""

    mean: float
    open: float
    box: tuple[int, ...]


def solve(
    system: MultiserverJobSystem,
    arrival_rate: float,
    *,
    enough: float = ENOUGH,
    most_states: int = MOST_STATES,
) -> MostServersFirstMeans:
    """The means at arrival rate λ, to a relative accuracy of `enough` if boxes of `most_states`
    allow it.

    Raises `ValueError` unless needs are different, divide each other and the servers,
    `UnstableError` unless λ < n/E[S], `TooLargeError` if with so many states relative errors still
    exceed `ROUGH`, and `NotKnownError` if sweeps do not converge.
    """
    order = sorted(range(len(system.classes)), key=lambda c: -system.needs[c])
    needs = [system.needs[c] for c in order]
    if len(set(needs)) < len(needs):
        raise ValueError(f"needs must be different, found {system.needs}")
    require_divisors(system.servers, needs, each_other=True)
    require_stable(arrival_rate, system.naive_throughput)
    flows = [arrival_rate * system.probabilities[c] for c in order]
    rates = [system.rates[c] for c in order]
    jobs, worst = [0.0] * len(order), 0.0
    before = _Work(0.0, 0.0, ())
    with announced():
        for k, c in enumerate(order):
            parts = needs[: k + 1], rates[: k + 1], flows[: k + 1]
            work = _work(system.servers, *parts, before, enough / 2, most_states)
            part = work.mean - before.mean
            jobs[c] = part / (needs[k] / rates[k])
            worst = max(worst, (work.open + before.open) / part if part > 0 else math.inf)
            before = work
    if worst > max(ROUGH, enough):
        raise TooLargeError(
            f"{most_states} numbers of jobs by class leave a relative error of {worst:.0e} in the"
            " mean number of a class"
        )
    return MostServersFirstMeans(arrival_rate, tuple(jobs), worst, before.box)


def _work(
    servers: int,
    needs: Sequence[int],
    rates: Sequence[float],
    flows: Sequence[float],
    before: _Work,
    enough: float,
    most_states: int,
) -> _Work:
    """E[V_c] of these classes, given that of all but the last, to the accuracy `enough` relative to
    what the last class adds."""
    work = np.array(needs) / np.array(rates)
    idle = servers - float(np.dot(flows, work))
    fixed = float(np.dot(flows, work**2)) / idle
    places = [servers // v for v in needs]
    box = [*before.box, places[-1] + INITIAL_ROOM]
    if len(needs) == 1:
        _require_fit(box, most_states)
        odds = np.ones(places[0])
        for k in range(1, places[0]):
            odds[k] = odds[k - 1] * (flows[0] / (k * rates[0]))
            scale_down(odds, k)
        odds *= places[0] - np.arange(places[0])
        mean = fixed + float(odds @ np.arange(places[0])) / float(odds.sum()) * float(work[0])
        return _Work(mean, ROUNDING * mean, tuple(box))
    while True:
        larger = [[*box[:c], math.ceil(GROWTH * most), *box[c + 1 :]] for c, most in enumerate(box)]
        for one in larger:
            _require_fit(one, most_states)
        mean = _idle_work(servers, needs, rates, flows, box)
        changes = [abs(_idle_work(servers, needs, rates, flows, one) - mean) for one in larger]
        left = SERIES * sum(changes) + ROUNDING * (fixed + mean)
        allowed = max(enough * (fixed + mean - before.mean), 2 * ROUNDING * (fixed + mean))
        if left <= allowed:
            return _Work(fixed + mean, left, tuple(box))
        share = allowed / SERIES / len(box) / 2
        box = [
            math.ceil(GROWTH * most) if change > share else most
            for most, change in zip(box, changes, strict=True)
        ]


def _require_fit(box: Sequence[int], most_states: int) -> None:
    if (states := math.prod(most + 1 for most in box)) > most_states:
        raise TooLargeError(
            f"{states} numbers of jobs by class are needed, or more, and {most_states} fit"
        )


def _idle_work(
    servers: int,
    needs: Sequence[int],
    rates: Sequence[float],
    flows: Sequence[float],
    box: Sequence[int],
) -> float:
    """E[V I]/E[I] of the chain truncated to a box."""
    from multiserver.open.line_sweeps import balance_lines, rates_out

    sizes = np.array(box) + 1
    counts = np.stack(np.unravel_index(np.arange(math.prod(sizes.tolist())), sizes), axis=1)
    strides = np.array([math.prod(sizes[c + 1 :].tolist()) for c in range(len(box))])
    served = by_need(servers, needs, largest_first=True)(counts)
    leaving = served * np.array(rates)
    moving = leaving + (counts < np.array(box)) * np.array(flows)
    idle = (servers - served @ np.array(needs)).astype(float)
    some = idle > 0
    idle, work = idle[some], counts[some] @ (np.array(needs) / np.array(rates))
    axes = range(len(box))
    eliminated = []
    for c in axes:
        across = np.delete(moving, c, axis=1).sum(axis=1)
        out = rates_out(sizes, c, flows[c], leaving[:, c], across)
        eliminated.append((leaving[:, c] / out, 1 / out))
    distribution, mixing = np.ones(len(counts)), Mixing(DEPTH)
    for _ in range(MOST_SWEEPS):
        before = distribution.copy()
        for c in axes:
            for forward in (True, False):
                balance_lines(
                    distribution,
                    sizes,
                    strides,
                    c,
                    np.array(flows),
                    leaving,
                    *eliminated[c],
                    forward,
                )
        distribution /= distribution[some] @ idle
        if abs(distribution - before)[some] @ idle <= CONVERGED:
            return float(distribution[some] @ (idle * work))
        mixed = mixing.next(before, distribution)
        distribution = np.where(mixed > 0, mixed, distribution)
    raise NotKnownError(
        f"the balance equations of {len(counts)} numbers of jobs by class have not converged in"
        f" {MOST_SWEEPS} sweeps"
    )
