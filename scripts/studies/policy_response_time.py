"""Mean response time of a policy against the load ρ = λ E[S], class by class, exact.

`pooled` is E[T] of the M/G/1 that pools all capacity, `limit` the largest stable load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from quantities.finite_skip_models import read_model

UNITS = {
    "load": "1",
    "class": "name",
    "mean_response_time": "time",
    "pooled": "time",
    "limit": "1",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a load and class, `all` after the classes; loads from `limit` on are left out."""
    model = read_model(parameters)
    exact = model.exact()
    if exact is None:
        raise ValueError(f"no exact solution is known of {parameters['policy']} in this system")
    names = [*(f"class-{c}" for c in range(1, len(model.probabilities) + 1)), "all"]
    rows = []
    for load in np.linspace(0, parameters["load"], parameters["points"] + 1)[1:]:
        if load < model.limit:
            pooled = model.pooled(load)
            rows += [
                (load, name, mean, pooled, model.limit)
                for name, mean in zip(names, exact(load), strict=True)
            ]
    return pd.DataFrame(rows, columns=list(UNITS))
