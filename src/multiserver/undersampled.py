"""Simulated means that rest on a class of jobs of which a run has seen too little.

A policy may keep the jobs of a class waiting for so long that their number takes a thousand times
as long to settle as the work does: nonpreemptive Most Servers First starts a job that needs all
servers only when none is busy. A run that is shorter has a few of them in the system, where many
should be, and all that they would keep waiting is served too soon. Nothing in the estimates of the
other means shows it; those of the class itself do.

The share of a class is that of the jobs in the system, by those that are found there, or by
Little's law, λ p_c E[T_c], of jobs that are followed to their ends: whichever is more.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from multiserver.policies.policy import Means
from multiserver.simulation.estimate import (
    FAIR,
    Estimate,
    enough_observations,
    held_back,
    observations,
)
from multiserver.system import System

# Of the jobs in the system: less than this may be wrong by half, and the sum by a twentieth.
MOST = 0.1


def hold_back(system: System, arrival_rate: float, found: Means, limit: float | None) -> Means:
    """The means, without intervals where a class bears them of which a replication has fewer than
    `FAIR` jobs, or one worth fewer than `SETTLED`, or where replications are too short at λ/λ*,
    λ* being `limit`, if it is known. Classes with servers of their own keep theirs.
    """
    of_all = found.times
    if of_all is None:
        return found
    starved = _reason(system, arrival_rate, found)
    apart = system.model == "parallel-processing"
    known = math.nan
    if limit:
        jobs = arrival_rate * of_all.mean
        known = observations(of_all.jobs / of_all.replications, arrival_rate / limit, jobs)

    def held(value: Any, reason: str = starved) -> Any:
        if not isinstance(value, Estimate):
            return value
        needed = enough_observations(value)
        if known < needed:
            reason = reason or (
                f"too short, as a replication is worth about {known:.3g} independent observations"
                f" of the queue at this load, fewer than {needed:.3g}"
            )
        return held_back(value, reason)

    def held_by_class(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        reason = "" if apart else starved
        return None if values is None else tuple(held(value, reason) for value in values)

    sampled, tail = found.sampled, found.tail
    if sampled is not None:
        whole = held(replace(of_all, gain=1.0, caveat=sampled.caveat))
        sampled = replace(sampled, caveat=whole.caveat)
    return replace(
        found,
        times=held(of_all),
        jobs=held(found.jobs),
        waiting=held(found.waiting),
        busy=held(found.busy),
        class_times=held_by_class(found.class_times),
        class_jobs=held_by_class(found.class_jobs),
        tail=None if tail is None else lambda k: held(tail(k)),
        sampled=sampled,
    )


def _reason(system: System, arrival_rate: float, found: Means) -> str:
    """Which class is seen too little, in words, or nothing."""
    if found.class_times is None or len(found.class_times) < 2:
        return ""
    numbers = found.class_jobs or (None,) * len(found.class_times)
    rows = zip(system.probabilities, system.durations, found.class_times, numbers, strict=True)
    present, seen = [], []
    for p, X, time, number in rows:
        by_time = arrival_rate * p * (X.mean if time is None else time.mean)
        present.append(max(by_time, 0.0 if number is None else number.mean))
        many = p * found.times.jobs >= FAIR * found.times.replications
        seen.append(many and time.settled and (number is None or number.settled))
    for c, (share, enough) in enumerate(zip(present, seen, strict=True), start=1):
        if share > MOST * sum(present) and not enough:
            return (
                f"class {c} makes up {share / sum(present):.0%} of the jobs in the system, and the"
                " run has seen too little of it"
            )
    return ""
