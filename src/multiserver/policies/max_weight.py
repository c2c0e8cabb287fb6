"""MaxWeight: the packing of the largest weight, by four definitions that texts leave open."""

from __future__ import annotations

from typing import Literal

from multiserver.policies.answers import effort_of, job_level, means_of, workload_of
from multiserver.policies.conditions import DISTINCT_NEEDS
from multiserver.policies.policy import Effort, Means, Policy
from multiserver.system import System


def _simulate(
    system: System,
    arrival_rate: float,
    effort: Effort,
    ties: Literal["larger", "smaller"],
    packings: Literal["present", "all"],
) -> Means:
    from multiserver.simulation import class_policies, class_queues

    rules = {
        ("larger", "present"): class_policies.max_weight,
        ("smaller", "present"): class_policies.max_weight_to_smaller,
        ("larger", "all"): class_policies.max_weight_of_all,
        ("smaller", "all"): class_policies.max_weight_of_all_to_smaller,
    }
    if (ties, packings) not in rules:
        raise ValueError(
            "ties must be 'larger' or 'smaller' and packings 'present' or 'all',"
            f" found {ties!r} and {packings!r}"
        )
    workload = workload_of(system, arrival_rate)
    found = class_queues.simulate(workload, rules[ties, packings], **effort_of(effort))
    return means_of(found, system)


MaxWeight = Policy(
    name="max-weight",
    definition=(
        "Of all packings of jobs that are present, the one of the largest Σ u_c N_c, preemptively;"
        " of equal weights, the one with most jobs of the largest need, then of the second"
        " largest, and so on. The oldest of a need are served. By ties='smaller' it is the one with"
        " most jobs of the smallest need, then of the second smallest; by packings='all' packings"
        " of jobs that are not present compete too, and those of the heaviest that are there are"
        " served."
    ),
    options={"ties": "larger", "packings": "present"},
    methods={
        "multiserver-jobs": (
            job_level(_simulate, DISTINCT_NEEDS, source="`finite-skip`, Section 7.5"),
        )
    },
)
