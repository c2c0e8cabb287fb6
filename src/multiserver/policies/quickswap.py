"""Most Servers First without preemption, and its Quickswap (arXiv 2509.01893).

With needs 1 and n the first is the second of threshold 0, and both are exact for exponential
durations. Every threshold is stable for ρ < 1: what waits when service turns from one class to the
other is served at the full rate, less what at most n small jobs, or the last of them, cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.open import quickswap
from multiserver.policies.answers import (
    class_simulation,
    job_level,
    of_classes,
    whole_capacity,
)
from multiserver.policies.conditions import EXPONENTIAL
from multiserver.policies.one_at_a_time import ONE_NEED, one_at_a_time
from multiserver.policies.policy import Condition, Effort, Means, Method, Policy
from multiserver.system import System

Ints = NDArray[np.int64]
SOURCE = "`multiserver.open.quickswap`"
NEEDS_ONE_AND_ALL = Condition(
    "two classes, of needs 1 and n > 1",
    lambda system: sorted(system.needs) == [1, system.servers] and system.servers > 1,
)


def largest_that_fit(
    present: Ints, number: Ints, needs: Ints, servers: int, allotted: Ints
) -> None:
    """Start waiting jobs of the largest need that fit, then of the next, and so on."""
    idle = servers
    for c in range(len(needs)):
        idle -= allotted[c]
    for c in range(len(needs) - 1, -1, -1):
        more = min(present[c] - allotted[c] // needs[c], idle // needs[c])
        allotted[c] += more * needs[c]
        idle -= more * needs[c]


def turning(threshold: int, always: bool) -> Callable[..., None]:
    """Quickswap, as a rule for `class_simulation`: which phase it is follows from who is served, as
    long as ℓ < n − 1."""

    def rule(present: Ints, number: Ints, needs: Ints, servers: int, allotted: Ints) -> None:
        if allotted[1] > 0:
            return
        if allotted[0] == 0 and present[1] > 0:
            allotted[1] = needs[1]
            return
        if allotted[0] == 0 or allotted[0] > threshold or (not always and present[1] == 0):
            allotted[0] = min(present[0], servers)

    return rule


def _exact(
    system: System, threshold: float = 0, last_phase: Any = "always"
) -> Callable[[float], Means]:
    small = system.needs.index(1)
    order = (small, 1 - small)
    rates = tuple(1 / system.durations[c].mean for c in order)
    p = system.probabilities

    def at(arrival_rate: float) -> Means:
        flows = tuple(arrival_rate * p[c] for c in order)
        found = quickswap.solve(system.servers, rates, flows, _whole(threshold), last_phase)
        jobs = found.small_jobs, found.large_jobs
        times = tuple(number / flow for number, flow in zip(jobs, flows, strict=True))
        turned = slice(None, None, -1 if small else 1)
        return Means(
            jobs=sum(jobs),
            times=sum(jobs) / arrival_rate,
            class_jobs=jobs[turned],
            class_times=times[turned],
            imprecision=found.imprecision,
        )

    return at


def _simulate(
    system: System, arrival_rate: float, effort: Effort, threshold: float, last_phase: str
) -> Means:
    if not _whole(threshold) < system.servers - 1:
        raise ValueError(
            f"the simulator tells phases by who is served: the threshold must be less than n - 1 ="
            f" {system.servers - 1}, found {threshold!r}; ask exact()"
        )
    rule = turning(_whole(threshold), last_phase == "always")
    return of_classes(system, arrival_rate, effort, rule)


def _whole(threshold: float) -> int:
    if threshold != int(threshold):
        raise ValueError(f"the threshold must be an integer, found {threshold!r}")
    return int(threshold)


WHOLE = whole_capacity("arXiv 2509.01893")
EXACT = Method(
    question="exact",
    name="cycles from large jobs to large jobs",
    source=SOURCE,
    cost="M² log M, M small jobs that matter, 64 to 4,096",
    answer=_exact,
    conditions=(EXPONENTIAL, NEEDS_ONE_AND_ALL),
)

NonpreemptiveMostServersFirst = Policy(
    name="nonpreemptive-most-servers-first",
    preemptive=False,
    definition=(
        "At every arrival and completion waiting jobs start that fit the idle servers, the largest"
        " needs first, the oldest of a need first. No job is interrupted, none reserves servers."
    ),
    methods={
        "multiserver-jobs": (
            *one_at_a_time(ONE_NEED),
            replace(WHOLE, conditions=(NEEDS_ONE_AND_ALL,)),
            EXACT,
            class_simulation(largest_that_fit, "by definition"),
        )
    },
)

Quickswap = Policy(
    name="quickswap",
    preemptive=False,
    definition=(
        "Most Servers First with Quickswap, for needs 1 and n. Large jobs are served until none is"
        " left; then small jobs, those that come included, until at most `threshold` are in"
        " service; then no job starts until these have left; then large jobs again. With"
        " last_phase='if-large-waits' small jobs go on starting until a large job waits. No job is"
        " interrupted."
    ),
    options={"threshold": 1, "last_phase": "always"},
    choices={"last_phase": ("always", "if-large-waits")},
    requires={"multiserver-jobs": (NEEDS_ONE_AND_ALL,)},
    methods={
        "multiserver-jobs": (
            WHOLE,
            EXACT,
            job_level(_simulate, source="by definition"),
        )
    },
)
