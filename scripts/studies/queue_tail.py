"""The law of the number of jobs under FCFS, exact: P(N > k) and the rate at which it decays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from quantities.systems import read_system

UNITS = {"jobs": "jobs", "tail": "1", "decay_rate": "1"}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a number of jobs k."""
    blocks = prepare(read_system(parameters))
    law = solve(blocks.at(parameters["load"] * blocks.throughput))
    k = np.arange(parameters["largest"] + 1)
    return pd.DataFrame({"jobs": k, "tail": law.tail(k), "decay_rate": law.decay_rate})
