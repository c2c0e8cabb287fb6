"""Runs of unstable systems, told from those of stable ones.

In a stable system the number of jobs N gains nothing over a long measured time; in an unstable one
it gains λ − λ* in a unit of time, the same in every replication but for a spread of the order of
the square root of the time. From a stationary start the gain of a stable run has mean 0; from one
that has not settled it may be positive, but it spreads as widely as it is large. So a run is called
unstable where the gain exceeds `STEADY` of its standard deviations *in one replication*, and its
Student's t exceeds what a stable run has with probability `FALSE_ALARM`. What is not found this
way (λ just above λ*, or few jobs) is still in the estimate of the growth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from multiserver.errors import UnstableError
from multiserver.simulation.workload import Workload

STEADY = 4.0
FALSE_ALARM = 1e-9


def refuse_overload(workload: Workload) -> None:
    """Raises `UnstableError` if ρ = λ E[S]/n ≥ 1: no policy is stable."""
    if workload.load >= 1:
        raise UnstableError(
            f"jobs arrive at rate {workload.arrival_rate!r}, which is a load of {workload.load!r};"
            " no queue is stable at 1 or more",
            arrival_rate=workload.arrival_rate,
            limit=workload.arrival_rate / workload.load,
        )


def refuse_growth(
    workload: Workload, present: NDArray[np.int64], measured: NDArray[np.float64]
) -> None:
    """Raises `UnstableError` if the jobs in the system grew steadily in R replications.

    `present` (R, 2) are the jobs at the beginning and at the end of the `measured` time (R,).
    """
    gained = np.diff(present, axis=1)[:, 0].astype(float)
    R = len(gained)
    if R < 2 or gained.min() <= 0:
        return
    mean, spread = gained.mean(), gained.std(ddof=1)
    if mean <= STEADY * spread or stdtr(R - 1, -mean * np.sqrt(R) / max(spread, 1.0)) > FALSE_ALARM:
        return
    growth = gained.sum() / measured.sum()
    raise UnstableError(
        f"jobs arrive at rate {workload.arrival_rate!r} and {growth:.4g} more a unit of time than"
        f" complete, in each of {R} replications: the queue is unstable, its limit about"
        f" {workload.arrival_rate - growth:.4g}",
        arrival_rate=workload.arrival_rate,
        limit=workload.arrival_rate - growth,
    )
