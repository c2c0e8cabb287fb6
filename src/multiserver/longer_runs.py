"""How many times as many jobs would give each mean of a run an interval.

Most of what speaks against an interval is known before anything is drawn: it follows from the
number of jobs, warm-up included, from the distribution of the durations and from the load
(`run_length`, `time_averages`, `own_servers`). So a run that was too short can say whether one f
times as long would do. Independent observations grow as f, too, and the gain of the controls is
taken to stay two thirds of what it was. The least f is enclosed by doubling, then by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from multiserver.policies.policy import Means, Value
from multiserver.simulation.controls import conservative_gain
from multiserver.simulation.estimate import SETTLED_OBSERVATIONS, Estimate

if TYPE_CHECKING:
    from multiserver.simulation.run_length import RunLength

# No longer run is looked at.
MOST = 2.0**20
# The least factor is found to within 2^(1/2^`BISECTIONS`), which is 4 %.
BISECTIONS = 4
# The effective size of 32 replications has a standard error of a quarter.
MARGIN = 1.5


def times_as_many(means: Means) -> float | None:
    """The least f; None if it is above `MOST` or not known, and if no interval is missing."""
    found, unseen = list(_estimates(means)), None in (means.class_times or ())
    if means.length is None or (not unseen and all(e.settled for e in found)):
        return None
    least = max([1.0, *map(_missing, found)])
    enough = least
    while not _is_enough(means, enough):
        enough *= 2
        if enough > MOST:
            return None
    too_few = max(enough / 2, least)
    for _ in range(BISECTIONS if too_few < enough else 0):
        middle = math.sqrt(too_few * enough)
        if _is_enough(means, middle):
            enough = middle
        else:
            too_few = middle
    return enough if enough > 1 else None


def _estimates(means: Means) -> Iterator[Estimate]:
    of_all = means.times, means.jobs, means.waiting, means.busy
    for found in (*of_all, *(means.class_times or ()), *(means.class_jobs or ())):
        if isinstance(found, Estimate):
            yield found


def _missing(found: Estimate) -> float:
    """The factor by which independent observations are too few; 0 if they are not, or if there are
    none to count."""
    if found.long_enough or not found.effective_size > 0:
        return 0.0
    return MARGIN * SETTLED_OBSERVATIONS * found.replications / found.effective_size


def _is_enough(means: Means, factor: float) -> bool:
    return not any(_caveats(means, factor))


def _caveats(means: Means, factor: float) -> Iterator[str]:
    """What is known beforehand against each interval of a run `factor` times as long."""
    from multiserver.simulation.time_averages import caveat_over_time

    whole = means.length.times(factor)
    lengths = {tuple(range(len(whole.workload.needs))): whole}
    # A part of all classes, whose drawn servers have not settled, takes the place of the whole.
    lengths |= means.parts(whole) if means.parts is not None else {}
    yield whole.caveat(None, _gain(means.times, whole))
    yield caveat_over_time(whole, None, _gain(means.jobs, whole))
    yield caveat_over_time(whole, None, _gain(means.busy, whole))
    if means.waiting is not None:
        yield whole.caveat(queued=means.waiting.mean)
    for classes, length in lengths.items():
        for place, c in enumerate(classes):
            if means.class_times is not None:
                yield length.caveat(place, _gain(means.class_times[c], length))
            if means.class_jobs is not None:
                yield caveat_over_time(length, place, _gain(means.class_jobs[c], length))


def _gain(found: Value | None, length: RunLength) -> float:
    return conservative_gain(found) if isinstance(found, Estimate) and length.controllable else 1.0
