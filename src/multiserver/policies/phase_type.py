"""First come, first served multiserver jobs whose durations have phases: λ* and exact means."""

from __future__ import annotations

from collections.abc import Callable

from multiserver.open import head_age, level_sweeps
from multiserver.open.front_law import FrontLaw
from multiserver.open.level_sweeps import FEWEST, MOST_FRONTS, MOST_SMOOTH
from multiserver.open.phase_count import block_entries
from multiserver.phased import PhasedJobs
from multiserver.policies.conditions import MIXED_EXPONENTIAL, PHASE_TYPE
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.policy import Condition, Limit, Means, Method
from multiserver.saturated import phased
from multiserver.system import System

# Of the levels where each is solved on its own.
MOST_ENTRIES = 3e6


def phased_jobs(system: System) -> PhasedJobs:
    """The jobs of a system. Raises `ValueError` unless all durations are phase-type."""
    return PhasedJobs.of(system.servers, system.needs, system.durations, system.probabilities)


def _few_fronts(system: System) -> bool:
    if not PHASE_TYPE.holds(system):
        return True
    return phased.fits(phased_jobs(system))


def _few_levels(system: System) -> bool:
    if not MIXED_EXPONENTIAL.holds(system):
        return True
    parts = exponential_parts(system).system
    return block_entries(parts.servers, parts.needs) <= MOST_ENTRIES


def _many_fronts(system: System) -> bool:
    if not PHASE_TYPE.holds(system):
        return True
    return level_sweeps.pays(phased_jobs(system))


MANY_FRONTS = Condition(
    f"{FEWEST} to {MOST_FRONTS} fronts, or {MOST_SMOOTH} that can be interpolated", _many_fronts
)
FEW_FRONTS = Condition(
    f"at most {phased.MOST_FRONTS} fronts, or two needs, the smaller of exponential durations",
    _few_fronts,
)
FEW_LEVELS = Condition(f"levels of at most {MOST_ENTRIES:.0f} numbers", _few_levels)


def _limit(system: System, relative_completions: bool) -> Limit:
    law = phased.solve(phased_jobs(system))
    return Limit(law.throughput, law.wastage, law.mean_relative_completions)


def _means(system: System) -> Callable[[float], Means]:
    process = head_age.prepare(phased_jobs(system))

    def at(arrival_rate: float) -> Means:
        law = process.at(arrival_rate)
        tail = None if process.interpolated else law.tail
        return _of_law(law, tail, process.told_apart)

    return at


def _swept(system: System) -> Callable[[float], Means]:
    process = level_sweeps.prepare(phased_jobs(system))

    def at(arrival_rate: float) -> Means:
        law = process.at(arrival_rate)
        return _of_law(law, law.tail, f"{process.told_apart} on {len(law.levels) - 1} levels")

    return at


def _of_law(law: FrontLaw, tail: Callable[[int], float] | None, told_apart: str) -> Means:
    return Means(
        times=law.mean_response_time,
        class_times=tuple(map(float, law.class_response_times)),
        waiting=law.mean_waiting,
        tail=tail,
        note=told_apart,
        imprecision=law.imprecision,
    )


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
    source="`multiserver.open.level_sweeps`; E[T] by class from Little's law",
    cost="fronts × levels × some hundred sweeps: seconds",
    answer=_swept,
    conditions=(PHASE_TYPE, MANY_FRONTS),
)

HEAD_AGE = Method(
    question="exact",
    name="age of the head of the queue",
    source="`multiserver.open.head_age`; E[T] by class from Little's law",
    cost="fronts³, a few seconds for any n if there are two needs, the smaller of exponential"
    " durations",
    answer=_means,
    conditions=(PHASE_TYPE,),
)
