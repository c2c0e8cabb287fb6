"""Least Servers First: preemptive priority to the smallest needs."""

from __future__ import annotations

from typing import Any

from multiserver.open.least_servers_first import stability_limit
from multiserver.policies.answers import class_simulation
from multiserver.policies.conditions import AT_MOST_THREE, DISTINCT_NEEDS, EXPONENTIAL
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.policy import Limit, Method, Policy
from multiserver.system import System


def _limit(system: System, **_: Any) -> Limit:
    found = stability_limit(exponential_parts(system).system)
    return Limit(found, system.servers - found * system.mean_size)


LeastServersFirst = Policy(
    name="least-servers-first",
    definition=(
        "The smallest needs first, preemptively: as many jobs of each as fit beside those of"
        " smaller needs, the oldest of a need first."
    ),
    methods={
        "multiserver-jobs": (
            Method(
                question="stability",
                name="class by class, in the environment of smaller needs",
                source="`multiserver.open.least_servers_first`",
                cost="one quasi-birth-death process a trial",
                answer=_limit,
                conditions=(EXPONENTIAL, DISTINCT_NEEDS, AT_MOST_THREE),
            ),
            class_simulation("least_servers_first", "`finite-skip`, Section 7.5"),
        )
    },
)
