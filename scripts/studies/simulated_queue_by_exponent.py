"""The queue of `queue-by-exponent`, simulated phase by phase, each point beside its exact value.

Points at which FCFS cannot carry the fraction of capacity are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from keys import stream_key
from multiserver.open.multiserver_jobs import prepare
from studies.scaling_by_exponent import build_system
from studies.simulated_response_time import UNITS as POINT_UNITS
from studies.simulated_response_time import simulate_point

UNITS = {"exponent": "1", **POINT_UNITS}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row an exponent."""
    rows = []
    key = stream_key(parameters)
    for i, alpha in enumerate(progress(np.linspace(*parameters["exponent"], parameters["points"]))):
        system = build_system(parameters, float(alpha))
        blocks = prepare(system)
        arrival_rate = parameters["fraction"] * system.naive_throughput
        if arrival_rate < blocks.throughput:
            rows.append((alpha, *simulate_point(blocks, arrival_rate, parameters, (key, i))))
    return pd.DataFrame(rows, columns=list(UNITS))
