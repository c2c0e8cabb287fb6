"""Mean service rates under balanced fairness against the load, class by class, exact.

With exponential sizes, service interruptions (`parallel-processing`) give the same rates at any
rate of interruption. As the load tends to 0 each rate tends to the capacity of the class's servers.
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.block import Block
from atlas.fields.columns import Words
from atlas.fields.vocabulary import HighestLoad, Points
from atlas.models.clusters import ClusterBlock
from atlas.models.sampling import Row, sample
from atlas.models.systems import class_names

UNITS = {
    "load": "1",
    "class": Words("name"),
    "mean_service_rate": "work/s",
    "mean_jobs": "jobs",
    "limit": "1",
}


class Parameters(Block):
    system: ClusterBlock
    highest_load: HighestLoad = 0.99
    points: Points = 99


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per load and class; loads from `limit` on are left out."""
    servers = parameters.system.read()
    names, limit = class_names(len(servers.servers)), servers.limit

    def row(load: float) -> Row:
        return load, *servers.service_rates(load)

    last = min(parameters.highest_load, (1 - 1 / (32 * parameters.points)) * limit)
    points = sample(row, (last / parameters.points, last), parameters.points, lambda row: row[1:])
    rows = [
        (load, name, rate, brought / rate, limit)
        for load, *rates in points
        for name, rate, brought in zip(names, rates, servers.work(load), strict=True)
    ]
    return pd.DataFrame(rows, columns=list(UNITS))
