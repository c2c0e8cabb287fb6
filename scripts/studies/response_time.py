"""Mean response time of FCFS against the arrival rate λ, exact.

The points lie evenly in λ up to the given `fraction_of_limit`, λ/λ*.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from declared.vocabulary import FractionOfLimit, Points
from models.feasibility import SolvableBlock
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve

UNITS = {
    "arrival_rate": "jobs/s",
    "fraction_of_limit": "1",
    "load": "1",
    "mean_jobs": "jobs",
    "mean_waiting": "jobs",
    "mean_response_time": "s",
}


class Parameters(SolvableBlock):
    """What to compute."""

    fraction_of_limit: FractionOfLimit = 0.99
    points: Points = 200


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row an arrival rate."""
    system = parameters.system
    blocks = prepare(system)
    rows = []
    for fraction in np.linspace(0, parameters.fraction_of_limit, parameters.points + 1)[1:]:
        arrival_rate = fraction * blocks.throughput
        law = solve(blocks.at(arrival_rate))
        means = (law.mean_jobs, law.mean_waiting, law.mean_response_time)
        rows.append((arrival_rate, fraction, arrival_rate / system.naive_throughput, *means))
    return pd.DataFrame(rows, columns=list(UNITS))
