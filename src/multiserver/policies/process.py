"""A quasi-birth-death process, solved and simulated phase by phase, as methods of a policy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from multiserver.errors import NotKnownError
from multiserver.open.qbd import QuasiBirthDeath, StationaryDistribution, solve
from multiserver.policies.job_level import JOB_LEVEL, arguments_of, workload_of
from multiserver.policies.policy import Condition, Effort, Means, Method
from multiserver.system import System

PHASE_LEVEL = "phase by phase"
# By the argument `level` of `Queue.simulate`.
LEVELS = {"jobs": JOB_LEVEL, "phases": PHASE_LEVEL}
# E[T_c], class by class, and E[W_c] if it is found without a subtraction.
ClassTimes = tuple[tuple[float, ...], tuple[float, ...] | None]


class Process(Protocol):
    """A quasi-birth-death process with λ left open, and times by class from its distribution."""

    def at(self, arrival_rate: float) -> QuasiBirthDeath:
        """The process at arrival rate λ."""

    def class_times(self, distribution: StationaryDistribution) -> ClassTimes:
        """As `ClassTimes`."""


def process_methods(
    build: Callable[..., Process], *conditions: Condition, source: str, in_order: bool = False
) -> tuple[Method, Method]:
    """A quasi-birth-death process, solved and simulated; `in_order` if no job overtakes another."""

    def exact(system: System, **options: Any) -> Callable[[float], Means]:
        process = build(system, **options)

        def at(arrival_rate: float) -> Means:
            distribution = solve(process.at(arrival_rate))
            class_times, class_waits = process.class_times(distribution)
            return Means(
                times=distribution.mean_response_time,
                jobs=distribution.mean_jobs,
                class_times=class_times,
                class_waits=class_waits,
                waiting=distribution.mean_waiting,
                imprecision=distribution.imprecision,
                tail=distribution.tail,
            )

        return at

    def sample(system: System, **options: Any) -> Callable[[float, Effort], Means]:
        process = build(system, **options)

        def run(arrival_rate: float, effort: Effort) -> Means:
            from multiserver.simulation import phase
            from multiserver.simulation.estimate import withhold_interval
            from multiserver.simulation.run_length import RunLength
            from multiserver.simulation.time_averages import caveat_over_time

            if effort.times:
                raise NotKnownError("phases keep no times of jobs: ask level='jobs'")
            work = workload_of(system, arrival_rate)
            least = work.least_warm_up if effort.warm_up else 0
            runs = arguments_of(effort) | {"jobs": effort.jobs, "least_warm_up": least}
            del runs["stable_below"]
            found = phase.simulate(process.at(arrival_rate), **runs)
            jobs = math.floor(effort.jobs_each * (1 - effort.warm_up))
            first = max(math.ceil(effort.jobs_each * effort.warm_up), least)
            length = RunLength.of(work, jobs, first, work.load, effort.stable_below, in_order)
            caveat, waiting = caveat_over_time(length), found.mean_waiting
            return Means(
                times=withhold_interval(found.mean_response_time, caveat),
                jobs=withhold_interval(found.mean_jobs, caveat),
                waiting=withhold_interval(waiting, length.caveat(queued=waiting.mean)),
                counts=found,
                length=length,
            )

        return run

    return (
        Method(
            question="exact",
            name="quasi-birth-death process",
            source=source,
            cost="phases³",
            answer=exact,
            conditions=conditions,
            basis=build,
        ),
        Method(
            question="simulation",
            name=PHASE_LEVEL,
            source="jumps of the quasi-birth-death process",
            cost="jobs",
            answer=sample,
            conditions=conditions,
        ),
    )
