"""The jobs of a trace, counted and summed by need and by logarithmic interval of durations.

Nothing else of a trace is kept. See `traces.aggregate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from quantities.traces import read_table
from traces.aggregate import BINS_PER_DECADE

UNITS = {
    "need": "units",
    "bin": "1",
    "from": "s",
    "to": "s",
    "jobs": "jobs",
    "duration": "s",
    "log_duration": "1",
    "log_duration_squared": "1",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a need and interval; durations are summed over the jobs."""
    table = read_table(parameters, progress)
    table["from"] = 10.0 ** (table["bin"] / BINS_PER_DECADE)
    table["to"] = 10.0 ** ((table["bin"] + 1) / BINS_PER_DECADE)
    return table[list(UNITS)]
