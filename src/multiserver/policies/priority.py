"""The stability limit of preemptive priority by need.

Jobs of the need that is served last may have any durations: where many wait, they use all servers
left by the others, so that only their mean counts.
"""

from __future__ import annotations

from typing import Any

from multiserver.open.priority_by_need import stability_limit
from multiserver.policies.by_need import ByNeed
from multiserver.policies.conditions import AT_MOST_THREE, exponential_by_need
from multiserver.policies.policy import Limit, Method
from multiserver.system import System


def limit_by_need(*, largest_first: bool) -> Method:
    """λ* class by class, in the order in which they are served."""

    def answer(system: System, **_: Any) -> Limit:
        limit = stability_limit(ByNeed.of(system).system, largest_first=largest_first)
        return Limit.of(system, limit)

    return Method(
        question="stability",
        name=f"class by class, in the environment of {'larger' if largest_first else 'smaller'}"
        " needs",
        source="`multiserver.open.priority_by_need`",
        cost="one quasi-birth-death process a trial",
        answer=answer,
        conditions=(
            exponential_by_need(but=0 if largest_first else -1, text=" but that served last"),
            AT_MOST_THREE,
        ),
    )
