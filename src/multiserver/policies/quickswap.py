"""Most Servers First without preemption, and with Quickswap (arXiv 2509.01893).

The first is Quickswap with threshold 0. Both are solved exactly for two needs and exponential
durations (by cycles for needs 1 and n), and simulated for any durations. If the needs divide each
other and the servers, every threshold is stable for ρ < 1: all servers are at work while small jobs
wait that are not held back, and the time for which they are held back, when service turns from one
class to the other, does not depend on how many wait.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.open import quickswap, two_needs
from multiserver.policies.by_need import ByNeed
from multiserver.policies.conditions import (
    EXPONENTIAL_BY_NEED,
    NEEDS_DIVIDE_EACH_OTHER,
    NEEDS_ONE_AND_ALL,
)
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import class_simulation, job_level, simulate_class_queues
from multiserver.policies.one_at_a_time import one_at_a_time_by_need
from multiserver.policies.policy import Budget, Condition, Effort, Means, Method, Policy
from multiserver.policies.pooled import whole_capacity
from multiserver.policies.server_groups import in_groups
from multiserver.system import System

Ints = NDArray[np.int64]
# Below this part of those in service, waiting jobs as a difference lose digits; with few servers,
# the chain of jobs in service and waiting, which has them, takes little.
RARE, FEW_SERVERS = 1e-5, 16
TWO_NEEDS = Condition("two needs", lambda system: len(set(system.needs)) == 2)


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


def quickswap_rule(present: Ints, number: Ints, needs: Ints, servers: int, allotted: Ints) -> None:
    """Quickswap, as a rule of `class_queues`. Its memory has three numbers: whether small jobs are
    held back, ℓ, and whether they are held back even if no large job waits. The first cannot be
    seen from the jobs in service: with ℓ small ones, one of ℓ + 1 may just have left."""
    memory = number[len(needs)]
    idle = servers - allotted[0] - allotted[1]
    large = min(present[1] - allotted[1] // needs[1], idle // needs[1])
    allotted[1] += large * needs[1]
    idle -= large * needs[1]
    kept_out = allotted[1] // needs[1] < servers // needs[1] and (
        memory[2] or present[1] > allotted[1] // needs[1]
    )
    if not (memory[0] and kept_out and allotted[0] > 0):
        small = min(present[0] - allotted[0] // needs[0], idle // needs[0])
        allotted[0] += small * needs[0]
    memory[0] = kept_out and 0 < allotted[0] <= memory[1] * needs[0]


@dataclass(frozen=True)
class _Tail:
    """P(N > k) from the chain of these arguments, which is solved at the first k, as the means
    hardly need it. Unlike a closure, it can be pickled."""

    chain: tuple[Any, ...]

    @cached_property
    def found(self) -> two_needs.TwoNeedsMeans:
        return two_needs.solve(*self.chain)

    def __call__(self, k: int) -> float:
        return self.found.tail(k)


def _cycles(
    system: System, threshold: float = 0, last_phase: Any = "always"
) -> Callable[[float], Means]:
    needs = ByNeed.of(system)
    parts = needs.system

    def at(arrival_rate: float) -> Means:
        flows = tuple(arrival_rate * p for p in parts.probabilities)
        options = int(threshold), last_phase
        found = quickswap.solve(parts.servers, parts.rates, flows, *options)

        tail = _Tail((parts, arrival_rate, *options))
        jobs = found.small_jobs, found.large_jobs
        in_service = [flow / rate for flow, rate in zip(flows, parts.rates, strict=True)]
        waiting = [n - served for n, served in zip(jobs, in_service, strict=True)]
        rarely = any(n < RARE * served for n, served in zip(waiting, in_service, strict=True))
        if rarely and parts.servers <= FEW_SERVERS:
            with suppress(NotKnownError, TooLargeError):
                waiting = tail.found.class_waiting.tolist()
        waiting = [max(0.0, n) for n in waiting]
        return Means(
            **needs.means(system, arrival_rate, jobs, waiting),
            tail=tail,
            imprecision=found.imprecision,
        )

    return at


def _chain(
    system: System, budget: Budget, threshold: float = 0, last_phase: Any = "always"
) -> Callable[[float], Means]:
    needs = ByNeed.of(system)
    parts = needs.system

    def at(arrival_rate: float) -> Means:
        options = int(threshold), last_phase
        found = two_needs.solve(parts, arrival_rate, *options, enough=budget.enough / 2)
        by_need = found.class_jobs.tolist(), found.class_waiting.tolist()
        return Means(
            **needs.means(system, arrival_rate, *by_need),
            tail=found.tail,
            note=f"{found.phases} phases",
            imprecision=found.imprecision,
        )

    return at


def _simulate(
    system: System, arrival_rate: float, effort: Effort, threshold: float, last_phase: str
) -> Means:
    memory = (0, int(threshold), last_phase == "always")
    return simulate_class_queues(system, arrival_rate, effort, quickswap_rule, memory=memory)


def _range_of_threshold(system: System, threshold: float) -> str:
    """The thresholds that there are for a system, in words; empty if the given one is among them.
    From ⌊n/v⌋ on, small jobs would be held back however many of them are in service."""
    most = max(1, system.servers // min(system.needs)) - 1
    if threshold <= most and threshold % 1 == 0:
        return ""
    return f"an integer from 0 to ⌊n/v⌋ - 1 = {most}, v being the smaller need"


WHOLE = replace(whole_capacity("arXiv 2509.01893"), conditions=(TWO_NEEDS, NEEDS_DIVIDE_EACH_OTHER))
CYCLES = Method(
    question="exact",
    name="cycles from large jobs to large jobs",
    source="`multiserver.open.quickswap`",
    cost="n³; 1 s for n = 1,024, at most 2,048",
    answer=_cycles,
    conditions=(EXPONENTIAL_BY_NEED, NEEDS_ONE_AND_ALL),
)
CHAIN = Method(
    question="exact",
    name="jobs in service and waiting",
    source="`multiserver.open.two_needs`",
    cost="n/v phases³, 50 to 1,500 phases",
    answer=_chain,
    conditions=(EXPONENTIAL_BY_NEED, TWO_NEEDS),
    iterates=True,
)


def _tail(system: System, arrival_rate: float) -> _Tail | None:
    """P(N > k) without a threshold, where the chain is known."""
    if not (EXPONENTIAL_BY_NEED.holds(system) and TWO_NEEDS.holds(system)):
        return None
    return _Tail((ByNeed.of(system).system, arrival_rate, 0, "always"))


NonpreemptiveMostServersFirst = Policy(
    name="nonpreemptive-most-servers-first",
    preemptive=False,
    definition=(
        "At every arrival and completion waiting jobs that fit the idle servers start, the largest"
        " needs first, the oldest of a need first. No job is interrupted, none reserves servers."
    ),
    methods={
        "multiserver-jobs": (
            *methods_of_fcfs(),
            *one_at_a_time_by_need(largest_first=True, preemptive=False, tail=_tail),
            *in_groups(WHOLE, CYCLES),
            CHAIN,
            class_simulation(largest_that_fit, "by definition"),
        )
    },
)

Quickswap = Policy(
    name="quickswap",
    preemptive=False,
    definition=(
        "Most Servers First with Quickswap, for two needs. At every arrival and completion large"
        " jobs that fit start, then small ones, the oldest of a need first. No small job starts"
        " while small jobs are held back: if 1 to `threshold` of them are in service, and fewer"
        " large ones than would fit alone, both after the event before and now that large ones have"
        " started. With last_phase='if-large-waits' they are held back only while a large job"
        " waits. No job is interrupted."
    ),
    options={"threshold": 1, "last_phase": "always"},
    choices={"last_phase": ("always", "if-large-waits")},
    requires={"multiserver-jobs": (TWO_NEEDS,)},
    ranges={"threshold": _range_of_threshold},
    methods={
        "multiserver-jobs": (
            *in_groups(WHOLE, CYCLES),
            CHAIN,
            job_level(_simulate, source="by definition"),
        )
    },
)
