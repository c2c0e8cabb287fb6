"""What became of the rows of a trace: jobs, rows left out and faults, each under its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from quantities.traces import count_rows

UNITS = {
    "kind": "name",
    "reason": "name",
    "rows": "1",
    "share": "1",
    "first_lines": "line numbers",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a reason, jobs first."""
    count, chunks = count_rows(parameters, progress)
    for _ in chunks:
        pass
    return count.table()
