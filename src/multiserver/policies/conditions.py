"""What methods ask of a system."""

from __future__ import annotations

import math
from itertools import pairwise

from multiserver.policies.policy import Condition
from multiserver.sharing.queue import MOST_CLASSES
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Exponential,
    Hyperexponential,
    Pareto,
)
from multiserver.system import System

PHASELESS = (Deterministic, Bimodal, Pareto, BoundedPareto)


def _divide(system: System) -> bool:
    ordered = [*sorted(set(system.needs)), system.servers]
    return not any(larger % smaller for smaller, larger in pairwise(ordered))


def _one_mean(system: System) -> bool:
    durations = set(system.durations)
    return len(durations) == 1 and all(isinstance(X, Exponential) for X in durations)


EXPONENTIAL = Condition(
    "exponential durations",
    lambda system: all(isinstance(X, Exponential) for X in system.durations),
)
MIXED_EXPONENTIAL = Condition(
    "exponential or hyperexponential durations",
    lambda system: all(isinstance(X, Exponential | Hyperexponential) for X in system.durations),
)
PHASE_TYPE = Condition(
    "phase-type durations",
    lambda system: not any(isinstance(X, PHASELESS) for X in system.durations),
)
FINITE_REMAINDER = Condition(
    "durations of finite rem_max",
    lambda system: all(X.largest_remaining < math.inf for X in system.durations),
)
FINITE_VARIANCE = Condition(
    "durations of finite variance",
    lambda system: all(X.second_moment < math.inf for X in system.durations),
)
ONE_EXPONENTIAL = Condition("exponential durations of one mean", _one_mean)

DISTINCT_NEEDS = Condition(
    "classes of different needs",
    lambda system: len(set(system.needs)) == len(system.needs),
)
NEEDS_DIVIDE_EACH_OTHER = Condition("needs that divide each other and the servers", _divide)
NEEDS_DIVIDE_SERVERS = Condition(
    "needs that divide the servers",
    lambda system: not any(system.servers % v for v in system.needs),
)
AT_MOST_THREE = Condition("at most 3 classes", lambda system: len(system.classes) <= 3)
ONE_AND_ALL = Condition(
    "two classes, of thresholds 1 and n > 1",
    lambda system: sorted(system.needs) == [1, system.servers] and system.servers > 1,
)

ONE_DEGREE = Condition(
    "one class, of d random servers, all of one speed",
    lambda system: (
        len(system.classes) == 1
        and system.classes[0].use == "degree"
        and len(set(system.speeds)) == 1
    ),
)
ONLY_DEGREES = Condition(
    "classes of random servers, all of one speed",
    lambda system: {c.use for c in system.classes} == {"degree"} and len(set(system.speeds)) == 1,
)
ONLY_SETS = Condition(
    f"at most {MOST_CLASSES} classes, all with sets of servers",
    lambda system: (
        {c.use for c in system.classes} == {"compatible"} and len(system.classes) <= MOST_CLASSES
    ),
)
