"""E[N](1 − λ/λ*) as λ → λ* under FCFS, and its limit E[Δ(Y_d)] + 1.

`multilevel-scaling`, Eq. (2).
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.vocabulary import Gap, Points
from atlas.models.feasibility import SolvableBlock
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Row, sample

UNITS = {"gap": "1", "mean_jobs": "jobs", "scaled_jobs": "jobs", "limit": "jobs"}


class Parameters(SolvableBlock):
    gap: Gap = [1.0e-6, 0.5]
    points: Points = 58


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per distance from saturation, 1 − λ/λ*."""
    queue = under_fcfs(parameters.system)
    limit = queue.stability(relative_completions=True).relative_completions + 1

    def row(log_gap: float) -> Row:
        gap = math.exp(log_gap)
        mean_jobs = queue.exact(fraction_of_limit=1 - gap).mean_jobs
        return gap, mean_jobs, mean_jobs * gap, limit

    ends = [math.log(end) for end in parameters.gap]
    rows = sample(row, ends, parameters.points, lambda point: [math.log(point[2])])
    return pd.DataFrame(rows, columns=list(UNITS))
