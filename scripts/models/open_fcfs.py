"""Exact means of open FCFS multiserver jobs, by whichever chain is within reach.

Small systems are solved level by level, as they have always been; larger ones by the age of the
head of the queue, which needs fewer states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from models.feasibility import is_solvable, require_solvable
from models.systems import SystemBlock
from multiserver.model import MultiserverJobSystem
from multiserver.open import by_class, head_age, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs


class Means(NamedTuple):
    """E[N], E[Q], E[T] and E[T_c] (C,)."""

    jobs: float
    waiting: float
    time: float
    class_times: NDArray[np.float64]


class OpenFcfs(NamedTuple):
    """λ*, and the means at an arrival rate below it."""

    limit: float
    means_at: Callable[[float], Means]


class ReachableBlock(SystemBlock):
    """A system of multiserver jobs whose exact means under FCFS are within reach."""

    @model_validator(mode="after")
    def _within_reach(self) -> Self:
        if not head_age.reaches(PhasedJobs.exponential(self.system)):
            require_solvable(self.servers, self.needs)
        return self


def open_fcfs(system: MultiserverJobSystem) -> OpenFcfs:
    """The system, prepared once for all arrival rates."""
    if not is_solvable(system.servers, system.needs):
        process = head_age.prepare(PhasedJobs.exponential(system))

        def by_age(rate: float) -> Means:
            law = process.at(rate)
            means = law.mean_jobs, law.mean_waiting, law.mean_response_time
            return Means(*means, law.class_response_times)

        return OpenFcfs(process.limit, by_age)
    blocks = multiserver_jobs.prepare(system)

    def by_level(rate: float) -> Means:
        law = qbd.solve(blocks.at(rate))
        means = law.mean_jobs, law.mean_waiting, law.mean_response_time
        return Means(*means, by_class.of_law(blocks, law))

    return OpenFcfs(blocks.throughput, by_level)
