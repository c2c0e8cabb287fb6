"""Simulation job by job, as a method of a policy.

Engines are imported where they are used, since numba takes a second to import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import is_number
from multiserver.errors import NotSampledError
from multiserver.policies.policy import Condition, Effort, Means, Method, Value
from multiserver.policies.rehearsal import rehearse
from multiserver.simulation.workload import Workload, equal_servers, with_warm_up
from multiserver.sizes import scaled
from multiserver.system import System

# Jobs, and the `simulation.front.FrontPolicy` that serves them.
FrontRule = tuple[Workload, Any]
JOB_LEVEL = "job by job"


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


def class_simulation(rule: str | Callable[..., None], source: str) -> Method:
    """Simulation job by job, by the engine for policies that serve jobs of each need in order of
    arrival.

    `rule` is the name of one of `simulation.class_policies`, or a function like `CLASS_POLICY`,
    which is rehearsed before it is compiled. Options of the policy, whole numbers, are its memory.
    """

    def simulate(system: System, arrival_rate: float, effort: Effort, **options: Any) -> Means:
        from multiserver.simulation import class_policies

        memory = tuple(options.values())
        if not all(is_number(value) and value % 1 == 0 for value in memory):
            raise ValueError(f"the options of a rule must be whole numbers, found {options}")
        found = getattr(class_policies, rule) if isinstance(rule, str) else rule
        if found is rule:
            rehearse(found, tuple(system.needs), system.servers, memory)
        return simulate_class_queues(system, arrival_rate, effort, found, memory=memory)

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
        length=found.length,
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
