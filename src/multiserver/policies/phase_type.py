"""First come, first served multiserver jobs with phase-type durations: λ*, exact means, and the
distributions of times."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from multiserver.open import age_process, fcfs_levels, waiting_distribution
from multiserver.open.fcfs_levels import MAX_INTERPOLABLE, MIN_FRONTS, MOST_FRONTS
from multiserver.open.front_distribution import FrontDistribution
from multiserver.open.phase_count import block_entries
from multiserver.open.uniformized_waiting import is_preferred, uniformized_waiting
from multiserver.open.waiting_distribution import MOST_SETTLED
from multiserver.phased import PhasedJobs
from multiserver.policies.conditions import MIXED_EXPONENTIAL, PHASE_TYPE
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.policy import Condition, Limit, Means, Method, Times
from multiserver.saturated import phased
from multiserver.system import System

# Entries of the blocks of all levels, if each level is solved on its own.
MOST_ENTRIES = 3e6


# Cached: each condition of each method asks for them, and they take seconds for 5,000 phases.
@lru_cache(1)
def phased_jobs(system: System) -> PhasedJobs:
    """The jobs of a system. Raises `ValueError` unless all durations are phase-type."""
    return PhasedJobs.of(system.servers, system.needs, system.durations, system.probabilities)


def _few_fronts(system: System) -> bool:
    if not PHASE_TYPE.holds(system):
        return True
    return phased.is_feasible(phased_jobs(system))


def _few_levels(system: System) -> bool:
    if not MIXED_EXPONENTIAL.holds(system):
        return True
    parts = exponential_parts(system).system
    return block_entries(parts.servers, parts.needs) <= MOST_ENTRIES


def _many_fronts(system: System) -> bool:
    if not PHASE_TYPE.holds(system):
        return True
    return fcfs_levels.is_cheapest(phased_jobs(system))


MANY_FRONTS = Condition(
    f"{MIN_FRONTS} to {MOST_FRONTS} fronts, or {MAX_INTERPOLABLE} that can be interpolated",
    _many_fronts,
)
FEW_FRONTS = Condition(
    f"at most {phased.MOST_FRONTS} fronts, or two needs, the smaller of exponential durations",
    _few_fronts,
)
FEW_LEVELS = Condition(f"levels of at most {MOST_ENTRIES:.0f} numbers", _few_levels)


def _limit(system: System, relative_completions: bool) -> Limit:
    distribution = phased.solve(phased_jobs(system))
    return Limit(
        distribution.throughput, distribution.wastage, distribution.mean_relative_completions
    )


def _means(system: System) -> Callable[[float], Means]:
    process = age_process.prepare(phased_jobs(system))

    def at(arrival_rate: float) -> Means:
        distribution = process.at(arrival_rate)
        tail = None if process.interpolated else distribution.tail
        return _of_distribution(distribution, tail, process.fronts_description)

    return at


def _swept(system: System) -> Callable[[float], Means]:
    process = fcfs_levels.prepare(phased_jobs(system))

    def at(arrival_rate: float) -> Means:
        distribution = process.at(arrival_rate)
        return _of_distribution(
            distribution,
            distribution.tail,
            f"{process.fronts_description} on {len(distribution.levels) - 1} levels",
        )

    return at


def _of_distribution(
    distribution: FrontDistribution, tail: Callable[[int], float] | None, note: str
) -> Means:
    return Means(
        times=distribution.mean_response_time,
        class_times=tuple(map(float, distribution.class_response_times)),
        waiting=distribution.mean_waiting,
        # Weights of interpolated fronts may have any sign.
        class_waits=tuple(max(w, 0.0) for w in distribution.class_waiting_times.tolist()),
        tail=tail,
        note=note,
        imprecision=distribution.imprecision,
    )


def _times(system: System) -> Callable[[float], Times]:
    process = age_process.prepare(phased_jobs(system))
    return lambda arrival_rate: waiting_distribution.waiting_distribution(process.at(arrival_rate))


def _times_by_steps(system: System) -> Callable[[float], Times]:
    process = fcfs_levels.prepare(phased_jobs(system))
    return lambda arrival_rate: uniformized_waiting(process.at(arrival_rate, tails=True))


def _sparse(system: System) -> bool:
    return not PHASE_TYPE.holds(system) or is_preferred(phased_jobs(system))


def _dense(system: System) -> bool:
    return not PHASE_TYPE.holds(system) or waiting_distribution.is_feasible(phased_jobs(system))


SATURATED_PHASES = Method(
    question="stability",
    name="saturated system with phases",
    source="`two-class-stability`, Theorem 4.3, for phase-type durations",
    cost="about linear in its fronts",
    answer=_limit,
    conditions=(PHASE_TYPE, FEW_FRONTS),
)

LEVEL_SWEEPS = Method(
    question="exact",
    name="sweeps over levels",
    source="`multiserver.open.fcfs_levels`; E[T] by class from Little's law",
    cost="fronts × levels × some hundred sweeps: seconds to minutes",
    answer=_swept,
    conditions=(PHASE_TYPE, MANY_FRONTS),
)

HEAD_AGE = Method(
    question="exact",
    name="age of the head of the queue",
    source="`multiserver.open.age_process`; E[T] by class from Little's law",
    cost="fronts³, a few seconds for any n if there are two needs, the smaller of exponential"
    " durations",
    answer=_means,
    conditions=(PHASE_TYPE,),
)

DENSE = Condition(
    f"at most {MOST_SETTLED} fronts that no job can join, or two needs, the smaller of exponential"
    " durations",
    _dense,
)
SPARSE = Condition(f"up to {MOST_FRONTS} fronts, durations that are not too far apart", _sparse)
UNIFORMIZATION = Method(
    question="distribution",
    name="uniformization of the queue without arrivals",
    source="`multiserver.open.uniformized_waiting`",
    cost="exact means by sweeps, then fronts × levels × steps: seconds to some minutes",
    answer=_times_by_steps,
    conditions=(PHASE_TYPE, SPARSE),
)
AGE_DISTRIBUTION = Method(
    question="distribution",
    name="age of the head of the queue",
    source="`multiserver.open.waiting_distribution`",
    cost="as exact means by this age, and some thirty products of fronts x fronts matrices",
    answer=_times,
    conditions=(PHASE_TYPE, DENSE),
)
