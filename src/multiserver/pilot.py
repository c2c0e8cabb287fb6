"""The number of jobs that an interval needs, by a pilot run.

The variance of a mean over J jobs falls as 1/J. A *pilot*, `PILOT_SHARE` of the maximum number of
jobs with random numbers of its own, measures it, like the first of two samples in C. Stein (Ann.
Math. Stat. 16, 1945). The pilot alone fixes the length of the run that follows, so the run's
intervals hold as often as those of any run of that length. A run that stops once its own interval
is narrow enough lacks this property: it tends to stop when it underestimates its error.

No run is shorter than its pilot, or so short that a replication has too few independent values of
the number of jobs for a score (`estimate.is_fair`). If any interval of the pilot is not fair, its
variance cannot be used, and all jobs are simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from multiserver.checks import as_float
from multiserver.errors import UnstableError
from multiserver.policies.policy import Effort, Means
from multiserver.simulation.estimate import FAIR_OBSERVATIONS, MIN_OBSERVATIONS, observations

# The pilot's share of the maximum number of jobs.
PILOT_SHARE = 1 / 16
# Controls may gain less in the run than in its pilot, by up to this factor.
GAIN_SAFETY_FACTOR = 2
# Appended to the key of the run for the pilot's own streams; replication numbers are smaller.
PILOT_STREAM_KEY = 2**32 - 1


def enough_jobs(
    run: Callable[[Effort], Means], effort: Effort, half_width: float, fraction: float | None
) -> int:
    """The number of jobs that give E[T], of all jobs and of each class, about the relative
    `half_width`; at most those of `effort`. `run` simulates an effort, at λ/λ* = `fraction` (None
    if not known). Raises `ValueError` unless the half-width lies between 0 and 1."""
    if not 0 < as_float(half_width) < 1:
        expected = "a share of the mean in (0, 1), such as 0.05 for 5 %"
        raise ValueError(f"half_width must be {expected}; found {half_width!r}")
    half_width = as_float(half_width)
    jobs = math.ceil(PILOT_SHARE * effort.jobs)
    own = {"key": (*effort.key, PILOT_STREAM_KEY), "times": False, "pilot": True}
    pilot = replace(effort, jobs=jobs, **own)
    if pilot.jobs_each < FAIR_OBSERVATIONS:
        # Too few jobs for an interval; the warm-up may leave none.
        return effort.jobs
    try:
        found = run(pilot)
    except UnstableError:
        # The full run decides whether the queue is unstable.
        return effort.jobs
    means = [found.times, *(found.class_times or ())]
    if any(m is None or m.lacking or not m.mean for m in means):
        return effort.jobs
    widest = max(m.half_width / abs(m.mean) for m in means)
    needed = jobs * (widest / half_width) ** 2
    if fraction is not None and found.jobs is not None:
        each = pilot.jobs_each * (1 - pilot.warm_up)
        seen = observations(each, fraction, found.jobs.mean)
        gain = max(min(m.gain for m in means) / GAIN_SAFETY_FACTOR, 1.0)
        needed = max(
            needed, jobs * max(MIN_OBSERVATIONS, FAIR_OBSERVATIONS / math.sqrt(gain)) / seen
        )
    return min(max(jobs, math.ceil(needed)), effort.jobs)
