"""The jobs of a trace, counted and summed by need and by logarithmic interval of durations.

Nothing else of a trace is kept. Every row has the log-log correlation of need and duration over all
jobs, and the best-fitting power law duration = `scale` · need^`exponent`. See `traces.aggregate`.
"""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd

from atlas.models.sampling import Progress
from atlas.models.traces import read_table
from atlas.models.workloads import JobsBlock
from atlas.traces.aggregate import BINS_PER_DECADE, fit

UNITS = {
    "need": "units",
    "bin": "1",
    "from": "s",
    "to": "s",
    "jobs": "jobs",
    "duration": "s",
    "log_duration": "1",
    "log_duration_squared": "1",
    "correlation": "1",
    "exponent": "1",
    "scale": "s",
}
Parameters = JobsBlock


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per need and interval; durations are summed over the jobs."""
    table = read_table(parameters.plain(), progress)
    ends = {"from": table["bin"], "to": table["bin"] + 1}
    ends = {name: 10.0 ** (place / BINS_PER_DECADE) for name, place in ends.items()}
    return table.assign(**ends, **asdict(fit(table)))[list(UNITS)]
