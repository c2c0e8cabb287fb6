"""Least Servers First: preemptive priority to the smallest needs."""

from __future__ import annotations

from multiserver.policies.answers import class_simulation
from multiserver.policies.one_at_a_time import ONE_NEED, one_at_a_time
from multiserver.policies.policy import Policy
from multiserver.policies.priority import limit_by_need

LeastServersFirst = Policy(
    name="least-servers-first",
    preemptive=True,
    definition=(
        "The smallest needs first, preemptively: as many jobs of each as fit beside those of"
        " smaller needs, the oldest of a need first."
    ),
    methods={
        "multiserver-jobs": (
            *one_at_a_time(ONE_NEED),
            limit_by_need(largest_first=False),
            class_simulation("least_servers_first", "`finite-skip`, Section 7.5"),
        )
    },
)
