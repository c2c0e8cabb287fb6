"""A summary of a trace: jobs, needs, durations, and how needs and durations correlate.

For a table of classes the number of jobs is not known, nor how durations vary within a class: they
are the means of the classes.
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.columns import Words
from atlas.models.sampling import Progress
from atlas.models.traces import read_table
from atlas.models.workloads import WorkloadBlock
from atlas.traces.aggregate import by_need, fit

UNITS = {"quantity": Words("name"), "value": "unit beside it", "unit": Words("name")}
Parameters = WorkloadBlock


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per quantity."""
    table = read_table(parameters.plain(), progress)
    classes, law = by_need(table), fit(table)
    jobs = classes["jobs"].sum()
    counted = [] if parameters.classes else [("jobs", jobs, "jobs")]
    demand = (classes["need"] * classes["duration"]).sum()
    squares = classes["duration_squared"]
    durations = squares.sum() * jobs / classes["duration"].sum() ** 2 - 1
    demands = (classes["need"] ** 2 * squares).sum() * jobs / demand**2 - 1
    varied = [
        ("squared coefficient of variation of durations", durations, "1"),
        ("squared coefficient of variation of demands", demands, "1"),
    ]
    rows = [
        *counted,
        ("different needs", len(classes), "1"),
        ("smallest need", classes["need"].min(), "units"),
        ("largest need", classes["need"].max(), "units"),
        ("mean need", (classes["need"] * classes["jobs"]).sum() / jobs, "units"),
        ("mean duration", classes["duration"].sum() / jobs, "s"),
        ("mean demand E[S]", demand / jobs, "units s"),
        *([] if parameters.classes else varied),
        ("log-log correlation of need and duration", law.correlation, "1"),
        ("exponent of the power law", law.exponent, "1"),
        ("duration at need 1 by the power law", law.scale, "s"),
    ]
    return pd.DataFrame(rows, columns=list(UNITS)).astype({"value": float})
