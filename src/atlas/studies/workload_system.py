"""The classes of the jobs of a trace, as `models.trace_systems` makes them, or those of a table.

`granted` is the ratio of the server-seconds of the rounded needs to those that the jobs asked for.
Every row has the log-log `correlation` of needs and durations, and the best-fitting power law
duration = `scale` · need^`exponent`. For a trace these are over its jobs; for a table, over its
classes, each with its share of the jobs and its mean duration. The two differ, because means hide
the variation within a class.
"""

from __future__ import annotations

import math
from dataclasses import asdict

import pandas as pd

from atlas.models.sampling import Progress
from atlas.models.trace_systems import read_classes
from atlas.models.workloads import RoundedBlock
from atlas.traces.aggregate import by_need, fit

UNITS = {
    "need": "servers",
    "jobs": "jobs",
    "share_of_jobs": "1",
    "mean_duration": "s",
    "share_of_demand": "1",
    "granted": "server-seconds a server-second asked for",
    "correlation": "1",
    "exponent": "1",
    "scale": "s",
}
Parameters = RoundedBlock


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per class, in increasing order of need; for a table the numbers of jobs are not
    known."""
    cells = read_classes(parameters.plain(), progress)
    classes = by_need(cells)
    requested = cells.groupby("need")["requested"].sum().to_numpy()
    demand = classes["need"] * classes["duration"]
    rows = {
        "need": classes["need"],
        "jobs": math.nan if parameters.classes else classes["jobs"],
        "share_of_jobs": classes["jobs"] / classes["jobs"].sum(),
        "mean_duration": classes["duration"] / classes["jobs"],
        "share_of_demand": demand / demand.sum(),
        "granted": demand / requested,
        **asdict(fit(cells)),
    }
    return pd.DataFrame(rows)
