"""All capacity in one server that is given the same jobs, as a control for what many servers do.

Jobs that come at rate λ bring work B, of which a single server does C in a unit of time without a
break. The work V that a job finds there, which follows from the arrivals and B alone, is on average
that of the M/G/1 queue (Pollaczek and Khinchine; Poisson arrivals see time averages),

    E[V] = λ E[B²] / (2 (C − λ E[B])).

So Σ (V − E[V]) over the jobs of a replication is a control variate (`simulation.controls`) for all
that grows with the work in the system. Where a policy is work-conserving and finite-skip, E[T]
differs from that of this queue by a bounded amount (`finite-skip`, Corollary 3.8), and near
saturation next to nothing is left to chance. What is left of an empty start goes with it, as this
server starts empty too.
"""

from __future__ import annotations

import math

from numba import njit

# Of the measured jobs, how many they are and the work that they find; the work that is there, and
# since when.
COUNTED, FOUND_WORK, WORK, SINCE, COLUMNS = range(5)


def mean_work(arrival_rate: float, mean: float, square: float, capacity: float) -> float:
    """E[V] of jobs that bring work of this `mean` and mean `square`; infinite without a variance,
    and where more work comes than can be done."""
    idle = capacity - arrival_rate * mean
    return arrival_rate * square / (2 * idle) if idle > 0 else math.inf


@njit(cache=True)
def pool(server, capacity, now, work, measured):
    """A job comes to the `server` (COLUMNS,), or passes by with no work."""
    server[WORK] = max(server[WORK] - capacity * (now - server[SINCE]), 0.0)
    server[SINCE] = now
    if measured:
        server[COUNTED] += 1.0
        server[FOUND_WORK] += server[WORK]
    server[WORK] += work
