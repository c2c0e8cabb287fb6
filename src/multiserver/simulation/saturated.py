"""The servers held under FCFS when there is always a job in the queue, simulated job by job.

The mean number of servers held, λ* E[S], is how many of the n servers a stable queue can use
(`two-class-stability`, Theorem 4.3). The job at the head of the queue starts as soon as its v
servers are idle; the next job is drawn independently (`mean_servers_held`, `limit`,
`likely_limit`), or taken from a log in its order (`replay`). Durations may have any distribution.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.errors import NotSampledError
from multiserver.model import MultiserverJobSystem
from multiserver.simulation import rare_classes, rare_durations
from multiserver.simulation.completions import insert, none_in_service, remove_first
from multiserver.simulation.draws import draw, source_of
from multiserver.simulation.estimate import Estimate, estimate, withhold_interval
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import TooManyJobsError, Workload, refuse_endless
from multiserver.sizes import Size

# The factor by which jobs are increased because the variance is itself estimated.
MARGIN = 1.2
# The jobs in each replication of a system beside a long job, and a number that marks its stream.
JOBS_BESIDE, BESIDE = 2_000, 1_000
# A run by which the length of another is judged has the `LIKELY_PART`th part of its jobs, but at
# least `LIKELY_JOBS`, and a number that marks its stream.
LIKELY_PART, LIKELY_JOBS, LIKELY = 16, 64_000, 1_001
# Up to this λ/λ* the length of a run is judged by its load, and λ* is not simulated.
FAR_FROM_LIMIT = 0.5


def mean_servers_held(
    system: MultiserverJobSystem,
    sizes: Sequence[Size],
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...] = (),
) -> Estimate:
    """The mean number of servers held, by independent replications with `jobs` jobs together.

    Needs and probabilities are those of `system`; durations are those of `sizes`, class by class,
    which must have the same means. The first fifth of the jobs that start in a replication is left
    out, or as many as can start before the servers have forgotten that they were empty
    (`Workload.least_warm_up`). `seed` and `key` name the random streams. There is no interval if a
    replication sees too little of what may change it and is rare: a class (`rare_classes`) or long
    durations (`rare_durations`). Raises `ValueError` if that takes more than `workload.MAX_JOBS`
    jobs.
    """
    workload = system.servers, system.needs, sizes, system.probabilities
    each = math.ceil(jobs / replications)
    found = _replicate(*workload, each, replications, seed, key, 0.95)
    return withhold_if_rare(system, sizes, found, seed=seed, key=key)


def withhold_if_rare(
    system: MultiserverJobSystem,
    sizes: Sequence[Size],
    found: Estimate,
    *,
    seed: int,
    key: tuple[int, ...] = (),
) -> Estimate:
    """The servers held that were `found`, without an interval if a replication, or a batch of
    replayed jobs, sees too little of a class (`rare_classes`) or of long durations
    (`rare_durations`); as `mean_servers_held` otherwise."""
    workload = system.servers, system.needs, sizes, system.probabilities
    _, caveat = _judge(*workload, found, seed, key)
    return withhold_interval(found, caveat)


def limit(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    *,
    half_width: float,
    seed: int,
    key: tuple[int, ...] = (),
    replications: int = 32,
    pilot: int = 2_000,
    most: int = 20_000_000,
    confidence: float = 0.95,
) -> Estimate:
    """λ* for durations of any distribution, in jobs per unit of time, to a relative `half_width`.

    It is the number of servers held in the saturated system, over E[S]. A pilot run of `pilot` jobs
    per replication says how many jobs the requested interval takes (C. Stein, Ann. Math. Stat. 16,
    1945); the estimate comes from a run of that many jobs that shares no random number with the
    pilot. If its interval is too wide, it becomes the pilot of the next run, until a run has had
    `most` jobs in all. Runs are as long as it takes to see the classes and the long durations that
    may change an interval of their width (`rare_classes`, `rare_durations`); if `most` is too few,
    there is no interval. This looks at widths, never at means (Y. S. Chow and H. Robbins, Ann.
    Math. Stat. 36, 1965). With infinite variance no interval can be trusted. Raises `ValueError`
    unless 0 < half_width < 1.
    """
    if not 0 < half_width < 1:
        raise ValueError(f"half_width must lie in (0, 1), found {half_width!r}")
    demand = math.fsum(p * v * X.mean for p, v, X in zip(probabilities, needs, sizes, strict=True))

    def held(jobs: int, stage: int) -> Estimate:
        effort = jobs, replications, seed, (*key, stage), confidence
        return _replicate(servers, needs, sizes, probabilities, *effort)

    jobs, allowed = pilot, max(most // replications, pilot)
    for stage in count():
        found = held(jobs, stage)
        needed, caveat = _judge(servers, needs, sizes, probabilities, found, seed, (*key, stage))
        ratio = found.margin / (half_width * found.mean)
        enough = ratio <= 1 and found.jobs // replications >= needed
        if jobs == allowed or (stage > 0 and enough):
            break
        # A fifth of the jobs is left out.
        least = math.ceil(min(1.25 * needed, allowed)) + 1
        jobs = min(max(math.ceil(jobs * max(MARGIN * ratio**2, 1.0)), least), allowed)
    return replace(
        withhold_interval(found, caveat),
        mean=found.mean / demand,
        margin=found.margin / demand,
        standard_error=found.standard_error / demand,
    )


def likely_limit(workload: Workload, jobs: int, seed: int, key: tuple[int, ...]) -> float | None:
    """λ* to about a per cent, by which the length of a run of `jobs` jobs is judged where it is not
    known.

    The load alone does not say how near a queue is to saturation, and where the run itself decided,
    those that found few jobs seemed long enough. This one shares no random number with it. None if
    the queue is far from saturation, which idles fewer servers than the largest need m, so that
    λ/λ* is at most n/(n − m + 1) times the load; or if the servers take too long to fill.
    """
    n, λ = workload.servers, workload.arrival_rate
    if workload.load * n <= FAR_FROM_LIMIT * (n - max(workload.needs) + 1):
        return None
    each, effort = jobs_of_each(jobs), (2, seed, (*key, LIKELY), 0.95)
    try:
        held = _replicate(n, workload.needs, workload.sizes, workload.probabilities, each, *effort)
    except TooManyJobsError:
        return None
    return held.mean * λ / (workload.load * n)


def jobs_of_each(jobs: int) -> int:
    """The jobs in each of the two replications by which a run of `jobs` jobs is judged."""
    return max(jobs // LIKELY_PART, LIKELY_JOBS) // 2


def _judge(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    found: Estimate,
    seed: int,
    key: tuple[int, ...],
) -> tuple[float, str]:
    """The jobs that a replication needs to see what is rare before a run may end for its width,
    and why those that it has are too few for an interval, in words; empty if they are enough."""
    rest, R = (needs, sizes, probabilities), found.replications
    jobs, end = found.jobs // R, rare_durations.SKEWNESS_AT_END
    classes = rare_classes.jobs_to_see(servers, *rest, found.margin, jobs)
    if caveat := rare_classes.caveat(jobs, classes):
        return classes, caveat
    skewnesses = rare_durations.skewnesses(servers, *rest, found)
    if max(skewnesses) > end:
        alone = dict.fromkeys(needs, math.inf)
        for v in {v for v, γ in zip(needs, skewnesses, strict=True) if γ > end}:
            if v + max(needs) <= servers:
                effort = min(jobs, JOBS_BESIDE), R, seed, (*key, BESIDE, v), 0.95
                beside = _replicate(servers - v, *rest, *effort)
                alone[v] = abs(v + beside.mean - found.mean) + beside.margin
        known = [alone[v] for v in needs]
        skewnesses = rare_durations.skewnesses(servers, *rest, found, known)
    needed = jobs * (max(skewnesses) / end) ** 2
    return max(classes, needed), rare_durations.caveat(max(skewnesses))


def _replicate(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...],
    confidence: float,
) -> Estimate:
    """The mean number of servers held, from `jobs` jobs in each replication. The first fifth of
    them is the warm-up, which is longer if the servers take longer to settle."""
    columns = tuple(needs), tuple(sizes), tuple(probabilities)
    demand = math.fsum(p * v * X.mean for v, X, p in zip(*columns, strict=True))
    # At the highest rate at which jobs can start, refuse durations that take too long to settle.
    workload = Workload(servers, *columns, servers / demand)
    refuse_endless(workload)
    fifth, source = math.ceil(jobs / 5), source_of(workload)
    # A number of jobs: the first start after a given time is later than a start usually is, and
    # often that of the jobs for which a long one has made room.
    before, measured = max(fifth, workload.least_warm_up), jobs - fifth
    runs = (_run(generator(seed, *key, r), source, before, measured) for r in range(replications))
    times, held, squares = np.array(list(runs)).T
    mean = held.sum() / times.sum()
    variance = max(squares.sum() / times.sum() - mean**2, 0.0)
    jobs = measured * replications
    return estimate(held, times, variance=variance, jobs=jobs, confidence=confidence)


@njit(cache=True)
def _run(rng, source, before, jobs):
    """The measured time of one replication, and the integrals over it of the servers held and of
    their square."""
    servers, needs, cumulated, kinds, parameters, _ = source
    ends, held = none_in_service(servers, needs, servers)
    idle, serving, come, now, last = servers, 0, -before, 0.0, len(cumulated) - 1
    time = area = square = 0.0
    while True:
        c, u = 0, rng.random()
        # The last cumulated probability is not compared: rounding may leave it below 1.
        while c < last and u >= cumulated[c]:
            c += 1
        duration = draw(rng, kinds, parameters, c)
        while needs[c] > idle:
            if come > 0:
                step, busy = ends[0] - now, float(servers - idle)
                time += step
                area += busy * step
                square += busy * busy * step
            now = ends[0]
            idle += held[0]
            serving -= 1
            remove_first(ends, held, serving)
        # The measured time goes from the start of one job to that of the job `jobs` later.
        if come == jobs:
            return time, area, square
        idle -= needs[c]
        insert(ends, held, serving, now + duration, needs[c])
        serving += 1
        come += 1


def replay(
    servers: int, needs: NDArray[np.int64], durations: NDArray[np.float64], batches: int
) -> Estimate:
    """The mean number of servers held when the given jobs wait in a queue in this order.

    `needs` (jobs,), at most `servers`, `durations` (jobs,). The intervals come from batches of
    equally many jobs, which take the place of independent replications; what is rare in the log is
    for the caller to judge (`withhold_if_rare`). Raises `NotSampledError` if
    all jobs are in service at once, so that none waits.
    """
    R = min(batches, len(needs) // 2)
    cuts = np.linspace(0, len(needs), R + 1).astype(int)[1:]
    idle, now, area, square = servers, 0.0, 0.0, 0.0
    ends: list[tuple[float, int]] = []
    seen = [(0.0, 0.0)]
    start = 0
    for cut in cuts:
        for need, duration in zip(
            needs[start:cut].tolist(), durations[start:cut].tolist(), strict=True
        ):
            while need > idle:
                end, freed = heapq.heappop(ends)
                area += (servers - idle) * (end - now)
                square += (servers - idle) ** 2 * (end - now)
                now = end
                idle += freed
            idle -= need
            heapq.heappush(ends, (now + duration, need))
        seen.append((area, now))
        start = cut
    if now == 0:
        raise NotSampledError(f"all {len(needs)} jobs are in service on {servers} servers at once")
    totals, weights = np.diff(np.array(seen), axis=0).T
    variance = max(square / now - (area / now) ** 2, 0.0)
    return estimate(totals, weights, variance=variance, jobs=len(needs))
