"""Intervals of classes that come seldom to servers of their own, or draw servers at random.

The queue of `run_length` pools all servers, and a class has a part of its waits. But a class of few
jobs on slow servers of its own forgets its state after as many jobs of its own as another queue
does after jobs of all classes. So a class is also judged in each *part* of the cluster that it is
in: the servers of a set S_i with the classes that may use no others, as a cluster by itself. Other
jobs may come to these servers too, so that the part settles no later than they do.

A job of degree 1 has one server, drawn at random. If all jobs are such, each of the S servers is a
queue by itself, which gets one job in S and forgets its state after S times as many jobs of all as
the pool would. A run sees S of these queues, and so means as good as those of one for S times as
long. But what is missing after the warm-up is missing from all of them, and must be √S times as
small a part of the mean: it decreases by a factor e in a relaxation time, and the warm-up must have
½ ln S more of them.

Where jobs draw d servers of S, the servers empty one another, and many settle later than the pool.
Let R_i be the load of i servers drawn at random by the jobs that may use no others: ρ
C(i − 1, d − 1)/C(S − 1, d − 1), summed over the classes. Under balanced fairness the number of jobs
is a sum of independent geometric variables of means R_i/(1 − R_i) (`symmetric`; a recursion over
the server that is removed gives it for several degrees). If jobs come and go near that balance, N
approaches its mean by a factor e in

    τ = dE[N]/dλ = (σ/C) Σ_i R_i/(ρ (1 − R_i)²),

for exponential sizes; others have τ (1 + c²)/2. Here, too, ½ ln S more are needed.

The times of the class beyond a level are judged likewise. Those of all jobs are judged by each
class that has more than `NEGLIGIBLE_SHARE` of the jobs beyond it: one job in fifty may be half of
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from multiserver.simulation.cluster import Cluster
from multiserver.simulation.controls import conservative_gain
from multiserver.simulation.estimate import (
    NEGLIGIBLE_SHARE,
    Estimate,
    seen_too_little,
    withhold_interval,
)
from multiserver.simulation.run_length import MIN_RELAXATION_TIMES, RunLength
from multiserver.simulation.tails import tail_caveat
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import mean_remaining_duration

if TYPE_CHECKING:
    from multiserver.simulation.interruption_estimates import Performance
    from multiserver.simulation.sampled_times import SampledTime

Parts = dict[tuple[int, ...], RunLength]


def withhold_intervals(cluster: Cluster, found: Performance) -> Performance:
    """What was found, without the intervals for E[X_i], E[T_i] and γ_i for which a part of the
    cluster is seen for too short a time; and, if more than `NEGLIGIBLE_SHARE` of the jobs in the
    cluster are of such a class, without those of all jobs."""
    own, total = parts(cluster, found.length), math.fsum(e.mean for e in found.jobs)
    jobs = _judge(own, found.jobs, caveat_over_time)
    times, rates = (
        _judge(own, e, RunLength.caveat) for e in (found.response_time, found.service_rate)
    )
    unseen, every = "", tuple(range(len(found.jobs)))
    for c, (before, after) in enumerate(zip(found.response_time, times, strict=True)):
        share = found.jobs[c].mean / total
        if share > NEGLIGIBLE_SHARE and after.caveat != before.caveat:
            unseen = after.caveat if every in own else seen_too_little(c, share)
    overall = withhold_interval(found.overall_response_time, unseen)
    return replace(
        found,
        jobs=jobs,
        response_time=times,
        service_rate=rates,
        overall_response_time=overall,
        unseen=unseen,
    )


def caveat_beyond(time: SampledTime, t: float, known: float | None = None) -> str:
    """Why a share of the response times above t, or a quantile t, has no fair interval in a part of
    the cluster, in words, or an empty string; `known` is that share, if it is."""
    own, c = time.times.own, time.c
    if c is None and own:
        above = np.bincount(time.times.classes[time.times.responses > t])
        many = np.flatnonzero(above > NEGLIGIBLE_SHARE * above.sum()).tolist()
        reasons = [caveat_beyond(time.times.of(i, waiting=False), t) for i in many]
        return next(filter(None, reasons), "")
    for classes, length in own.items():
        if c in classes:
            beyond, before = time.beyond(t)
            few = tail_caveat(length, before if known is None else known, beyond)
            if reason := length.caveat(classes.index(c)) or few:
                return reason
    return ""


def parts(cluster: Cluster, length: RunLength) -> Parts:
    """The parts of a cluster, by their classes, and how long a window of this `length` is for them.
    A part of all classes is left out unless drawn servers have not settled: then there is one, and
    its warm-up counts as none."""
    classes, found = cluster.classes, {}
    if alone := server_alone(cluster):
        own = tuple(i for i, c in enumerate(classes) if c.servers == 1)
        S, rates = len(cluster.capacities), alone.workload.arrival_rate
        share = S * rates / length.workload.arrival_rate
        times = _relaxation_times(S) / MIN_RELAXATION_TIMES
        jobs, before = math.ceil(share * length.jobs), share * length.warm_up / S / times
        found[own] = RunLength.of(alone.workload, jobs, before, alone.load, None)
    for servers in {c.servers for c in classes if c.fixed}:
        own = [i for i, c in enumerate(classes) if c.fixed and set(c.servers) <= set(servers)]
        if len(own) == len(classes):
            continue
        places = {s: place for place, s in enumerate(servers)}
        inside = [
            replace(classes[i], servers=tuple(places[s] for s in classes[i].servers)) for i in own
        ]
        # Nor may the jobs of degree 1 that have drawn one of these servers use others.
        drawn = len(servers) / len(cluster.capacities)
        inside += [
            replace(c, arrival_rate=drawn * c.arrival_rate, servers=tuple(places.values()))
            for c in classes
            if not c.fixed and c.degree == 1
        ]
        capacities = tuple(cluster.capacities[s] for s in servers)
        part = Cluster(capacities, tuple(inside), cluster.interruptions)
        share = part.workload.arrival_rate / length.workload.arrival_rate
        jobs, before = (math.ceil(share * n) for n in (length.jobs, length.warm_up))
        found[tuple(own)] = RunLength.of(part.workload, jobs, before, part.load, None)
    if length.warm_up < length.workload.arrival_rate * settling_time(cluster, length.fraction):
        found[tuple(range(len(classes)))] = replace(length, warm_up=0.0)
    return found


def settling_time(cluster: Cluster, fraction: float) -> float:
    """The time that servers drawn at random need to settle, (2 + ½ ln S) τ, at a `fraction` λ/λ*;
    0 if none are drawn, and infinite from λ* on."""
    S, work = len(cluster.capacities), cluster.work_rates
    if all(c.fixed for c in cluster.classes):
        return 0.0
    if not fraction < 1:
        return math.inf
    loads = np.zeros(S)
    for c, part in zip(cluster.classes, work / work.sum(), strict=True):
        above = np.arange(S, c.degree, -1)
        loads[: S - c.degree + 1] += part * np.cumprod([1.0, *(above - c.degree) / (above - 1)])
    spread = sum(
        w * mean_remaining_duration(c.size) for c, w in zip(cluster.classes, work, strict=True)
    )
    pace = float(spread / work.sum()) / math.fsum(cluster.capacities)
    return _relaxation_times(S) * pace * float((loads / (1 - fraction * loads) ** 2).sum())


def _relaxation_times(S: int) -> float:
    """How many must pass before S servers are measured that all started empty, 2 + ½ ln S."""
    return MIN_RELAXATION_TIMES + math.log(S) / 2


def server_alone(cluster: Cluster) -> Cluster | None:
    """The slowest server, with the jobs of degree 1 that draw it; None if there are none, or no
    other server."""
    S = len(cluster.capacities)
    drawn = [replace(c, arrival_rate=c.arrival_rate / S) for c in cluster.classes if c.servers == 1]
    if S == 1 or not drawn:
        return None
    return Cluster((min(cluster.capacities),), tuple(drawn), cluster.interruptions)


def settling_time_alone(cluster: Cluster) -> float:
    """The time that this server needs to settle; infinite if it is overloaded, 0 without one."""
    alone = server_alone(cluster)
    if alone is None:
        return 0.0
    return alone.settling_jumps() / alone.jump_rate if alone.load < 1 else math.inf


def _judge(
    own: Parts, estimates: tuple[Estimate, ...], judge: Callable[[RunLength, int, float], str]
) -> tuple[Estimate, ...]:
    found = list(estimates)
    for classes, length in own.items():
        for place, c in enumerate(classes):
            # What controls gain is a matter of luck where the part alone would have none.
            gain = conservative_gain(found[c]) if length.controllable else 1.0
            found[c] = withhold_interval(found[c], judge(length, place, gain))
    return tuple(found)
