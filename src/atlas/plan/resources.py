"""What jobs ask of a cluster: time and memory that they surely do with, and who travels together.

A job that is simulated takes less than a microsecond on any machine of this decade (60 to 200 ns in
the benchmarks), a jump as much; all else is done in less than a minute, compilation included.

The points of a series that takes hours are split over jobs. Each has random numbers of its own,
whichever job it is in, so that nothing changes but where it is computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

# Of what is not simulated, on a slow machine. As many as a group has members are asked for it.
MINUTES = 8
MEGABYTES = 4000
SECONDS_A_JOB = 1e-6
# The jumps of a point, where a run stops by itself: several times what one has taken.
JUMPS = {"quick": 1e6, "paper": 4e8, "as-printed": 2e8}
# Series that simulate for at most as many minutes are small, and those beyond an hour are split.
SMALL, LONG = 2, 60


def minutes(parameters: Mapping[str, Any], points: int) -> int:
    """The time that a series may take, or each part of one that is split, in minutes."""
    each = math.ceil(points / count_parts(parameters, points))
    return MINUTES + math.ceil(each * _simulates(parameters))


def count_parts(parameters: Mapping[str, Any], points: int) -> int:
    """Over how many jobs the points of a series are split, each of which simulates for an hour or
    for one point. A run that stops by itself is not split, as it does so long before."""
    if parameters.get("effort") in ("quick", "paper"):
        return 1
    return max(1, min(points, math.ceil(points * _simulates(parameters) / LONG)))


def _simulates(parameters: Mapping[str, Any]) -> float:
    """The minutes of a point."""
    effort = parameters.get("effort", 0)
    return parameters.get("jobs", JUMPS.get(effort, effort)) * SECONDS_A_JOB / 60


def travels_with(parameters: Mapping[str, Any], points: int) -> str | None:
    """The group in which a series travels to a cluster, if it is small."""
    return "small" if minutes(parameters, points) <= MINUTES + SMALL else None
