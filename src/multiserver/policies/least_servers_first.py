"""Least Servers First: preemptive priority to the smallest needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from multiserver.open.count_rules import Rule, by_need
from multiserver.policies.class_counts import chain_of_counts, jobs_alone, tail_of_counts
from multiserver.policies.conditions import ROOM_BESIDE_THE_LARGEST
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import class_simulation
from multiserver.policies.one_at_a_time import one_at_a_time_by_need
from multiserver.policies.policy import Policy
from multiserver.policies.priority import limit_by_need


def _rule(servers: int, needs: Sequence[int]) -> Rule:
    return by_need(servers, needs, largest_first=False)


_LIMIT = limit_by_need(largest_first=False)
_CHAIN = chain_of_counts(_rule, _LIMIT.answer, first=0)

LeastServersFirst = Policy(
    name="least-servers-first",
    preemptive=True,
    definition=(
        "The smallest needs first, preemptively: as many jobs of each as fit beside those of"
        " smaller needs, the oldest of a need first."
    ),
    methods={
        "multiserver-jobs": (
            *methods_of_fcfs(),
            *one_at_a_time_by_need(
                largest_first=False, preemptive=True, tail=tail_of_counts(_rule)
            ),
            _LIMIT,
            jobs_alone(_rule, _LIMIT.answer),
            # If `jobs_alone` is too large, so is this: its chain has one more class.
            replace(_CHAIN, conditions=(*_CHAIN.conditions, ROOM_BESIDE_THE_LARGEST)),
            class_simulation("least_servers_first", "`finite-skip`, Section 7.5"),
        )
    },
)
