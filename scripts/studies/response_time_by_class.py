"""Mean response time of FCFS against the load λ/λ*, class by class, exact."""

from __future__ import annotations

import math

import pandas as pd

from declared.vocabulary import Load, Points
from models.feasibility import SolvableBlock
from models.sampling import Row, sample
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

    def row(load: float) -> Row:
        means = response_times(blocks, load * blocks.throughput)
        return load, *means, means @ system.probabilities

    ends = parameters.load / parameters.points, parameters.load
    found = sample(row, ends, parameters.points, lambda row: map(math.log, row[1:]))
    names = [*(f"class-{c}" for c in range(1, len(system.classes) + 1)), "all"]
    rows = [
        (load, name, mean)
        for load, *means in found
        for name, mean in zip(names, means, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(UNITS))
