"""MaxWeight: the packing of the largest weight, in four variants that definitions leave open.

All four are stable for every λ with λ p_c E[X_c] inside the convex hull of the packings. With N_c
jobs, u_c of them served, Σ_c E[X_c] N_c² has a drift of 2 Σ_c N_c (λ p_c E[X_c] − u_c) plus less
than a constant, even if only jobs that are present are packed. Inside the hull the heaviest weight
Σ_c N_c u_c exceeds Σ_c N_c λ p_c E[X_c] by a share of Σ_c N_c. For durations that are not
exponential the same holds in the fluid limit, as all but the oldest jobs of a need are untouched
(J. G. Dai, Annals of Applied Probability 5, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from multiserver.open.count_rules import Rule, heaviest
from multiserver.policies.capacity import packings_limit
from multiserver.policies.class_counts import chain_of_counts
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import job_level, simulate_class_queues
from multiserver.policies.policy import Effort, Limit, Means, Method, Policy
from multiserver.system import System


def _simulate(
    system: System,
    arrival_rate: float,
    effort: Effort,
    ties: Literal["larger", "smaller"],
    packings: Literal["present", "all"],
) -> Means:
    from multiserver.simulation import class_policies

    rules = {
        ("larger", "present"): class_policies.max_weight,
        ("smaller", "present"): class_policies.max_weight_to_smaller,
        ("larger", "all"): class_policies.max_weight_of_all,
        ("smaller", "all"): class_policies.max_weight_of_all_to_smaller,
    }
    return simulate_class_queues(system, arrival_rate, effort, rules[ties, packings])


def _rule(servers: int, needs: Sequence[int], ties: str, packings: str) -> Rule:
    return heaviest(servers, needs, to_smaller=ties == "smaller", of_all=packings == "all")


def _limit(system: System, relative_completions: bool, **_: Any) -> Limit:
    return packings_limit(system)


MaxWeight = Policy(
    name="max-weight",
    preemptive=True,
    definition=(
        "Of all packings of jobs that are present, the one of the largest Σ u_c N_c, preemptively,"
        " where classes of one need count as one; of equal weights, the one with most jobs of the"
        " largest need, then of the second largest, and so on. The oldest of a need are served. By"
        " ties='smaller' it is the one with most jobs of the smallest need, then of the second"
        " smallest; by packings='all' packings of jobs that are not present compete too, and those"
        " of the heaviest that are there are served."
    ),
    options={"ties": "larger", "packings": "present"},
    choices={"ties": ("larger", "smaller"), "packings": ("present", "all")},
    methods={
        "multiserver-jobs": (
            Method(
                question="stability",
                name="the packings of the servers, all of which MaxWeight attains",
                source="Tassiulas and Ephremides 1992; `multiserver.saturated.packings`",
                cost="classes · servers, some dozen times",
                answer=_limit,
            ),
            *methods_of_fcfs("ties", "packings"),
            chain_of_counts(_rule, _limit),
            job_level(_simulate, source="`finite-skip`, Section 7.5"),
        )
    },
)
