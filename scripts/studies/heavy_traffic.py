"""E[N](1 − λ/λ*) as λ → λ* under FCFS, and its limit E[Δ(Y_d)] + 1.

`multilevel-scaling`, Eq. (2).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from declared.block import INCREASING
from declared.vocabulary import FractionOfLimit, Points
from models.feasibility import SolvableBlock
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.saturated import stationary

UNITS = {"gap": "1", "mean_jobs": "jobs", "scaled_jobs": "jobs", "limit": "jobs"}


class Parameters(SolvableBlock):
    """What to compute."""

    gap: Annotated[
        list[FractionOfLimit],
        Field(min_length=2, max_length=2, description="the ends of the axis of 1 − λ/λ*"),
        INCREASING,
    ] = [1.0e-6, 0.5]
    points: Points = 58


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a distance from saturation, 1 − λ/λ*."""
    system = parameters.system
    blocks = prepare(system)
    limit = stationary.solve(system).mean_relative_completions + 1
    rows = []
    for gap in np.geomspace(*parameters.gap, parameters.points):
        mean_jobs = solve(blocks.at((1 - gap) * blocks.throughput)).mean_jobs
        rows.append((gap, mean_jobs, mean_jobs * gap, limit))
    return pd.DataFrame(rows, columns=list(UNITS))
