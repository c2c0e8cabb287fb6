"""What jobs ask of a cluster: time and memory that they surely do with, and who travels together.

A job that is simulated takes less than a microsecond on any machine of this decade (60 to 200 ns in
the benchmarks), a jump as much; all else is done in less than a minute, compilation included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

# Of what is not simulated, on a slow machine. As many as a group has members are asked for it.
MINUTES = 8
MEGABYTES = 4000
SECONDS_A_JOB = 1e-6
# The jumps of a point, where a run stops by itself: those of its most replications.
JUMPS = {"quick": 1e6, "paper": 4e8, "exhaustive": 2e8}
POINTS = ("loads", "fractions_of_limit", "exponents", "interruptions", "servers")
# Series that simulate for at most as many minutes are small.
SMALL = 2


def minutes(parameters: Mapping[str, Any]) -> int:
    """The time that a series may take, in minutes."""
    effort = parameters.get("effort", 0)
    jobs = parameters.get("jobs", JUMPS.get(effort, effort))
    lists = [parameters.get(name) for name in POINTS]
    points = math.prod(len(values) for values in lists if isinstance(values, list))
    points *= parameters.get("points", 1)
    return MINUTES + math.ceil(jobs * points * SECONDS_A_JOB / 60)


def travels_with(parameters: Mapping[str, Any]) -> str | None:
    """The group in which a series travels to a cluster, if it is small."""
    return "small" if minutes(parameters) <= MINUTES + SMALL else None
