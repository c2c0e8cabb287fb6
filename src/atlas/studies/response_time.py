"""Mean response time of FCFS against the arrival rate λ, exact.

The points go up to the given `fraction_of_limit`, λ/λ*, and are denser where a curve bends.
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.vocabulary import HighestFractionOfLimit, Points
from atlas.models.open_fcfs import ReachableBlock, open_fcfs
from atlas.models.sampling import Row, sample

UNITS = {
    "arrival_rate": "jobs/s",
    "fraction_of_limit": "1",
    "load": "1",
    "mean_jobs": "jobs",
    "mean_waiting": "jobs",
    "mean_response_time": "s",
}


class Parameters(ReachableBlock):
    highest_fraction_of_limit: HighestFractionOfLimit = 0.99
    points: Points = 200


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per arrival rate."""
    system = parameters.system
    fcfs = open_fcfs(system)
    last = parameters.highest_fraction_of_limit
    ends = last / parameters.points, last
    means_at = fcfs.between(*ends, parameters.points)

    def row(fraction: float) -> Row:
        arrival_rate = fraction * fcfs.limit
        means = means_at(arrival_rate)
        return arrival_rate, fraction, arrival_rate / system.naive_throughput, *means[:3]

    rows = sample(row, ends, parameters.points, lambda point: map(math.log, point[3:]))
    return pd.DataFrame(rows, columns=list(UNITS))
