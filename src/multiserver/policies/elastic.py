"""Inelastic First and Elastic First: preemptive priority by threshold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from multiserver.open.elastic import ElasticInelastic, response_times
from multiserver.policies.by_need import ByNeed
from multiserver.policies.conditions import (
    EQUAL_THRESHOLDS,
    EXPONENTIAL_BY_THRESHOLD,
    THRESHOLDS_ALL_AND_A_DIVISOR,
)
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import class_simulation
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Means, Method, Policy
from multiserver.policies.pooled import whole_capacity
from multiserver.sizes import Exponential, scaled
from multiserver.system import System

SECTION = "`finite-skip`, Section 6.3"


def two_thresholds(first: Literal["inelastic", "elastic"], system: System) -> ElasticInelastic:
    """Jobs of the thresholds n and a divisor of n as elastic and inelastic jobs, with sizes in
    capacity times time, in the time of the system."""
    classes = ByNeed.of(system).system
    # No job ever has a part of the least threshold v, which divides n: groups of v servers are the
    # servers, and v of them take as long as one did. The total capacity is 1.
    least = classes.needs[0]
    k = system.servers // least
    pairs = zip(classes.rates, classes.needs, strict=True)
    rates = (scaled(Exponential(rate=rate), v // least / k).rate for rate, v in pairs)
    return ElasticInelastic(k, *rates, classes.probabilities[0], first)


def _exact(first: Literal["inelastic", "elastic"], system: System) -> Callable[[float], Means]:
    model, place = two_thresholds(first, system), ByNeed.of(system).place

    def at(arrival_rate: float) -> Means:
        found = response_times(model, arrival_rate)
        times = found.inelastic, found.elastic
        return Means(times=found.response, class_times=tuple(times[i] for i in place))

    return at


def _policy(first: Literal["inelastic", "elastic"], definition: str) -> Policy:
    return Policy(
        name=f"{first}-first",
        preemptive=True,
        definition=definition,
        methods={
            "threshold-parallelism": (
                whole_capacity(SECTION),
                *one_at_a_time(),
                *methods_of_fcfs(model="threshold-parallelism", condition=EQUAL_THRESHOLDS),
                Method(
                    question="exact",
                    name="quasi-birth-death process, phases cut off below 1e-18",
                    source=f"{SECTION}.1",
                    cost="phases³",
                    answer=partial(_exact, first),
                    conditions=(EXPONENTIAL_BY_THRESHOLD, THRESHOLDS_ALL_AND_A_DIVISOR),
                ),
                class_simulation(f"{first}_first", SECTION),
            )
        },
    )


InelasticFirst = _policy(
    "inelastic",
    "Servers go to the smallest thresholds first, preemptively: to each job up to its threshold,"
    " the oldest of a threshold first; the last takes what is left.",
)
ElasticFirst = _policy(
    "elastic",
    "Servers go to the largest thresholds first, preemptively: to each job up to its threshold,"
    " the oldest of a threshold first; the last takes what is left.",
)
