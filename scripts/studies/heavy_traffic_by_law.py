"""E[N](1 − ρ) as ρ = λ/λ* → 1 under FCFS for durations with phases, its limit E[Δ(Y_d)] + 1, and
the formula with its constant.

`multilevel-scaling`, Eq. (2), for other than exponential durations.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from declared.block import INCREASING
from declared.vocabulary import FewPoints, Load
from models.phased_systems import PhasedBlock
from multiserver.open.head_age import prepare
from multiserver.open.heavy_traffic import heavy_traffic

UNITS = {
    "gap": "1",
    "mean_jobs": "jobs",
    "scaled_jobs": "jobs",
    "limit": "jobs",
    "with_constant": "jobs",
}


class Parameters(PhasedBlock):
    """What to compute."""

    gap: Annotated[
        list[Load],
        Field(min_length=2, max_length=2, description="the ends of the axis of 1 − ρ"),
        INCREASING,
    ] = [1.0e-3, 0.9]
    points: FewPoints = 30


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a distance from saturation, 1 − ρ."""
    process = prepare(parameters.jobs)
    formula = heavy_traffic(process)
    rows = []
    for gap in np.geomspace(*parameters.gap, parameters.points):
        rate = (1 - gap) * process.limit
        mean_jobs = process.at(rate).mean_jobs
        better = formula.mean_jobs(rate) * gap
        rows.append((gap, mean_jobs, mean_jobs * gap, formula.leading, better))
    return pd.DataFrame(rows, columns=list(UNITS))
