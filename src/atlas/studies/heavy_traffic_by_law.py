"""E[N](1 − λ/λ*) as λ → λ* under FCFS for phase-type durations, and its limit E[Δ(Y_d)] + 1.

`multilevel-scaling`, Eq. (2), extended to phase-type durations, and the formula with its constant.
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.vocabulary import FewPoints, Gap
from atlas.models.phased_systems import PhasedBlock
from atlas.models.sampling import Row, sample
from multiserver.open.age_process import prepare
from multiserver.open.heavy_traffic import heavy_traffic

UNITS = {
    "gap": "1",
    "mean_jobs": "jobs",
    "scaled_jobs": "jobs",
    "limit": "jobs",
    "with_constant": "jobs",
}


class Parameters(PhasedBlock):
    gap: Gap = [1.0e-3, 0.9]
    points: FewPoints = 30


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per distance from saturation, 1 − λ/λ*."""
    process = prepare(parameters.jobs)
    formula = heavy_traffic(process)

    def row(log_gap: float) -> Row:
        gap = math.exp(log_gap)
        rate = (1 - gap) * process.limit
        mean_jobs = process.at(rate).mean_jobs
        return gap, mean_jobs, mean_jobs * gap, formula.leading, formula.mean_jobs(rate) * gap

    ends = [math.log(end) for end in parameters.gap]
    rows = sample(row, ends, parameters.points, lambda point: [math.log(point[2])])
    return pd.DataFrame(rows, columns=list(UNITS))
