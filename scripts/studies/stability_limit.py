"""The boundary of stability of one system, with and without waste."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from multiserver import MultiserverJobSystem
from multiserver.saturated import stationary

UNITS = {
    "throughput": "jobs/s",
    "naive_throughput": "jobs/s",
    "mean_demand": "server-seconds",
    "wastage": "servers",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row."""
    system = MultiserverJobSystem.of(**parameters)
    law = stationary.solve(system)
    row = {
        "throughput": law.throughput,
        "naive_throughput": system.naive_throughput,
        "mean_demand": system.mean_demand,
        "wastage": law.wastage,
    }
    return pd.DataFrame([row])
