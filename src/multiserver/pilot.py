"""How many jobs an interval needs, by a pilot.

The variance of a mean over J jobs falls as 1/J. A *pilot*, a `SHARE` of the most jobs with random
numbers of its own, measures it, as the first of two samples does (C. Stein, Ann. Math. Stat. 16,
1945); the run that follows is as long as the pilot says, whatever it finds itself, so that its
intervals hold as often as those of any run of that length. A run that goes on until its own
interval is narrow enough is not like that: it ends where it takes its error to be too small.

No run is shorter than its pilot, nor so short that a replication is worth too few independent
values of the number of jobs for a score (`estimate.is_fair`); and where any interval of the pilot
is not fair there is nothing to reckon with, and all jobs are simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from multiserver.errors import UnstableError
from multiserver.policies.policy import Effort, Means
from multiserver.simulation.estimate import FAIR, FEWEST, observations

# Of the jobs that there are at most.
SHARE = 1 / 16
# A run may find that controls explain so many times less than its pilot found.
LESS = 2
# Stands between the key of a run and its replications; these are fewer.
KEY = 2**32 - 1


def enough_jobs(
    run: Callable[[Effort], Means], effort: Effort, half_width: float, fraction: float | None
) -> int:
    """As many jobs as give E[T], of all jobs and of each class, about the relative `half_width`: at
    most those of `effort`, which `run` simulates at λ/λ* = `fraction`, None if that is not known.
    Raises `ValueError` unless the half-width is positive."""
    if not half_width > 0:
        raise ValueError(f"half_width must be positive, found {half_width!r}")
    jobs = math.ceil(SHARE * effort.jobs)
    pilot = replace(effort, jobs=jobs, key=(*effort.key, KEY), times=False)
    if pilot.jobs_each < FAIR:
        # No interval rests on so few, and the warm-up may leave none.
        return effort.jobs
    try:
        found = run(pilot)
    except UnstableError:
        # Whether it is, the whole run says.
        return effort.jobs
    means = [found.times, *(found.class_times or ())]
    if any(m is None or m.lacking or not m.mean for m in means):
        return effort.jobs
    widest = max(m.half_width / abs(m.mean) for m in means)
    needed = jobs * (widest / half_width) ** 2
    if fraction is not None and found.jobs is not None:
        each = pilot.jobs_each * (1 - pilot.warm_up)
        seen = observations(each, fraction, found.jobs.mean)
        gain = max(min(m.gain for m in means) / LESS, 1.0)
        needed = max(needed, jobs * max(FEWEST, FAIR / math.sqrt(gain)) / seen)
    return min(max(jobs, math.ceil(needed)), effort.jobs)
