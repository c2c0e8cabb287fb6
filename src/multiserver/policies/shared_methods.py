"""Methods that several policies share.

Exact solvers and simulators do not depend on each other. Engines are imported where they are used;
numba, which takes a second to import, only by simulations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotKnownError, NotSampledError
from multiserver.open.qbd import QuasiBirthDeath, StationaryDistribution, solve
from multiserver.policies.conditions import FINITE_REMAINDER
from multiserver.policies.parallel import limit_by_capacity
from multiserver.policies.policy import Condition, Effort, Means, Method, Value
from multiserver.policies.rehearsal import rehearse
from multiserver.simulation.workload import Workload, equal_servers, with_warm_up
from multiserver.sizes import scaled
from multiserver.system import System
from multiserver.wcfs.bounds import Constants as Constants

# Jobs, and the `simulation.front.FrontPolicy` that serves them.
FrontRule = tuple[Workload, Any]
JOB_LEVEL, PHASE_LEVEL = "job by job", "phase by phase"
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


def whole_capacity(source: str) -> Method:
    """λ* = n/E[S]: all servers are at work once enough jobs are present."""
    return Method(
        question="stability",
        name="whole capacity, λ* = n/E[S]",
        source=source,
        cost="constant",
        answer=limit_by_capacity,
    )


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


def job_level(simulate: Callable[..., Any], *conditions: Condition, source: str) -> Method:
    """Simulation job by job; `simulate(system, λ, effort, **options)` gives `Means`."""

    def answer(system: System, **options: Any) -> Callable[[float, Effort], Means]:
        return lambda arrival_rate, effort: simulate(system, arrival_rate, effort, **options)

    return Method(
        question="simulation",
        name=JOB_LEVEL,
        source=source,
        cost="jobs",
        answer=answer,
        conditions=conditions,
    )


def pooled_bounds(constants: Callable[..., Constants], source: str) -> Method:
    """Bounds on E[T] of a work-conserving finite-skip model, from the M/G/1 queue of its jobs.

    `constants(system, refined=…)` are those of `multiserver.wcfs`, for a capacity of 1.
    """

    def answer(system: System, *, refined: bool = True, **_: Any) -> Callable[[float], Means]:
        found = constants(system, refined=refined)

        def at(arrival_rate: float) -> Means:
            bounds = found.at(arrival_rate)
            return Means(times=bounds.response, note="refined" if refined else "as printed")

        return at

    return Method(
        question="bounds",
        name="resource-pooled M/G/1",
        source=source,
        cost="constant",
        answer=answer,
        conditions=(FINITE_REMAINDER,),
        basis=constants,
    )


def class_simulation(rule: str | Callable[..., None], source: str) -> Method:
    """Simulation job by job, by the engine for policies that serve jobs of each need in order of
    arrival.

    `rule` is the name of one of `simulation.class_policies`, or a function like `CLASS_POLICY`,
    which is rehearsed before it is compiled.
    """

    def simulate(system: System, arrival_rate: float, effort: Effort, **_: Any) -> Means:
        from multiserver.simulation import class_policies

        found = getattr(class_policies, rule) if isinstance(rule, str) else rule
        if found is rule:
            rehearse(found, tuple(system.needs), system.servers)
        return simulate_class_queues(system, arrival_rate, effort, found)

    return job_level(simulate, source=source)


def front_simulation(front_policy: Callable[..., FrontRule], source: str) -> Method:
    """Simulation job by job, by the engine for finite-skip models.

    `front_policy(system, λ, **options)` gives the workload and the `FrontPolicy`.
    """

    def simulate(system: System, arrival_rate: float, effort: Effort, **options: Any) -> Means:
        from multiserver.simulation import front

        workload, rule = front_policy(system, arrival_rate, **options)
        record = record_of(workload, effort)
        found = front.simulate(workload, rule, **arguments_of(effort), record=record)
        return means_of(found, system, effort, record)

    return job_level(simulate, source=source)


def workload_of(system: System, arrival_rate: float) -> Workload:
    """The jobs for an engine, their sizes as times in service (on `equal_servers`)."""
    n, durations, sharing = system.servers, system.durations, system.limit or 1
    if isinstance(n, tuple):
        n = equal_servers(n)
        durations = tuple(scaled(X, n / system.capacity) for X in durations)
    return Workload(n, system.needs, durations, system.probabilities, arrival_rate, sharing)


def arguments_of(effort: Effort) -> dict[str, Any]:
    """The effort as the job-level engines take it."""
    names = "replications", "seed", "key", "warm_up", "confidence", "stable_below"
    return {"jobs": effort.jobs_each} | {name: getattr(effort, name) for name in names}


def simulate_class_queues(
    system: System, arrival_rate: float, effort: Effort, rule: Callable[..., None], **options: Any
) -> Means:
    """Estimates by `simulation.class_queues`, with its option `memory`."""
    from multiserver.simulation import class_queues

    rigid = system.model == "multiserver-jobs"

    def run(workload: Workload, **runs: Any) -> Any:
        return class_queues.simulate(workload, rule, **runs, **options, rigid=rigid)

    return simulate_by_jobs(run, system, arrival_rate, effort)


def simulate_by_jobs(
    simulate: Callable[..., Any], system: System, arrival_rate: float, effort: Effort
) -> Means:
    """Estimates, whose length a short run judges where λ* is not known (`likely_fraction`)."""
    from multiserver.simulation.likely_fraction import run_and_judge

    workload = workload_of(system, arrival_rate)
    record = record_of(workload, effort)
    run = simulate if effort.pilot else partial(run_and_judge, simulate)
    found = run(workload, **arguments_of(effort), record=record)
    return means_of(found, system, effort, record)


def record_of(workload: Workload, effort: Effort) -> NDArray[np.float64] | None:
    """An array for the response times of all jobs (R, J), if they are requested."""
    if not effort.times:
        return None
    _, jobs = with_warm_up(workload, effort.jobs_each, effort.warm_up)
    return np.full((effort.replications, jobs), np.inf)


def means_of(
    found: Any, system: System, effort: Effort, record: NDArray[np.float64] | None
) -> Means:
    """`Means` from the estimates of `simulation.replications` and the times in `record`."""
    classes = range(len(system.classes))
    means = Means(
        times=found.mean_response_time,
        jobs=found.mean_jobs,
        class_times=class_estimates(found.class_response_time, len(classes)),
        class_jobs=tuple(found.class_jobs(c) for c in classes),
        busy=found.busy(system.capacity),
        counts=found,
    )
    return means if record is None else replace(means, **_sampled(found, system, effort, record))


def _sampled(
    found: Any, system: System, effort: Effort, record: NDArray[np.float64]
) -> dict[str, Any]:
    """P(N > k) and the times of the jobs, one by one."""
    from multiserver.simulation.jobs_found import JobsFound
    from multiserver.simulation.sampled_times import SampledTimes, jobs_drawn

    work, first = found.workload, found.length.warm_up
    drawn = jobs_drawn(work, record.shape[1], effort.replications, effort.seed, effort.key)
    arrivals, classes, services = drawn
    same = {"length": found.length, "confidence": effort.confidence, "caveat": found.caveat}
    mine = services if system.model == "multiserver-jobs" else None
    times = SampledTimes.of_jobs(first, classes, record, mine, workload=work, **same)
    return {"sampled": times, "tail": JobsFound(arrivals, record, **same).tail}


def class_estimates(estimate: Callable[[int], Value], count: int) -> tuple[Value | None, ...]:
    """An estimate for each of `count` classes, None for one without a measured job."""
    found: list[Value | None] = []
    for c in range(count):
        try:
            found.append(estimate(c))
        except NotSampledError:
            found.append(None)
    return tuple(found)
