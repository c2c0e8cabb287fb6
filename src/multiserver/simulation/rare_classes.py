"""Classes so rare that replications of the saturated system may agree with each other without them,
and be wrong.

A job of class c keeps idle at most its v_c servers while others drain before it, for a time D_c,
and at most n − v_c while it is in service for X_c; it does so only if some jobs do not fit beside
it. At the rate at which its jobs can start, p_c n/E[S], it changes the mean number of servers held
by at most about

    p_c n/E[S] · ((n − v_c) E[X_c] + v_c E[D_c]).

D_c is the longest of what many jobs in service have left, and so far more than a duration if these
vary or the job needs many servers (`blocking.mean_drain_times`, for servers that are all at work).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multiserver.simulation.blocking import cut_off, mean_drain_times
from multiserver.simulation.estimate import MIN_OBSERVATIONS
from multiserver.simulation.workload import Workload, in_own_unit
from multiserver.sizes import Size

# A bias of this part of an interval's margin costs two of 95 %.
BIAS = 0.2


def jobs_to_see(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    margin: float,
    jobs: int,
) -> float:
    """The jobs of which a replication has `MIN_OBSERVATIONS` of each class on average, but for
    classes that together change the mean number of servers held by less than `BIAS` of the
    `margin`. Heavy tails count as far as `jobs` jobs show them."""
    demand = math.fsum(v * X.mean * p for v, X, p in zip(needs, sizes, probabilities, strict=True))
    work = in_own_unit(Workload(servers, needs, sizes, probabilities, servers / demand))
    drains = mean_drain_times(work, cut_off(work, jobs))
    changed = 0.0
    for c in sorted(range(len(needs)), key=probabilities.__getitem__):
        need, p = needs[c], probabilities[c]
        if need + max(needs) > servers:
            lost = (servers - need) * work.sizes[c].mean + need * drains[c]
            changed += p * work.arrival_rate * lost
        if not changed <= BIAS * margin:  # A margin that is NaN shows none.
            return MIN_OBSERVATIONS / p
    return 0.0


def caveat(jobs: int, needed: float) -> str:
    """Why a run of `jobs` jobs in each replication has no interval, in words, or an empty
    string."""
    if jobs >= needed:
        return ""
    return (
        f"too short, as a replication has {MIN_OBSERVATIONS * jobs / needed:.2g} jobs of a class on"
        f" average, fewer than {MIN_OBSERVATIONS}, for which many servers may be idle"
    )
