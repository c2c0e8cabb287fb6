"""The resources of cluster jobs: enough time and memory, and the group of small series.

To simulate one job of a queue, or one jump of a chain, takes less than a microsecond on any machine
of this decade (60 to 200 ns in the benchmarks). Everything else takes less than a minute,
compilation included.

The points of a series that takes hours are split over jobs. Each point has its own random numbers,
whichever job it is in, so that splitting does not change the results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

# Minutes for all but the simulation, on a slow machine. A group asks for them once per member.
MINUTES = 8
MEGABYTES = 4000
SECONDS_A_JOB = 1e-6
# The jumps of a point whose run stops by itself: several times the number that any has taken.
JUMPS = {"quick": 1e6, "paper": 4e8, "as-printed": 2e8}
# Minutes of simulation: a series of at most `SMALL` is small, one of more than `LONG` is split.
SMALL, LONG = 2, 60


def minutes(parameters: Mapping[str, Any], points: int, further: int = 0) -> int:
    """The time limit of a series, or of each part of a split series, in minutes. A point simulates
    as many jobs as the parameters say, and `further` ones, such as those of a long warm-up."""
    each = math.ceil(points / count_parts(parameters, points, further))
    return MINUTES + math.ceil(each * _simulation_minutes(parameters, further))


def count_parts(parameters: Mapping[str, Any], points: int, further: int = 0) -> int:
    """The number of jobs over which the points of a series are split.

    Each job simulates for an hour or for one point. A run that stops by itself is not split, as it
    stops long before.
    """
    if parameters.get("effort") in ("quick", "paper"):
        return 1
    return max(1, min(points, math.ceil(points * _simulation_minutes(parameters, further) / LONG)))


def _simulation_minutes(parameters: Mapping[str, Any], further: int) -> float:
    """The minutes that a point simulates."""
    effort = parameters.get("effort", 0)
    jobs = parameters.get("jobs", JUMPS.get(effort, effort))
    return (jobs + further) * SECONDS_A_JOB / 60


def job_group(parameters: Mapping[str, Any], points: int, further: int = 0) -> str | None:
    """The group of a series on a cluster, if the series is small."""
    return "small" if minutes(parameters, points, further) <= MINUTES + SMALL else None
