"""The means found by a method, completed by Little's law.

Jobs of class c arrive at rate λ p_c, so E[N_c] = λ p_c E[T_c]. The capacity at work is λ E[S] under
every policy, as all work is done in the end; a simulation reports its own measurement instead, or
nothing. A rigid job is in service for X_c in all, so it waits E[T_c] − E[X_c] on average, and
λ Σ_c p_c E[X_c] jobs are in service. No job is served faster than by the fastest servers that it
can use, at rate s_c, so E[T_c] ≥ E[X_c] v_c/s_c; a lower bound on E[T] is raised to the mean of
these.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from multiserver.longer_runs import times_as_many
from multiserver.network import Network
from multiserver.policies.policy import Means, Value
from multiserver.results import ClassResult, Kind, Result
from multiserver.system import System
from multiserver.wcfs.bounds import Interval

# E[T] may be less than E[X] by this fraction of it, or by the imprecision of the method, which is
# only known within a factor of about ten.
ROUNDING, WITHIN = 1e-12, 10.0


def complete_result(
    system: System | Network,
    rate: float | None,
    limit: float | None,
    found: Means,
    kind: Kind,
    policy: str,
    method: str,
    source: str,
) -> Result[Any]:
    """The result of a method at λ = `rate` (None: a closed network), with λ* = `limit`."""
    nothing = (None,) * len(system.classes)
    jobs, times, waiting, busy = found.jobs, found.times, found.waiting, found.busy
    if kind == "bounds":
        least = least_response_time(system)
        if times.lower < least:
            times, method = times.at_least(least), f"{method}; lower end E[T] ≥ {least:.6g} alone"
    class_times, class_jobs = found.class_times or nothing, found.class_jobs or nothing
    waiting_time = None if waiting is None else scale_and_shift(waiting, 1 / rate)
    class_waits = nothing
    if isinstance(system, System):
        flows = [rate * p for p in system.probabilities]
        jobs = scale_and_shift(times, rate) if jobs is None else jobs
        if busy is None and kind != "simulated":
            busy = system.load(rate) * system.capacity
            busy = Interval(busy, busy) if kind == "bounds" else busy
        if found.class_jobs is None:
            pairs = zip(class_times, flows, strict=True)
            class_jobs = tuple(scale_and_shift(t, flow) for t, flow in pairs)
    if kind == "simulated":
        # Every class has E[N_c] > 0: a run that saw none of its jobs has no estimate.
        class_jobs = tuple(None if n is None or n.mean == 0 else n for n in class_jobs)
    if system.model == "multiserver-jobs":
        in_service = [X.mean for X in system.durations]
        error = max(ROUNDING, WITHIN * found.imprecision)
        pairs = zip(class_times, in_service, strict=True)
        class_waits = found.class_waits or tuple(_subtract(t, x, error) for t, x in pairs)
        mean = math.fsum(p * x for p, x in zip(system.probabilities, in_service, strict=True))
        if waiting is None:
            waiting = _subtract(jobs, rate * mean, error)
            waiting_time = _subtract(times, mean, error)
    rows = zip(class_jobs, class_times, class_waits, strict=True)
    return Result(
        kind=kind,
        model=system.model,
        policy=policy,
        method=method,
        source=source,
        arrival_rate=rate,
        load=None if rate is None else system.load(rate),
        limit=limit,
        means=_drop_none(
            mean_jobs=jobs,
            mean_waiting=waiting,
            mean_response_time=times,
            mean_waiting_time=waiting_time,
            busy_servers=busy,
            idle_servers=scale_and_shift(busy, -1.0, system.capacity),
        ),
        by_class=tuple(
            ClassResult(means=_drop_none(mean_jobs=n, mean_response_time=t, mean_waiting_time=w))
            for n, t, w in rows
        ),
        counts=found.counts,
        _times=found.sampled,
        _longer=partial(times_as_many, found) if found.length else None,
        _tail=found.tail,
    )


def least_response_time(system: System) -> float:
    """E[T] if no job ever waited and each was served by the fastest servers that it can use."""
    parts = []
    for p, one in zip(system.probabilities, system.classes, strict=True):
        most = one.degree or (len(one.compatible) if one.compatible is not None else one.servers)
        total = float(most)  # Servers that are only numbered may be too many to list.
        if isinstance(system.servers, tuple):
            chosen = range(len(system.servers)) if one.compatible is None else one.compatible
            speeds = sorted((system.servers[s] for s in chosen), reverse=True)
            total = math.fsum(speeds[:most])
        parts.append(p * one.demand / total)
    return math.fsum(parts)


def _drop_none(**means: Value | None) -> dict[str, Value]:
    return {name: value for name, value in means.items() if value is not None}


def _subtract(whole: Value | None, service: float, error: float) -> Value | None:
    """E[W] = E[T] − E[X], or E[Q] likewise; 0 where the relative `error` makes it negative."""
    found = scale_and_shift(whole, 1.0, -service)
    return max(found, 0.0) if isinstance(found, float) and found > -error * service else found


def scale_and_shift(value: Value | None, factor: float = 1.0, shift: float = 0.0) -> Value | None:
    """factor · value + shift; None stays None."""
    return None if value is None else factor * value + shift
