"""How long a run must be for an interval of a mean over time, such as E[N] or P(N > k).

Response times of different jobs hardly depend on each other if few jobs wait, but the numbers of
jobs at two times do as long as the same jobs are in service. So a replication of many servers may
be worth many `observations` of T, but few of N.
"""

from __future__ import annotations

import math

from multiserver.simulation.observations import FORESEEN_OBSERVATIONS, too_few
from multiserver.simulation.run_length import RunLength


def observations_over_time(length: RunLength, c: int | None = None) -> float:
    """n of a replication for the number of jobs of class c, or of all jobs."""
    p = length.share(c)
    return length.waits.of_jobs_present(length.jobs, p, *length.durations(c)[:2])


def caveat_over_time(length: RunLength, c: int | None = None, gain: float = 1.0) -> str:
    """What is wrong with an interval for a mean over time, of class c or of all jobs, in words;
    empty if nothing is. `gain` is the factor by which controls reduced the variance."""
    if found := length.caveat(c, gain):
        return found
    mean, square, _ = length.durations(c)
    in_service = length.jobs / length.waits.rate * mean / square
    # Controls follow the jobs that wait, but hardly those in service.
    n = min(in_service, observations_over_time(length, c) * math.sqrt(gain))
    if n < FORESEEN_OBSERVATIONS:
        return f"too short, as jobs stay so long that {too_few(n, 'those present')}"
    return ""
