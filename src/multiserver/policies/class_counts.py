"""Exact means of preemptive policies that depend only on the number of jobs of each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, most_servers_first, served_alone
from multiserver.open.count_rules import Rule
from multiserver.policies.conditions import (
    AT_MOST_THREE,
    DISTINCT_NEEDS,
    EXPONENTIAL,
    LARGEST_ALONE,
    NEEDS_DIVIDE_EACH_OTHER,
)
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.policy import Budget, Limit, Means, Method
from multiserver.system import System


def chain_of_counts(rule_of: Callable[..., Rule], limit_of: Callable[..., Limit]) -> Method:
    """The chain of the numbers of jobs by class.

    `rule_of(servers, needs, **options)` gives the rule that decides which jobs are served, and
    `limit_of(system, …)` the policy's λ*. Classes are sorted by need, so the user's order does not
    matter.
    """

    def answer(system: System, budget: Budget, **options: Any) -> Callable[[float], Means]:
        order, parts = sorted_by_need(system)
        rule = rule_of(parts.servers, parts.needs, **options)
        limit = limit_of(system, relative_completions=False, **options).arrival_rate

        def at(arrival_rate: float) -> Means:
            found = class_counts.means(parts, rule, arrival_rate, limit, **asdict(budget))
            return Means(
                **means_from_jobs(system, arrival_rate, to_user_order(order, found.class_jobs)),
                waiting=math.fsum(found.class_waiting),
                tail=_tail(parts, rule, arrival_rate, limit, budget),
                note=f"{found.states} states",
                imprecision=found.imprecision,
            )

        return at

    return Method(
        question="exact",
        name="numbers of jobs by class",
        source="`multiserver.open.class_counts`",
        cost="states that matter, 1e3 to 8e6, times 20 to 300 cycles",
        answer=answer,
        conditions=(EXPONENTIAL, DISTINCT_NEEDS, AT_MOST_THREE),
        iterates=True,
    )


def _in_order(system: System, budget: Budget, **_: Any) -> Callable[[float], Means]:
    order, parts = sorted_by_need(system)

    def at(arrival_rate: float) -> Means:
        found = most_servers_first.solve(
            parts, arrival_rate, enough=budget.enough / 2, most_states=budget.most_states
        )
        box = " × ".join(str(most + 1) for most in found.box)
        return Means(
            **means_from_jobs(system, arrival_rate, to_user_order(order, found.class_jobs)),
            note=f"{box} states",
            imprecision=found.imprecision,
        )

    return at


def jobs_alone(rule_of: Callable[..., Rule], limit_of: Callable[..., Limit]) -> Method:
    """Least Servers First where jobs of the largest need are served only while no others are
    present; arguments as above. P(N > k) comes from the chain, which is solved on demand."""

    def answer(system: System, budget: Budget, **options: Any) -> Callable[[float], Means]:
        order, parts = sorted_by_need(system)
        rule = rule_of(parts.servers, parts.needs, **options)
        limit = limit_of(system, relative_completions=False, **options).arrival_rate

        def at(arrival_rate: float) -> Means:
            found = served_alone.solve(parts, arrival_rate, limit, **asdict(budget))
            return Means(
                **means_from_jobs(system, arrival_rate, to_user_order(order, found.class_jobs)),
                waiting=found.waiting,
                tail=_tail(parts, rule, arrival_rate, limit, budget),
                note=f"{found.states} states of the others",
                imprecision=found.imprecision,
            )

        return at

    return Method(
        question="exact",
        name="jobs that are served alone",
        source="`multiserver.open.served_alone`",
        cost="states of the other classes, 1e2 to 2e5, times 20 to 300 cycles",
        answer=answer,
        conditions=(EXPONENTIAL, DISTINCT_NEEDS, LARGEST_ALONE, AT_MOST_THREE),
        iterates=True,
    )


def _tail(
    parts: MultiserverJobSystem, rule: Rule, arrival_rate: float, limit: float, budget: Budget
) -> Callable[[int], float]:
    """P(N > k) from a chain that is solved on demand, as means need fewer states."""

    @cache
    def distribution() -> class_counts.CountsDistribution:
        return class_counts.solve(parts, rule, arrival_rate, limit, **asdict(budget))

    return lambda k: distribution().tail(k)


def sorted_by_need(system: System) -> tuple[list[int], MultiserverJobSystem]:
    """The order of the classes by need, as indices, and the system with its classes in it."""
    parts = exponential_parts(system).system
    order = sorted(range(len(parts.classes)), key=parts.needs.__getitem__)
    return order, MultiserverJobSystem(parts.servers, tuple(parts.classes[c] for c in order))


def to_user_order(order: Sequence[int], values: Sequence[float]) -> list[float]:
    """Values in order of need, put back into the order of the user's classes."""
    found = [0.0] * len(order)
    for c, value in zip(order, values, strict=True):
        found[c] = value
    return found


def means_from_jobs(system: System, rate: float, jobs: Sequence[float]) -> dict[str, Any]:
    """E[N_c], and the means that follow by Little's law."""
    pairs = zip(jobs, system.probabilities, strict=True)
    return {
        "jobs": math.fsum(jobs),
        "times": math.fsum(jobs) / rate,
        "class_jobs": tuple(jobs),
        "class_times": tuple(found / (rate * p) for found, p in pairs),
    }


IN_ORDER = Method(
    question="exact",
    name="work of the classes served first",
    source="`multiserver.open.most_servers_first`",
    cost="states of a box, 1e4 to 8e6, times 10 to 50 sweeps",
    answer=_in_order,
    conditions=(EXPONENTIAL, DISTINCT_NEEDS, NEEDS_DIVIDE_EACH_OTHER, AT_MOST_THREE),
    iterates=True,
)
