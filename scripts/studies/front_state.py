"""Queue and front of a multiserver-job system under ServerFilling, job by job.

The jobs are present in the given order, oldest first. The front holds the fewest oldest jobs that
need all servers together; larger needs are served first (`finite-skip`, Section 7.2.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

UNITS = {"job": "1", "need": "servers", "place": "service, front or queue"}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a job, oldest first."""
    needs, servers = parameters["jobs-present"], parameters["servers"]
    size, demand = 0, 0
    while size < len(needs) and demand < servers:
        demand += needs[size]
        size += 1
    places, idle = ["front"] * size + ["queue"] * (len(needs) - size), servers
    for job in sorted(range(size), key=lambda job: -needs[job]):
        if needs[job] <= idle:
            idle -= needs[job]
            places[job] = "service"
    rows = zip(range(1, len(needs) + 1), needs, places, strict=True)
    return pd.DataFrame(rows, columns=list(UNITS))
