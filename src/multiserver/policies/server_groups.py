"""Multiserver jobs on groups of servers.

Let g be the greatest common divisor of the needs. Jobs then hold whole groups of g servers, and
the n mod g servers that are left over never work: n servers and the needs v_c are, to every policy
that looks at needs alone, ⌊n/g⌋ servers and the needs v_c/g. Times and numbers of jobs are the
same. A method for needs 1 and n so applies to needs 4 and 16 of 16 or 17 servers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from multiserver.policies.policy import Condition, Limit, Method
from multiserver.system import System

# What the other conditions of a method are about; it always holds.
IN_GROUPS = Condition(
    "servers in groups of the greatest common divisor of the needs", lambda system: True
)


def grouped(system: System) -> System:
    """The system whose servers are the groups; itself if a group is one server."""
    g = math.gcd(*system.needs)
    if g == 1:
        return system
    classes = [replace(job, need=job.need // g) for job in system.classes]
    return System(system.servers // g, classes)


def whole_groups(system: System) -> float:
    """(n − n mod g)/E[S] jobs per unit of time: all groups are at work."""
    return (system.servers - system.servers % math.gcd(*system.needs)) / system.mean_size


def in_groups(*methods: Method) -> tuple[Method, ...]:
    """The methods, for λ* or exact means, of the system of the groups."""
    return tuple(
        replace(
            method,
            conditions=(
                *(Condition(c.text, _of_groups(c.holds)) for c in method.conditions),
                IN_GROUPS,
            ),
            answer=(_limit if method.question == "stability" else _of_groups)(method.answer),
        )
        for method in methods
    )


def _of_groups(answer: Callable[..., Any]) -> Callable[..., Any]:
    def of_groups(system: System, *budget: Any, **options: Any) -> Any:
        return answer(grouped(system), *budget, **options)

    return of_groups


def _limit(answer: Callable[..., Limit]) -> Callable[..., Limit]:
    def of_groups(system: System, **arguments: Any) -> Limit:
        found = answer(grouped(system), **arguments)
        # Not λ* of the groups: both sides are rounded, and n/E[S] is compared with others.
        rate = whole_groups(system) if found.wastage == 0 else found.arrival_rate
        wastage = Limit.of(system, rate).wastage
        return found._replace(arrival_rate=rate, wastage=wastage)

    return of_groups
