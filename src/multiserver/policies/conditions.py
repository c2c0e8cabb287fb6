"""Conditions that methods require of a system."""

from __future__ import annotations

import math

from multiserver.checks import divide_each_other, divide_servers
from multiserver.policies.policy import Condition
from multiserver.sharing.queue import MOST_CLASSES
from multiserver.sizes import (
    Erlang,
    Exponential,
    Hyperexponential,
    PhaseType,
    Size,
)
from multiserver.sizes.phased import MOST_PHASES
from multiserver.system import System


def _phases(X: Size) -> int:
    """The number of phases of a duration, 0 if it has none."""
    match X:
        case Erlang():
            return X.stages
        case Hyperexponential():
            return len(X.rates)
        case PhaseType():
            return len(X.initial)
    return int(isinstance(X, Exponential))


def _one_mean(system: System) -> bool:
    durations = set(system.durations)
    return len(durations) == 1 and all(isinstance(X, Exponential) for X in durations)


def exponential_by_need(but: int | None = None, text: str = "") -> Condition:
    """Durations that are exponential, and of one mean for each need, but for the need at the index
    `but` in increasing order."""

    def holds(system: System) -> bool:
        needs = sorted(set(system.needs))
        if but is not None:
            del needs[but]
        groups = ({c.duration for c in system.classes if c.servers == v} for v in needs)
        return all(len(group) == 1 and isinstance(*group, Exponential) for group in groups)

    return Condition(f"exponential durations of one mean for each need{text}", holds)


EXPONENTIAL = Condition(
    "exponential durations",
    lambda system: all(isinstance(X, Exponential) for X in system.durations),
)
MIXED_EXPONENTIAL = Condition(
    "exponential or hyperexponential durations",
    lambda system: all(isinstance(X, Exponential | Hyperexponential) for X in system.durations),
)
PHASE_TYPE = Condition(
    f"phase-type durations of at most {MOST_PHASES} phases",
    lambda system: all(0 < _phases(X) <= MOST_PHASES for X in system.durations),
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
EXPONENTIAL_BY_NEED = exponential_by_need()
EXPONENTIAL_BY_THRESHOLD = Condition(
    "exponential durations of one mean for each threshold", EXPONENTIAL_BY_NEED.holds
)

EQUAL_NEEDS = Condition("equal needs", lambda system: len(set(system.needs)) == 1)
EQUAL_THRESHOLDS = Condition("equal thresholds", EQUAL_NEEDS.holds)
NEEDS_DIVIDE_EACH_OTHER = Condition(
    "needs that divide each other and the servers",
    lambda system: divide_each_other(system.servers, system.needs),
)
NEEDS_DIVIDE_SERVERS = Condition(
    "needs that divide the servers",
    lambda system: divide_servers(system.servers, system.needs),
)
AT_MOST_THREE = Condition("at most 3 needs", lambda system: len(set(system.needs)) <= 3)
LARGEST_ALONE = Condition(
    "a smallest and a largest need that together exceed the servers",
    lambda system: (
        min(system.needs) < max(system.needs)
        and min(system.needs) + max(system.needs) > system.servers
    ),
)
ROOM_BESIDE_THE_LARGEST = Condition(
    "room for a job of the smallest need beside one of the largest, or one need",
    lambda system: not LARGEST_ALONE.holds(system),
)
NEEDS_ONE_AND_ALL = Condition(
    "needs 1 and n > 1", lambda system: set(system.needs) == {1, system.servers} != {1}
)
THRESHOLDS_ALL_AND_A_DIVISOR = Condition(
    "thresholds n and a divisor of n",
    lambda system: (
        len(set(system.needs)) == 2
        and max(system.needs) == system.servers
        and divide_servers(system.servers, system.needs)
    ),
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
