"""The classes of the jobs of a trace, as `models.trace_systems` makes them.

`granted` says how many more server-seconds rounded needs ask for than the jobs did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from models.trace_systems import read_classes
from models.workloads import Rounding, WorkloadBlock
from traces.aggregate import by_need

UNITS = {
    "need": "servers",
    "jobs": "jobs",
    "share_of_jobs": "1",
    "mean_duration": "s",
    "share_of_demand": "1",
    "granted": "server-seconds a server-second asked for",
}


class Parameters(WorkloadBlock):
    """What to compute."""

    rounding: Rounding = "none"


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a class, in increasing order of need."""
    cells = read_classes(parameters.plain(), progress)
    classes = by_need(cells)
    asked = cells.groupby("need")["asked"].sum().to_numpy()
    demand = classes["need"] * classes["duration"]
    rows = {
        "need": classes["need"],
        "jobs": classes["jobs"],
        "share_of_jobs": classes["jobs"] / classes["jobs"].sum(),
        "mean_duration": classes["duration"] / classes["jobs"],
        "share_of_demand": demand / demand.sum(),
        "granted": demand / asked,
    }
    return pd.DataFrame(rows)
