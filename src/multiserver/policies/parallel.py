"""Methods for parallel processing: balanced fairness, and interruptions.

Let λ_i be the arrival rate and σ_i the mean size of class i, and C_s the speeds. Under balanced
fairness the numbers of jobs have the distribution of a queue with servers of rates C_s, at which
jobs of mean size 1 arrive at rates λ_i σ_i; they depend on the sizes only through their means
(`parallel-processing`, Section 7). If every server serves its oldest job, with or without
interruptions, the distribution is the same for exponential sizes of one mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from multiserver.policies.conditions import ONE_DEGREE, ONLY_DEGREES, ONLY_SETS
from multiserver.policies.policy import Condition, Effort, Limit, Means, Method
from multiserver.sharing import balanced_fairness, symmetric, total_jobs
from multiserver.sharing.queue import MultiServerQueue, stability
from multiserver.simulation.estimate import Estimate, estimate, withhold_interval
from multiserver.system import System

if TYPE_CHECKING:
    from multiserver.simulation.interruption_estimates import Performance
    from multiserver.simulation.own_servers import Parts
    from multiserver.simulation.sampled_times import SampledTimes

Solve = Callable[[System, NDArray[np.float64]], Means]


def work_of(system: System, arrival_rate: float) -> NDArray[np.float64]:
    """λ_i σ_i, class by class."""
    pairs = zip(system.probabilities, system.durations, strict=True)
    return np.array([arrival_rate * p * X.mean for p, X in pairs])


def queue_of(system: System) -> MultiServerQueue:
    """The queue with the speeds and compatible sets of the system."""
    return MultiServerQueue(system.speeds, tuple(c.compatible for c in system.classes))


def _by_sets(system: System, work: NDArray[np.float64]) -> Means:
    queue = queue_of(system)
    found = balanced_fairness.solve(queue, work)
    log_total = math.log(found.normalising_constant)
    tail = partial(total_jobs.tail_by_classes, queue, work, log_total)
    return Means(class_jobs=tuple(found.mean_jobs.tolist()), tail=tail)


def _one_degree(system: System, work: NDArray[np.float64]) -> Means:
    (kind,), pool = _types_of(system, work), _pool_of(system)
    found = symmetric.random_assignment(pool.servers, *kind.degrees, work, rate=pool.rate)
    log_total = float(found.log_normalising_constant[0])
    tail = partial(total_jobs.tail_by_servers, pool, [kind], log_total)
    return Means(class_jobs=tuple(found.mean_jobs.tolist()), tail=tail)


def _degrees(system: System, work: NDArray[np.float64]) -> Means:
    types, pool = _types_of(system, work), _pool_of(system)
    found = symmetric.solve([pool], types)
    tail = partial(total_jobs.tail_by_servers, pool, types, found.log_normalising_constant)
    return Means(class_jobs=tuple(found.mean_jobs.tolist()), tail=tail)


def _pool_of(system: System) -> symmetric.ServerPool:
    return symmetric.ServerPool(len(system.speeds), system.speeds[0])


def _types_of(system: System, work: NDArray[np.float64]) -> list[symmetric.JobType]:
    pairs = zip(work.tolist(), system.classes, strict=True)
    return [symmetric.JobType(load, (job.degree,)) for load, job in pairs]


def _answer(solve: Solve) -> Callable[..., Callable[[float], Means]]:
    def answer(system: System, **_: Any) -> Callable[[float], Means]:
        def at(arrival_rate: float) -> Means:
            found = solve(system, work_of(system, arrival_rate))
            flows = [arrival_rate * p for p in system.probabilities]
            total = math.fsum(found.class_jobs)
            return replace(
                found,
                jobs=total,
                times=total / arrival_rate,
                class_times=tuple(
                    n / flow for n, flow in zip(found.class_jobs, flows, strict=True)
                ),
            )

        return at

    return answer


def balanced_methods(*conditions: Condition, source: str) -> tuple[Method, ...]:
    """Exact means under balanced fairness, cheapest first."""
    rows = (
        ("closed form of random assignment", "servers", _one_degree, ONE_DEGREE),
        ("recursion over sets of classes", "classes · 2^classes", _by_sets, ONLY_SETS),
        ("recursion over the servers in use", "servers · degrees", _degrees, ONLY_DEGREES),
    )
    return tuple(
        Method(
            question="exact",
            name=name,
            source=source,
            cost=cost,
            answer=_answer(solve),
            conditions=(*conditions, own),
        )
        for name, cost, solve, own in rows
    )


def stability_methods(*conditions: Condition) -> tuple[Method, ...]:
    """λ* by condition (7)."""
    source = "`parallel-processing`, condition (7)"
    rows = (
        ("all servers bind, λ* = n/E[S]", "constant", limit_by_capacity, ONLY_DEGREES),
        ("the set of classes that binds", "2^classes", limit_by_sets, ONLY_SETS),
    )
    return tuple(
        Method(
            question="stability",
            name=name,
            source=source,
            cost=cost,
            answer=answer,
            conditions=(*conditions, own),
        )
        for name, cost, answer, own in rows
    )


def limit_by_capacity(system: System, **_: Any) -> Limit:
    """n/E[S], at which all servers are at work."""
    return Limit(system.capacity / system.mean_size, 0.0)


def limit_by_sets(system: System, **_: Any) -> Limit:
    """The λ at which condition (7) fails."""
    return Limit.of(system, stability(queue_of(system), work_of(system, 1.0)).scale)


def highest_rate(system: System) -> float:
    """A λ from which no policy is stable: n/E[S] or, for sets of servers, where (7) fails."""
    limit = limit_by_sets if ONLY_SETS.holds(system) else limit_by_capacity
    return limit(system).arrival_rate


def simulate_interruptions(
    system: System, arrival_rate: float, effort: Effort, per_job: float = 0.0
) -> Means:
    """Algorithm 1 with m = `per_job` interruptions of a job on average, 0 for FCFS.

    A job takes 2 + m jumps on average, from which the number of jumps follows. The warm-up is
    extended if needed: to the jumps that fill the servers, and to those in which the queue settles,
    the latter up to as many as are measured.
    """
    from multiserver.simulation import interruptions, own_servers
    from multiserver.simulation.interruption_runs import WORK

    jumps = math.ceil((2 + per_job) * effort.jobs / effort.replications)
    warmup = math.ceil(effort.warm_up * jumps)
    if warmup >= jumps:
        raise ValueError(
            f"warm_up must leave some of {effort.jobs} jobs, found {effort.warm_up!r}: ask for more"
            " jobs, or fewer replications"
        )
    jumps -= warmup
    classes = [
        interruptions.ParallelClass(
            arrival_rate * p, job.duration, job.degree or tuple(sorted(job.compatible))
        )
        for p, job in zip(system.probabilities, system.classes, strict=True)
    ]
    cluster = interruptions.Cluster(system.speeds, classes, per_job)
    limit = effort.stable_below or highest_rate(system)
    if effort.warm_up:
        settling = cluster.settling_jumps(min(1.0, cluster.load * limit / arrival_rate))
        alone = own_servers.settling_time_alone(cluster)
        drawn = 2 * own_servers.settling_time(cluster, arrival_rate / limit)
        settling = max(settling, max(alone, drawn) * cluster.jump_rate)
        warmup = max(warmup, cluster.filling_jumps(), math.ceil(min(settling, jumps)))
    found = interruptions.simulate(
        cluster,
        seed=effort.seed,
        replications=range(effort.replications),
        warmup=warmup,
        jumps=jumps,
        key=effort.key,
        stable_below=effort.stable_below,
        highest=limit,
        times=effort.times,
    )
    found = own_servers.withhold_intervals(cluster, found)
    # Work is measured in the same windows as the numbers of jobs.
    busy = replace(
        estimate(
            found.runs.tallies[:, WORK].sum(axis=1),
            found.runs.durations,
            variance=0.0,
            jobs=found.overall_response_time.jobs,
            confidence=effort.confidence,
        ),
        effective_size=min(e.effective_size for e in found.jobs),
    )
    means = Means(
        times=_with_confidence(effort.confidence, (found.overall_response_time,))[0],
        busy=withhold_interval(busy, found.caveat_over_time),
        class_times=_with_confidence(effort.confidence, found.response_time),
        class_jobs=_with_confidence(effort.confidence, found.jobs),
        tail=partial(_tail, found, effort.confidence),
        counts=found,
        length=found.length,
        parts=partial(own_servers.parts, cluster),
    )
    if not effort.times:
        return means
    own = own_servers.parts(cluster, found.length)
    return replace(means, sampled=_sampled(found, effort.confidence, own))


def _tail(found: Performance, confidence: float, k: int) -> Estimate | None:
    """P(N > k)."""
    return _with_confidence(confidence, (found.tail(k),))[0]


def _sampled(found: Performance, confidence: float, own: Parts) -> SampledTimes:
    """The times of as many jobs of each replication as have left in all of them."""
    from multiserver.simulation.sampled_times import SampledTimes

    runs = found.runs
    first, J = runs.early.min(), min(found.length.jobs, (runs.recorded - runs.early).min())
    chosen = runs.early[:, None] + np.arange(-first, J)
    classes, times = (np.take_along_axis(x, chosen, 1) for x in (runs.classes, runs.responses))
    return SampledTimes.of_jobs(
        first,
        classes,
        times,
        None,
        workload=found.length.workload,
        length=found.length,
        confidence=confidence,
        caveat=found.caveat,
        own=own,
    )


def _with_confidence(
    confidence: float, estimates: tuple[Estimate, ...]
) -> tuple[Estimate | None, ...]:
    """The same estimates with intervals at another confidence, None for a mean over no job."""
    quantiles = [-stdtrit(e.freedom, (1 - confidence) / 2) for e in estimates]
    return tuple(
        None if math.isnan(e.mean) else replace(e, margin=float(q) * e.standard_error)
        for e, q in zip(estimates, quantiles, strict=True)
    )
