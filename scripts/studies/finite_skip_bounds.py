"""Bounds on the mean response time of a work-conserving finite-skip model against the load.

`lower` and `upper` are those of `finite-skip`, Corollary 3.8, as printed; `refined` ones take the
classes apart. `pooled` is the M/G/1 that pools all capacity, `approximation` the one of Zhang and
Zwart for limited processor sharing.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from declared.vocabulary import Load, Points
from models.finite_skip import read_model
from models.finite_skip_solutions import CoveredBlock

UNITS = {
    "load": "1",
    "pooled": "time",
    "lower": "time",
    "upper": "time",
    "refined_lower": "time",
    "refined_upper": "time",
    "approximation": "time",
}


class Parameters(CoveredBlock):
    """What to compute."""

    load: Load = 0.99
    points: Points = 99


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a load."""
    model = read_model(parameters.plain())
    printed, refined = model.constants(), model.constants(refined=True)
    rows = []
    for load in np.linspace(0, parameters.load, parameters.points + 1)[1:]:
        arrival_rate = model.arrival_rate(load)
        rows.append(
            (
                load,
                model.pooled(load),
                *printed.at(arrival_rate).response,
                *refined.at(arrival_rate).response,
                model.approximation(arrival_rate) if model.approximation else math.nan,
            )
        )
    return pd.DataFrame(rows, columns=list(UNITS))
