"""Mean response time of FCFS against λ/λ*, the fraction of its limit, class by class, exact."""

from __future__ import annotations

import numpy as np
import pandas as pd

from declared.vocabulary import FractionOfLimit, Points
from models.feasibility import SolvableBlock
from multiserver.open.by_class import response_times
from multiserver.open.multiserver_jobs import prepare

UNITS = {"fraction_of_limit": "1", "class": "name", "mean_response_time": "s"}


class Parameters(SolvableBlock):
    """What to compute."""

    fraction_of_limit: FractionOfLimit = 0.97
    points: Points = 97


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a fraction and class, `all` after the classes."""
    system = parameters.system
    blocks = prepare(system)
    rows = []
    for fraction in np.linspace(0, parameters.fraction_of_limit, parameters.points + 1)[1:]:
        means = response_times(blocks, fraction * blocks.throughput)
        rows += [(fraction, f"class-{c}", mean) for c, mean in enumerate(means, 1)]
        rows.append((fraction, "all", means @ system.probabilities))
    return pd.DataFrame(rows, columns=list(UNITS))
