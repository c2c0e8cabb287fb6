"""Sharing servers by random interruptions, which implements balanced fairness."""

from __future__ import annotations

from multiserver.policies.conditions import ONE_EXPONENTIAL
from multiserver.policies.job_level import job_level
from multiserver.policies.parallel import (
    balanced_methods,
    simulate_interruptions,
    stability_methods,
)
from multiserver.policies.policy import Policy

RandomInterruptions = Policy(
    name="random-interruptions",
    preemptive=True,
    definition=(
        "Every server serves the oldest job that it can. A job is interrupted after exponential"
        " amounts of work, whose mean is that of the sizes of all classes over `per_job`: it gives"
        " up its servers and goes to the end of the queue. So jobs are interrupted `per_job` times"
        " on average, those of a class in proportion to its mean size. 0 is first come, first"
        " served; more and more tends to balanced fairness."
    ),
    options={"per_job": 1.0},
    methods={
        "parallel-processing": (
            *stability_methods(ONE_EXPONENTIAL),
            *balanced_methods(
                ONE_EXPONENTIAL, source="`parallel-processing`, Theorem 2 and Section 7"
            ),
            job_level(simulate_interruptions, source="`parallel-processing`, Algorithm 1"),
        )
    },
)
