"""The rows of a trace, counted: jobs, rows left out and faults, each under its reason.

The last rows count the jobs of a log without a time of submission, a time of start or a requested
time. These are included in the number of jobs. Every `share` is of all rows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from atlas.fields.columns import Words
from atlas.models.sampling import Progress
from atlas.models.traces import count_rows
from atlas.models.workloads import JobsBlock

UNITS = {
    "kind": Words("name"),
    "reason": Words("name"),
    "rows": "1",
    "share": "1",
    "first_lines": Words("line numbers"),
}
# One reason per column of `traces.Chunk.times`.
UNKNOWN = ("no time of submission", "no time of start", "no requested time")
Parameters = JobsBlock


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per reason, jobs first."""
    count, chunks = count_rows(parameters.plain(), progress)
    unknown = np.zeros(len(UNKNOWN), dtype=int)
    for chunk in chunks:
        if chunk.times is not None:
            unknown += np.isnan(chunk.times).sum(axis=0)
    rows = [
        ("of the jobs", reason, jobs, jobs / count.rows, "")
        for reason, jobs in zip(UNKNOWN, unknown.tolist(), strict=True)
        if jobs
    ]
    table = count.table()
    more = pd.DataFrame(rows, columns=table.columns)
    return pd.concat([table, more], ignore_index=True) if rows else table
