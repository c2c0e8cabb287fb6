"""Preemptive First Fit: serves every job that still fits, oldest first."""

from __future__ import annotations

from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.first_fit import NO_EXACT_METHOD
from multiserver.policies.job_level import class_simulation
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Policy

PreemptiveFirstFit = Policy(
    name="preemptive-first-fit",
    preemptive=True,
    definition=(
        "At every arrival and completion all jobs, oldest first, whether served so far or not: each"
        " is served if it still fits, and skipped if it does not."
    ),
    beyond=NO_EXACT_METHOD,
    methods={
        "multiserver-jobs": (
            *one_at_a_time(),
            *methods_of_fcfs(),
            class_simulation("preemptive_first_fit", "`finite-skip`, Section 7.5"),
        )
    },
)
