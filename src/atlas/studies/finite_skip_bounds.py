"""Bounds on the mean response time of a work-conserving finite-skip model against the load.

`lower` and `upper` are the bounds of `finite-skip`, Corollary 3.8, as printed; the `refined` bounds
treat the classes separately. `pooled` is the M/G/1 that pools all capacity, `approximation` that of
Zhang and Zwart for limited processor sharing.
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.vocabulary import HighestLoad, Points
from atlas.models.finite_skip_solutions import CoveredBlock
from atlas.models.sampling import Row, sample

UNITS = {
    "load": "1",
    "pooled": "s",
    "lower": "s",
    "upper": "s",
    "refined_lower": "s",
    "refined_upper": "s",
    "approximation": "s",
}


class Parameters(CoveredBlock):
    highest_load: HighestLoad = 0.99
    points: Points = 99


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per load."""
    model = parameters.model
    printed, refined = model.constants(), model.constants(refined=True)

    def row(load: float) -> Row:
        arrival_rate = model.arrival_rate(load)
        return (
            load,
            model.pooled(load),
            *printed.at(arrival_rate).response,
            *refined.at(arrival_rate).response,
            model.approximation(arrival_rate),
        )

    def heights(row: Row) -> list[float]:
        # A lower bound may lie below 0.
        return [math.log(height) if height > 0 else math.nan for height in row[1:]]

    last = parameters.highest_load
    ends = last / parameters.points, last
    rows = sample(row, ends, parameters.points, heights)
    return pd.DataFrame(rows, columns=list(UNITS))
