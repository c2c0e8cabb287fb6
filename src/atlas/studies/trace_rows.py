"""What became of the rows of a trace: jobs, rows left out and faults, each under its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from atlas.fields.columns import Words
from atlas.models.traces import count_rows
from atlas.models.workloads import JobsBlock

UNITS = {
    "kind": Words("name"),
    "reason": Words("name"),
    "rows": "1",
    "share": "1",
    "first_lines": Words("line numbers"),
}


class Parameters(JobsBlock):
    """What to compute."""


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a reason, jobs first."""
    count, chunks = count_rows(parameters.plain(), progress)
    for _ in chunks:
        pass
    return count.table()
