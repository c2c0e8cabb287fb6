"""First come, first served, for multiserver jobs, threshold parallelism, parallel processing and
networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multiserver.open import by_class, multiserver_jobs
from multiserver.open.qbd import QuasiBirthDeath, StationaryDistribution
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.policies.alike import alike_as_one
from multiserver.policies.conditions import (
    FINITE_VARIANCE,
    MIXED_EXPONENTIAL,
    ONE_EXPONENTIAL,
    PHASE_TYPE,
)
from multiserver.policies.exponential import ExponentialParts, exponential_parts
from multiserver.policies.fronts import FrontProcess
from multiserver.policies.job_level import (
    FrontRule,
    arguments_of,
    class_estimates,
    front_simulation,
    job_level,
    workload_of,
)
from multiserver.policies.networks import NETWORK_METHODS
from multiserver.policies.one_at_a_time import (
    DETERMINISTIC,
    EQUAL_PLACES,
    ERLANG,
    ERLANG_TIMES,
    one_at_a_time,
)
from multiserver.policies.one_or_n import ONE_OR_N
from multiserver.policies.parallel import (
    balanced_methods,
    simulate_interruptions,
    stability_methods,
)
from multiserver.policies.phase_type import (
    AGE_DISTRIBUTION,
    FEW_LEVELS,
    HEAD_AGE,
    LEVEL_SWEEPS,
    SATURATED_PHASES,
    UNIFORMIZATION,
)
from multiserver.policies.policy import Effort, Limit, Means, Method, Policy
from multiserver.policies.pooled import pooled_bounds, whole_capacity
from multiserver.policies.process import ClassTimes, process_methods
from multiserver.policies.server_groups import in_groups
from multiserver.saturated import dispatch
from multiserver.simulation.workload import with_warm_up
from multiserver.sizes import Size, scaled
from multiserver.system import System
from multiserver.wcfs import models
from multiserver.wcfs.bounds import Constants

if TYPE_CHECKING:
    from multiserver.simulation.sampled_times import SampledTimes


@dataclass(frozen=True, slots=True)
class FcfsProcess:
    """The quasi-birth-death process of multiserver jobs, split into exponential parts."""

    parts: ExponentialParts
    blocks: multiserver_jobs.FcfsBlocks

    def at(self, arrival_rate: float) -> QuasiBirthDeath:
        return self.blocks.at(arrival_rate)

    def class_times(self, distribution: StationaryDistribution) -> ClassTimes:
        waits = by_class.waiting_times(self.blocks, distribution)
        times = waits + 1 / np.array(self.parts.system.rates)
        return self.parts.by_owner(times), self.parts.by_owner(waits)


def _process(system: System) -> FcfsProcess:
    parts = exponential_parts(system)
    return FcfsProcess(parts, multiserver_jobs.prepare(parts.system))


def _saturated(system: System, relative_completions: bool) -> Limit:
    """λ* of the saturated system."""
    parts = exponential_parts(system)
    found = dispatch.solve(parts.system, relative_completions=relative_completions)
    wastage = float(found.wastage)
    return Limit(found.throughput, wastage, found.relative_completions, found.method)


def _estimated(system: System, relative_completions: bool, half_width: float, seed: int) -> Limit:
    """λ* from a simulation of the saturated system, which does not give E[Δ(Y_d)]."""
    from multiserver.simulation import saturated

    workload = system.servers, system.needs, system.durations, system.probabilities
    found = saturated.limit(*workload, half_width=half_width, seed=seed)
    # If no server is wasted, the difference is only rounding.
    wastage = max(system.capacity - found.mean * system.mean_size, 0.0)
    return Limit(found.mean, wastage, note=f"{found.jobs} jobs", estimate=found)


def _simulate(system: System, arrival_rate: float, effort: Effort) -> Means:
    from multiserver.simulation import fcfs, saturated

    workload, traces = workload_of(system, arrival_rate), [] if effort.times else None
    runs = arguments_of(effort)
    if effort.stable_below is None:
        about = workload, effort.jobs, effort.seed, effort.key
        runs["likely_limit"] = saturated.likely_limit(*about)
    # P(N > k) for all k up to twice the jobs that fit, and beyond.
    levels = 100 + min(2 * system.servers // min(system.needs), 10_000)
    found = fcfs.simulate(workload, **runs, levels=levels, traces=traces)
    return Means(
        times=found.mean_response_time,
        jobs=found.mean_jobs,
        class_times=class_estimates(found.class_response_time, len(system.classes)),
        waiting=found.mean_waiting,
        busy=found.mean_held,
        tail=found.tail,
        counts=found,
        length=found.length,
        sampled=None if traces is None else _sampled(found, traces, effort),
    )


def _sampled(found: Any, traces: list[Any], effort: Effort) -> SampledTimes:
    from multiserver.simulation.sampled_times import SampledTimes

    first, _ = with_warm_up(found.workload, effort.jobs_each, effort.warm_up)
    arrivals, classes, services, starts = map(np.stack, zip(*traces, strict=True))
    return SampledTimes.of_jobs(
        first,
        classes,
        (starts - arrivals) + services,
        services,
        workload=found.workload,
        length=found.length,
        confidence=effort.confidence,
        caveat=found.caveat,
    )


def _sizes(system: System) -> tuple[Size, ...]:
    """S_c in capacity times time, for a capacity of 1: a job holds v_c/n of it for X_c."""
    pairs = zip(system.durations, system.needs, strict=True)
    return tuple(scaled(X, v / system.servers) for X, v in pairs)


def _threshold_front(system: System) -> FrontProcess:
    return FrontProcess.of(
        ThresholdParallelism(system.servers, system.needs, _sizes(system), system.probabilities)
    )


def _threshold_constants(system: System, refined: bool) -> Constants:
    k, p = system.servers, system.probabilities
    return models.threshold_parallelism(k, system.needs, _sizes(system), p, refined=refined)


def _threshold_front_rule(system: System, arrival_rate: float) -> FrontRule:
    from multiserver.simulation import front_policies

    workload = workload_of(system, arrival_rate)
    return workload, front_policies.threshold_parallelism(workload)


SATURATED = Method(
    question="stability",
    name="saturated system",
    source="`two-class-stability`, Theorem 4.3",
    cost="constant to linear in its states",
    answer=_saturated,
    conditions=(MIXED_EXPONENTIAL,),
)

SIMULATED = Method(
    question="stability",
    name="saturated system, simulated",
    source="`two-class-stability`, Theorem 4.3; `multiserver.simulation.saturated`",
    cost="jobs, as 1/half_width²",
    answer=_estimated,
    conditions=(FINITE_VARIANCE,),
    sampled=True,
)

FCFS = Policy(
    name="fcfs",
    preemptive=False,
    definition=(
        "First come, first served. Multiserver jobs start in order of arrival, each once its"
        " servers are idle: one that does not fit blocks all behind it. Under threshold parallelism"
        " jobs take servers in order of arrival, up to their thresholds; the last takes what is"
        " left. In parallel processing, and at every station of a network, a server serves the"
        " oldest job that it can. No ties: jobs arrive one at a time."
    ),
    methods={
        "multiserver-jobs": alike_as_one(
            SATURATED,
            *one_at_a_time(),
            SATURATED_PHASES,
            EQUAL_PLACES,
            SIMULATED,
            DETERMINISTIC,
            ERLANG,
            ERLANG_TIMES,
            *process_methods(
                _process,
                MIXED_EXPONENTIAL,
                FEW_LEVELS,
                source="`two-class-stability`, Section 3; E[T] by class from Little's law",
                in_order=True,
            ),
            *in_groups(ONE_OR_N),
            LEVEL_SWEEPS,
            HEAD_AGE,
            UNIFORMIZATION,
            AGE_DISTRIBUTION,
            job_level(_simulate, source="`multiserver.simulation.fcfs`"),
        ),
        "threshold-parallelism": alike_as_one(
            whole_capacity("`finite-skip`, Section 6"),
            *one_at_a_time(),
            *process_methods(_threshold_front, PHASE_TYPE, source="`finite-skip`, Section 6"),
            pooled_bounds(_threshold_constants, "`finite-skip`, Corollary 3.8 and Section 6.4"),
            front_simulation(_threshold_front_rule, "`finite-skip`, Section 6"),
        ),
        "parallel-processing": (
            *stability_methods(ONE_EXPONENTIAL),
            *one_at_a_time(),
            *balanced_methods(ONE_EXPONENTIAL, source="`parallel-processing`, Theorems 1 and 2"),
            job_level(
                simulate_interruptions, source="`parallel-processing`, Algorithm 1 with m = 0"
            ),
        ),
        "network": NETWORK_METHODS,
    },
    monotone_in_servers=("multiserver-jobs",),
)
