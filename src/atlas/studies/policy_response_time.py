"""Mean response time of a policy against the load ρ = λ E[S], class by class, exact.

`pooled` is E[T] of the M/G/1 that pools all capacity, `limit` the largest stable load.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd

from atlas.fields.columns import Words
from atlas.fields.markers import Costly
from atlas.fields.vocabulary import FINELY, Enough, HighestLoad, Points
from atlas.models.finite_skip import OF_A_CURVE
from atlas.models.finite_skip_solutions import SolvedBlock, require_reach
from atlas.models.sampling import Row, sample

UNITS = {
    "load": "1",
    "class": Words("name"),
    "mean_response_time": "s",
    "pooled": "s",
    "limit": "1",
}


class Parameters(SolvedBlock):
    highest_load: HighestLoad = 0.99
    points: Annotated[Points, Costly()] = 99
    enough: Enough = FINELY


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the solution is within reach."""
    require_reach(parameters, parameters.highest_load)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per load and class, `all` after the classes.

    Loads end at `parameters.highest_load`, or close in on `limit` if that is less.
    """
    model = parameters.model
    exact = model.exact(OF_A_CURVE, parameters.enough)
    # Near the limit the curve is followed until it is beyond the range of any chart.
    last = min(parameters.highest_load, (1 - 1 / (32 * parameters.points)) * model.limit)

    def row(load: float) -> Row:
        return load, *exact(load)

    points = sample(
        row, (last / parameters.points, last), parameters.points, lambda row: map(math.log, row[1:])
    )
    rows = [
        (load, name, mean, model.pooled(load), model.limit)
        for load, *means in points
        for name, mean in zip(model.names, means, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(UNITS))
