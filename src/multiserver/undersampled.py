"""Detects simulated means that depend on a class of which the run has seen too few jobs.

A policy may keep the jobs of a class waiting for so long that their number takes a thousand times
as long to settle as the work does: nonpreemptive Most Servers First starts a job that needs all
servers only when none is busy. A shorter run has few of them in the system where there should be
many, and the jobs that they would delay are served too soon. The estimates of the other means do
not show it; those of the class itself do.

The share of a class among the jobs in the system is computed from its mean number of jobs, and by
Little's law, λ p_c E[T_c], from jobs followed to their departure; the larger one counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from multiserver.policies.policy import Means, Value
from multiserver.simulation.estimate import (
    FAIR_OBSERVATIONS,
    NEGLIGIBLE_SHARE,
    Estimate,
    seen_too_little,
    withhold_interval,
)
from multiserver.system import System


def withhold_intervals(system: System, arrival_rate: float, means: Means) -> Means:
    """The means, without intervals if a class with a large share of the jobs has fewer than
    `FAIR_OBSERVATIONS` jobs a replication, or fewer than `SETTLED_OBSERVATIONS` independent
    observations. In parallel processing, where classes may have servers of their own, the means by
    class keep their intervals."""
    reason = _reason(system, arrival_rate, means)
    if not reason:
        return means

    withhold = partial(_withhold, reason)
    of_all = {name: withhold(getattr(means, name)) for name in ("times", "jobs", "waiting", "busy")}
    if means.tail is not None:
        of_all["tail"] = partial(_withhold_tail, reason, means.tail)
    if system.model == "parallel-processing":
        return replace(means, **of_all)
    if means.sampled is not None:
        of_all["sampled"] = replace(means.sampled, caveat=means.sampled.caveat or reason)
    for name in ("class_times", "class_jobs"):
        if (values := getattr(means, name)) is not None:
            of_all[name] = tuple(map(withhold, values))
    return replace(means, **of_all)


def _withhold(reason: str, value: Any) -> Any:
    return withhold_interval(value, reason) if isinstance(value, Estimate) else value


def _withhold_tail(reason: str, tail: Callable[[int], Value], k: int) -> Value:
    return _withhold(reason, tail(k))


def _reason(system: System, arrival_rate: float, means: Means) -> str:
    """Names the undersampled class, in words; empty if there is none."""
    if means.class_times is None or len(means.class_times) < 2:
        return ""
    numbers = means.class_jobs or (None,) * len(means.class_times)
    rows = zip(system.probabilities, system.durations, means.class_times, numbers, strict=True)
    present, seen = [], []
    for p, X, time, number in rows:
        by_time = arrival_rate * p * (X.mean if time is None else time.mean)
        present.append(max(by_time, 0.0 if number is None else number.mean))
        many = p * means.times.jobs >= FAIR_OBSERVATIONS * means.times.replications
        seen.append(many and time.long_enough and (number is None or number.long_enough))
    for c, (share, enough) in enumerate(zip(present, seen, strict=True)):
        if share > NEGLIGIBLE_SHARE * sum(present) and not enough:
            return seen_too_little(c, share / sum(present))
    return ""
