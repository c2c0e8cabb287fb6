"""Queues that serve one job at a time, in order of arrival or by need: M/G/1, for any distribution.

Examples are multiserver jobs of which no two fit beside each other, jobs that each use all servers,
and any model with one server. Policies differ in how they treat two jobs that could both be served,
or that have different needs; each states the conditions under which it serves one at a time.

Jobs of equal needs v have ⌊n/v⌋ places, all of which are taken while a job waits, so λ* is
⌊n/v⌋/E[X] for any distribution (J. Kiefer and J. Wolfowitz, Trans. Amer. Math. Soc. 78, 1955).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from multiserver.open import deterministic, erlang
from multiserver.open.one_at_a_time import OneAtATime
from multiserver.open.priority_one_at_a_time import waiting_times
from multiserver.policies.conditions import EQUAL_NEEDS, ONE_EXPONENTIAL
from multiserver.policies.policy import Condition, Limit, Means, Method, Times
from multiserver.sizes import Deterministic, scaled
from multiserver.system import System

Tail = Callable[[int], float]


def _no_two_fit(system: System) -> bool:
    match system.model:
        case "multiserver-jobs":
            return 2 * min(system.needs) > system.servers
        case "threshold-parallelism":
            return min(system.needs) == system.servers
        case "limited-processor-sharing":
            return system.limit == 1
        case "heterogeneous":
            return len(system.speeds) == 1
    n = len(system.speeds)
    return all((c.degree or len(c.compatible)) == n for c in system.classes)


NO_TWO_FIT = Condition("one job at a time: all need all servers, or no two fit", _no_two_fit)
ONE_DURATION = Condition(
    "one deterministic duration",
    lambda system: (
        len(set(system.durations)) == 1 and isinstance(system.durations[0], Deterministic)
    ),
)


def _queue(system: System) -> OneAtATime:
    # In the other models a duration is the time on the servers that the job holds, of speed 1.
    speed = system.capacity if system.model in ("heterogeneous", "parallel-processing") else 1.0
    distributions = (
        system.durations if speed == 1 else [scaled(X, 1 / speed) for X in system.durations]
    )
    return OneAtATime(tuple(distributions), system.probabilities)


def _limit(system: System, **_: object) -> Limit:
    queue = _queue(system)
    return Limit.of(system, queue.limit, queue.relative_completions)


def _exact(system: System, **_: object) -> Callable[[float], Means]:
    queue = _queue(system)

    def at(arrival_rate: float) -> Means:
        wait = queue.waiting_time(arrival_rate)
        times = tuple(wait + S.mean for S in queue.distributions)
        return Means(
            times=wait + 1 / queue.limit,
            class_times=times,
            waiting=arrival_rate * wait,
            class_waits=(wait,) * len(times),
            tail=queue.numbers(arrival_rate).tail,
        )

    return at


def one_at_a_time(*conditions: Condition) -> tuple[Method, Method]:
    """λ* and exact means for a policy that serves one job at a time, in order of arrival."""
    source = "`multiserver.open.one_at_a_time`: Pollaczek 1930, Khinchine 1932"
    return (
        Method(
            question="stability",
            name="one job at a time, λ* = 1/E[X]",
            source=source,
            cost="constant",
            answer=_limit,
            conditions=(NO_TWO_FIT, *conditions),
        ),
        Method(
            question="exact",
            name="Pollaczek–Khinchine formula",
            source=source,
            cost="constant, tails k² and phases³",
            answer=_exact,
            conditions=(NO_TWO_FIT, *conditions),
        ),
    )


def one_at_a_time_by_need(
    *, largest_first: bool, preemptive: bool, tail: Callable[[System, float], Tail | None]
) -> tuple[Method, Method]:
    """λ* and exact means for a policy that serves one job at a time, the largest or the smallest
    needs first, with or without preemption. `tail(system, λ)` is P(N > k) by another route."""

    def answer(system: System, **_: object) -> Callable[[float], Means]:
        levels = [-v if largest_first else v for v in system.needs]
        classes = system.durations, system.probabilities

        def at(arrival_rate: float) -> Means:
            waits = waiting_times(levels, *classes, arrival_rate, preemptive=preemptive)
            pairs = list(zip(system.probabilities, waits, strict=True))
            wait = math.fsum(p * w for p, w in pairs)
            times = zip(waits, system.durations, strict=True)
            return Means(
                times=wait + math.fsum(p * X.mean for X, p in zip(*classes, strict=True)),
                class_times=tuple(w + X.mean for w, X in times),
                waiting=arrival_rate * wait,
                class_waits=waits,
                tail=tail(system, arrival_rate),
            )

        return at

    limit, exact = one_at_a_time()
    return (
        replace(limit, answer=lambda system, **_: Limit.of(system, _queue(system).limit)),
        replace(
            exact,
            name=f"one job at a time, by {'preemptive ' if preemptive else ''}priority",
            source="`multiserver.open.priority_one_at_a_time`: "
            + ("Miller 1960" if preemptive else "Cobham 1954"),
            cost="constant",
            answer=answer,
        ),
    )


def _places(system: System) -> int:
    return system.servers // system.needs[0]


def _by_places(system: System, **_: object) -> Limit:
    mean = system.mean_size / system.needs[0]
    return Limit.of(system, _places(system) / mean)


def _alike(system: System, wait: float, time: float, arrival_rate: float) -> Means:
    """The means of classes that do not differ."""
    each = (time,) * len(system.classes), (wait,) * len(system.classes)
    return Means(times=time, class_times=each[0], class_waits=each[1], waiting=arrival_rate * wait)


def _deterministic(system: System, **_: object) -> Callable[[float], Means]:
    duration, k = system.durations[0].value, _places(system)

    def at(arrival_rate: float) -> Means:
        wait = deterministic.waiting_time(k, duration, arrival_rate)
        time = wait + duration
        return _alike(system, wait, time, arrival_rate)

    return at


def _erlang(system: System, **_: object) -> Callable[[float], Means]:
    rate, k = system.durations[0].rate, _places(system)

    def at(arrival_rate: float) -> Means:
        queue = erlang.MMk.of(k, rate, arrival_rate)
        wait = queue.waiting_time
        return replace(_alike(system, wait, wait + 1 / rate, arrival_rate), tail=queue.tail)

    return at


def _erlang_times(system: System, **_: object) -> Callable[[float], Times]:
    rate, k, classes = system.durations[0].rate, _places(system), len(system.classes)
    return lambda arrival_rate: erlang.MMk.of(k, rate, arrival_rate).times(classes)


EQUAL_PLACES = Method(
    question="stability",
    name="equal needs, λ* = ⌊n/v⌋/E[X]",
    source="`multiserver.policies.one_at_a_time`: Kiefer and Wolfowitz 1955",
    cost="constant",
    answer=_by_places,
    conditions=(EQUAL_NEEDS,),
)

DETERMINISTIC = Method(
    question="exact",
    name="M/D/k",
    source="`multiserver.open.deterministic`: Crommelin 1932",
    cost="constant, at most linear in n/v",
    answer=_deterministic,
    conditions=(EQUAL_NEEDS, ONE_DURATION),
)

ERLANG, ERLANG_TIMES = (
    Method(
        question=question,
        name="M/M/k",
        source="`multiserver.open.erlang`: Erlang 1917",
        cost="constant to √k",
        answer=answer,
        conditions=(EQUAL_NEEDS, ONE_EXPONENTIAL),
    )
    for question, answer in (("exact", _erlang), ("distribution", _erlang_times))
)
