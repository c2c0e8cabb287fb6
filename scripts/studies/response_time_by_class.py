"""Mean response time of FCFS against the load λ/λ*, class by class, exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.open.by_class import response_times
from multiserver.open.multiserver_jobs import prepare
from quantities.systems import read_system

UNITS = {"load": "1", "class": "name", "mean_response_time": "s"}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a load and class, `all` after the classes."""
    system = read_system(parameters)
    blocks = prepare(system)
    rows = []
    for load in np.linspace(0, parameters["load"], parameters["points"] + 1)[1:]:
        means = response_times(blocks, load * blocks.throughput)
        rows += [(load, f"class-{c}", mean) for c, mean in enumerate(means, 1)]
        rows.append((load, "all", means @ system.probabilities))
    return pd.DataFrame(rows, columns=list(UNITS))
