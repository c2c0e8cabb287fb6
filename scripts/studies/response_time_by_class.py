"""Mean response time of FCFS against the load λ/λ*, class by class, exact."""

from __future__ import annotations

import numpy as np
import pandas as pd

from declared.vocabulary import Load, Points
from models.feasibility import SolvableBlock
from multiserver.open.by_class import response_times
from multiserver.open.multiserver_jobs import prepare

UNITS = {"load": "1", "class": "name", "mean_response_time": "s"}


class Parameters(SolvableBlock):
    """What to compute."""

    load: Load = 0.97
    points: Points = 97


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a load and class, `all` after the classes."""
    system = parameters.system
    blocks = prepare(system)
    rows = []
    for load in np.linspace(0, parameters.load, parameters.points + 1)[1:]:
        means = response_times(blocks, load * blocks.throughput)
        rows += [(load, f"class-{c}", mean) for c, mean in enumerate(means, 1)]
        rows.append((load, "all", means @ system.probabilities))
    return pd.DataFrame(rows, columns=list(UNITS))
