"""E[N](1 − ρ) as ρ = λ/λ* → 1 under FCFS, and its limit E[Δ(Y_d)] + 1.

`multilevel-scaling`, Eq. (2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.saturated import stationary
from quantities.systems import read_system

UNITS = {"gap": "1", "mean_jobs": "jobs", "scaled_jobs": "jobs", "limit": "jobs"}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a distance from saturation, 1 − ρ."""
    system = read_system(parameters)
    blocks = prepare(system)
    limit = stationary.solve(system).mean_relative_completions + 1
    rows = []
    for gap in np.geomspace(*parameters["gap"], parameters["points"]):
        mean_jobs = solve(blocks.at((1 - gap) * blocks.throughput)).mean_jobs
        rows.append((gap, mean_jobs, mean_jobs * gap, limit))
    return pd.DataFrame(rows, columns=list(UNITS))
