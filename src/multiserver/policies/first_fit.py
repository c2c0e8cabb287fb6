"""First Fit without preemption: backfilling without reservations.

If all needs are equal, or no two jobs fit beside each other, no job fits when the oldest waiting
job does not: the policy is FCFS, and the methods of FCFS apply. Otherwise a large job may wait for
ever while smaller ones overtake it, and neither the stability limit nor a mean is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.job_level import class_simulation
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Policy

Ints = NDArray[np.int64]
# Applies to First Fit, preemptive or not.
NO_EXACT_METHOD = {
    "exact": "the policy depends on the order of the waiting jobs, and k jobs of two classes have"
    " 2^k orders, a million if k = 20"
}


def first_fit(present: Ints, number: Ints, needs: Ints, servers: int, allotted: Ints) -> None:
    """Start the oldest waiting job that fits, and repeat until none does.

    This equals one scan of the queue: a job that did not fit before others started does not fit
    after. Jobs of a need start in order of arrival, so those in service are the oldest of it.
    """
    idle, oldest = servers, 0
    for c in range(len(needs)):
        idle -= allotted[c]
    while oldest >= 0:
        oldest = -1
        for c in range(len(needs)):
            u = allotted[c] // needs[c]
            if (
                needs[c] <= idle
                and u < present[c]
                and (oldest < 0 or number[c, u] < number[oldest, allotted[oldest] // needs[oldest]])
            ):
                oldest = c
        if oldest >= 0:
            allotted[oldest] += needs[oldest]
            idle -= needs[oldest]


FirstFit = Policy(
    name="first-fit",
    preemptive=False,
    definition=(
        "At every arrival and completion the waiting jobs, oldest first: each starts if its servers"
        " are idle, and is skipped if they are not. No job is interrupted, none reserves servers."
    ),
    beyond=NO_EXACT_METHOD,
    methods={
        "multiserver-jobs": (
            *methods_of_fcfs(),
            *one_at_a_time(),
            class_simulation(first_fit, "by definition"),
        )
    },
)
