"""Classes so rare that replications of the saturated system may agree with each other without them,
and be wrong.

Let D be the mean duration of the longest of the other classes. A job of class c keeps idle at most
its v_c servers while the others drain before it, for about D, and at most n − v_c while it is in
service for X_c; it does so only if some jobs do not fit beside it. At the rate at which its jobs
can start, p_c n/E[S], it changes the mean number of servers held by at most about

    p_c n/E[S] · ((n − v_c) E[X_c] + v_c D).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multiserver.simulation.estimate import MIN_OBSERVATIONS
from multiserver.sizes import Size

# A bias of this part of an interval's margin costs two of 95 %.
BIAS = 0.2


def jobs_to_see(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    margin: float,
) -> float:
    """The jobs of which a replication has `MIN_OBSERVATIONS` of each class on average, but for
    classes that together change the mean number of servers held by less than `BIAS` of the
    `margin`."""
    classes = list(zip(needs, [X.mean for X in sizes], probabilities, strict=True))
    demand = math.fsum(v * X * p for v, X, p in classes)
    changed = 0.0
    for c in sorted(range(len(classes)), key=probabilities.__getitem__):
        need, mean, p = classes[c]
        if need + max(needs) > servers:
            longest = max((X for k, (_, X, _) in enumerate(classes) if k != c), default=0.0)
            lost = (servers - need) * mean + need * longest
            changed += p * servers / demand * lost
        if changed > BIAS * margin:
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
