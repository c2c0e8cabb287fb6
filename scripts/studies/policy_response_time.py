"""Mean response time of a policy against the load ρ = λ E[S], class by class, exact.

`pooled` is E[T] of the M/G/1 that pools all capacity, `limit` the largest stable load.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from declared.vocabulary import Load, Points
from models.finite_skip import read_model
from models.finite_skip_solutions import require_solution
from models.finite_skip_systems import FiniteSkipBlock

UNITS = {
    "load": "1",
    "class": "name",
    "mean_response_time": "time",
    "pooled": "time",
    "limit": "1",
}


class Parameters(FiniteSkipBlock):
    """What to compute."""

    load: Load = 0.99
    points: Points = 99

    @model_validator(mode="after")
    def _is_solved(self) -> Self:
        require_solution(self, self.load)
        return self


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a load and class, `all` after the classes.

    Loads end at `parameters.load`, or close in on `limit` if that is less.
    """
    model = read_model(parameters.plain())
    exact = model.exact()
    names = [*(f"class-{c}" for c in range(1, len(model.probabilities) + 1)), "all"]
    rows = []
    loads = np.linspace(0, parameters.load, parameters.points + 1)[1:]
    if model.limit <= parameters.load:
        loads = loads[loads < model.limit]
        loads = np.append(loads, model.limit - (model.limit - loads[-1]) / 2.0 ** np.arange(1, 6))
    for load in loads:
        pooled = model.pooled(load)
        rows += [
            (load, name, mean, pooled, model.limit)
            for name, mean in zip(names, exact(load), strict=True)
        ]
    return pd.DataFrame(rows, columns=list(UNITS))
