"""The servers held under FCFS when there is always a job in the queue, simulated job by job.

The mean number of servers held, λ* E[S], is what stability leaves of n (`two-class-stability`,
Theorem 4.3). Jobs are drawn independently and arrive `OVERLOAD` times as fast as n servers could
serve them (`hold`), or are given, one after another as they stand in a log (`replay`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from multiserver.model import MultiserverJobSystem
from multiserver.simulation import fcfs
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.workload import Workload
from multiserver.sizes import Size

OVERLOAD = 1.2
# More jobs than a variance that is itself estimated asks for.
MARGIN = 1.2


def hold(
    system: MultiserverJobSystem,
    sizes: Sequence[Size],
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...] = (),
) -> Estimate:
    """The mean number of servers held, by independent replications with `jobs` jobs together.

    Needs and probabilities are those of `system`, durations those of `sizes`, class by class, which
    must have the same means. `seed` and `key` name the random streams.
    """
    workload = Workload(
        system.servers,
        system.needs,
        tuple(sizes),
        system.probabilities,
        OVERLOAD * system.naive_throughput,
    )
    found = fcfs.simulate(
        workload,
        jobs=math.ceil(jobs / replications),
        replications=replications,
        seed=seed,
        key=key,
        overloaded=True,
    )
    return found.mean_held


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
    """λ* for durations of any law, in jobs per unit of time, to a relative `half_width`.

    The servers held in the saturated system, over E[S]. A pilot run of `pilot` jobs a replication
    says how many jobs the interval asked for takes (C. Stein, Ann. Math. Stat. 16, 1945); the
    estimate comes from a run of that many that shares no random number with the pilot. Should its
    interval be wider, it takes the pilot's place, until a run had `most` jobs in all: one looks at
    widths, never at means (Y. S. Chow and H. Robbins, Ann. Math. Stat. 36, 1965). With infinite
    variance no interval can be trusted. Raises `ValueError` unless 0 < half_width < 1.
    """
    if not 0 < half_width < 1:
        raise ValueError(f"half_width must lie in (0, 1), found {half_width!r}")
    demand = math.fsum(p * v * X.mean for p, v, X in zip(probabilities, needs, sizes, strict=True))
    rate = OVERLOAD * servers / demand
    workload = Workload(servers, tuple(needs), tuple(sizes), tuple(probabilities), rate)

    def held(jobs: int, stage: int) -> Estimate:
        found = fcfs.simulate(
            workload,
            jobs=jobs,
            replications=replications,
            seed=seed,
            key=(*key, stage),
            confidence=confidence,
            overloaded=True,
        )
        return found.mean_held

    jobs, allowed = pilot, max(most // replications, pilot)
    found = held(jobs, 0)
    for stage in count(1):
        ratio = found.half_width / (half_width * found.mean)
        if jobs == allowed or (stage > 1 and ratio <= 1):
            break
        jobs = min(math.ceil(jobs * max(MARGIN * ratio**2, 1.0)), allowed)
        found = held(jobs, stage)
    return replace(
        found,
        mean=found.mean / demand,
        half_width=found.half_width / demand,
        standard_error=found.standard_error / demand,
    )


def replay(
    servers: int, needs: NDArray[np.int64], durations: NDArray[np.float64], batches: int
) -> Estimate:
    """The mean number of servers held when the given jobs stand in a queue in this order.

    `needs` (jobs,), at most `servers`, `durations` (jobs,). The intervals come from batches of
    equally many jobs, which take the place of independent replications.
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
    totals, weights = np.diff(np.array(seen), axis=0).T
    variance = max(square / now - (area / now) ** 2, 0.0) if now else 0.0
    return estimate(totals, weights, variance=variance, jobs=len(needs))
