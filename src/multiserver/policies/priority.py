"""The stability limit of preemptive priority by need."""

from __future__ import annotations

from typing import Any

from multiserver.open.priority_by_need import stability_limit
from multiserver.policies.conditions import AT_MOST_THREE, DISTINCT_NEEDS, EXPONENTIAL
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.policy import Limit, Method
from multiserver.system import System


def limit_by_need(*, largest_first: bool) -> Method:
    """λ* class by class, in the order in which they are served."""

    def answer(system: System, **_: Any) -> Limit:
        parts = exponential_parts(system).system
        limit = stability_limit(parts, largest_first=largest_first)
        return Limit.of(system, limit)

    return Method(
        question="stability",
        name=f"class by class, in the environment of {'larger' if largest_first else 'smaller'}"
        " needs",
        source="`multiserver.open.priority_by_need`",
        cost="one quasi-birth-death process a trial",
        answer=answer,
        conditions=(EXPONENTIAL, DISTINCT_NEEDS, AT_MOST_THREE),
    )
