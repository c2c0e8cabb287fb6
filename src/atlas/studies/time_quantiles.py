"""Quantiles of waiting and response times against the load ρ, class by class, exact.

`limit` is the largest stable load.
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.vocabulary import DearPoints, HighestLoad
from atlas.models.sampling import Row, sample
from atlas.models.times import (
    QUANTILE,
    QuantilesAt,
    TimesBlock,
    load_limit,
    quantiles,
    require_distribution,
)

UNITS = {"load": "1", **QUANTILE, "limit": "1"}


class Parameters(TimesBlock):
    probabilities: QuantilesAt
    highest_load: HighestLoad = 0.98
    points: DearPoints = 120


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the distribution is within reach."""
    require_distribution(parameters.queue, last_load(parameters))


def last_load(parameters: Parameters) -> float:
    """The load at which the curves end: `highest_load`, or close to the limit if that is less."""
    near = (1 - 1 / (8 * parameters.points)) * load_limit(parameters.queue)
    return min(parameters.highest_load, near)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per load, class, time and probability."""
    queue, last = parameters.queue, last_load(parameters)
    limit = load_limit(queue)

    def row(load: float) -> Row:
        return load, quantiles(queue, parameters.probabilities, load=load)

    points = sample(row, (last / parameters.points, last), parameters.points, heights)
    rows = [
        (load, *place, quantile, limit)
        for load, values in points
        for place, quantile in values.items()
    ]
    return pd.DataFrame(rows, columns=list(UNITS))


def heights(row: Row) -> list[float]:
    """The heights drawn over a load on a logarithmic axis, which cannot show a quantile of 0."""
    return [math.log(t) if t > 0 else math.nan for t in row[1].values()]
