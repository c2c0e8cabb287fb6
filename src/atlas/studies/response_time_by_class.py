"""Mean response time of FCFS against λ/λ*, the fraction of its limit, class by class, exact."""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.columns import Words
from atlas.fields.vocabulary import HighestFractionOfLimit, Points
from atlas.models.open_fcfs import ReachableBlock, open_fcfs
from atlas.models.sampling import Row, sample
from atlas.models.systems import class_names

UNITS = {"fraction_of_limit": "1", "class": Words("name"), "mean_response_time": "s"}


class Parameters(ReachableBlock):
    highest_fraction_of_limit: HighestFractionOfLimit = 0.97
    points: Points = 97


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per fraction and class, `all` after the classes."""
    system = parameters.system
    fcfs = open_fcfs(system)
    last = parameters.highest_fraction_of_limit
    ends = last / parameters.points, last
    means_at = fcfs.between(*ends, parameters.points)

    def row(fraction: float) -> Row:
        means = means_at(fraction * fcfs.limit).class_times
        return fraction, *means, means @ system.probabilities

    points = sample(row, ends, parameters.points, lambda row: map(math.log, row[1:]))
    names = [*class_names(len(system.classes)), "all"]
    rows = [
        (fraction, name, mean)
        for fraction, *means in points
        for name, mean in zip(names, means, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(UNITS))
