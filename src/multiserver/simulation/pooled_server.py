"""A single server of the whole capacity that is given the same jobs, as a control variate.

Jobs arrive at rate λ with work B, and the single server does C work per unit of time without a
break. The work V that a job finds there depends on the arrivals and B alone. Its mean is that of
the M/G/1 queue (Pollaczek and Khinchine; Poisson arrivals see time averages),

    E[V] = λ E[B²] / (2 (C − λ E[B])).

So Σ (V − E[V]) over the jobs of a replication is a control variate (`simulation.controls`) for all
that grows with the work in the system. If a policy is work-conserving and finite-skip, its E[T]
differs from that of this queue by a bounded amount (`finite-skip`, Corollary 3.8), and near
saturation almost no variance is left. The remaining bias of the empty start is removed too, as this
server also starts empty.
"""

from __future__ import annotations

import math

from numba import njit

# The number of measured jobs, and the work that they find; the work that is there, and since when.
COUNTED, FOUND_WORK, WORK, SINCE, COLUMNS = range(5)


def mean_work(arrival_rate: float, mean: float, square: float, capacity: float) -> float:
    """E[V] of jobs whose work has this `mean` and mean `square`; infinite if the latter is, or if
    work arrives as fast as it can be done, or faster."""
    idle = capacity - arrival_rate * mean
    return arrival_rate * square / (2 * idle) if idle > 0 else math.inf


@njit(cache=True)
def arrive(server, capacity, now, work, measured):
    """A job arrives at the `server` (COLUMNS,); its work is 0 if this server does not serve it."""
    server[WORK] = max(server[WORK] - capacity * (now - server[SINCE]), 0.0)
    server[SINCE] = now
    if measured:
        server[COUNTED] += 1.0
        server[FOUND_WORK] += server[WORK]
    server[WORK] += work
