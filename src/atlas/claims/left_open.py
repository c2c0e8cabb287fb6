"""Quantities that the papers leave open and that can be computed, each by two routes.

A row of the ledger quotes the sentence; its number is the largest relative difference of the two
routes over systems that the sentence is about.

| left open                       | computed by                     | and by                       |
|---------------------------------|---------------------------------|------------------------------|
| λ* and E[Δ(Y_d)] of any classes | enumerated chain (`stationary`) | chain of fronts (`phased`)   |
| E[T] of any classes under FCFS  | chain of the number of jobs     | `age_process`                |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from atlas.claims import Found
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs
from multiserver.saturated import phased, stationary

ROUTE = "two exact routes"
CONFIRMED = "simulation by the numbers of jobs (tests/simulation/test_counts.py)"
GROUP = "finite_skip_proofs"

Systems = Sequence[Mapping[str, Any]]


def limits_gap(*, systems: Systems) -> Found:
    """The largest relative difference of λ*, and of E[Δ(Y_d)], between the chain of the servers
    held and the chain of fronts."""

    def gap(system: MultiserverJobSystem) -> float:
        one, other = stationary.solve(system), phased.solve(PhasedJobs.exponential(system))
        return max(
            _apart(one.throughput, other.throughput),
            _apart(one.mean_relative_completions, other.mean_relative_completions),
        )

    return _largest(systems, gap)


def response_gap(*, systems: Systems, fraction_of_limit: float) -> Found:
    """The largest relative difference of E[T] under FCFS, at a fraction of λ*, between the chain
    whose level is the number of jobs and the process of the age of the head of the queue."""

    def gap(system: MultiserverJobSystem) -> float:
        blocks = multiserver_jobs.prepare(system)
        process = age_process.prepare(PhasedJobs.exponential(system))
        rate = fraction_of_limit * blocks.throughput
        one = qbd.solve(blocks.at(rate)).mean_jobs / rate
        return _apart(one, process.at(rate).mean_response_time)

    return _largest(systems, gap)


def _apart(one: float, other: float) -> float:
    return abs(one / other - 1)


def _largest(systems: Systems, gap: Callable[[MultiserverJobSystem], float]) -> Found:
    found = [(gap(MultiserverJobSystem.of(**block)), block) for block in systems]
    worst, block = max(found, key=lambda pair: pair[0])
    return Found(worst, f"needs {block['needs']} of {block['servers']}")
