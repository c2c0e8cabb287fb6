"""The queue at a fixed fraction of capacity against the exponent α that makes large jobs rare.

Jobs need 1, n/2 or n servers, with the probabilities and rates of `scaling-by-exponent`, and arrive
at the rate λ = f n / E[S] that demands the fraction f of the servers. Exact; where the fraction is
more than FCFS can use, only f* = λ* E[S] / n is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from studies.scaling_by_exponent import build_system

UNITS = {
    "exponent": "1",
    "arrival_rate": "jobs/s",
    "load": "1",
    "mean_jobs": "jobs",
    "mean_waiting": "jobs",
    "mean_response_time": "s",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row an exponent."""
    rows = []
    for alpha in progress(np.linspace(*parameters["exponent"], parameters["points"])):
        system = build_system(parameters, float(alpha))
        arrival_rate = parameters["fraction"] * system.naive_throughput
        blocks = prepare(system)
        load = arrival_rate / blocks.throughput
        means = (math.nan, math.nan, math.nan)
        if load < 1:
            law = solve(blocks.at(arrival_rate))
            means = (law.mean_jobs, law.mean_waiting, law.mean_response_time)
        rows.append((alpha, arrival_rate, load, *means))
    return pd.DataFrame(rows, columns=list(UNITS))
