"""Most Servers First: preemptive priority to the largest needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from multiserver.open.count_rules import Rule, by_need
from multiserver.policies.class_counts import chain_of_counts, in_order, tail_of_counts
from multiserver.policies.conditions import NEEDS_DIVIDE_EACH_OTHER
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import class_simulation
from multiserver.policies.one_at_a_time import one_at_a_time_by_need
from multiserver.policies.policy import Policy
from multiserver.policies.pooled import whole_capacity
from multiserver.policies.priority import limit_by_need
from multiserver.policies.server_groups import in_groups


def _rule(servers: int, needs: Sequence[int]) -> Rule:
    return by_need(servers, needs, largest_first=True)


_LIMIT = limit_by_need(largest_first=True)
# Servers are then idle only while all jobs are in service (`open.most_servers_first`).
_WHOLE = replace(
    whole_capacity("`multiserver.open.most_servers_first`"), conditions=(NEEDS_DIVIDE_EACH_OTHER,)
)

MostServersFirst = Policy(
    name="most-servers-first",
    preemptive=True,
    definition=(
        "The largest needs first, preemptively: as many jobs of each as fit beside those of larger"
        " needs, the oldest of a need first."
    ),
    methods={
        "multiserver-jobs": (
            *methods_of_fcfs(),
            *one_at_a_time_by_need(largest_first=True, preemptive=True, tail=tail_of_counts(_rule)),
            _LIMIT,
            *in_groups(_WHOLE, in_order(_rule)),
            chain_of_counts(_rule, _LIMIT.answer, first=-1),
            class_simulation("most_servers_first", "`finite-skip`, Section 7.5"),
        )
    },
)
