"""The distribution of the number of jobs under FCFS, exact: P(N > k) and its decay rate."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE
from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import FractionOfLimit
from atlas.models.feasibility import SolvableBlock
from atlas.models.open_fcfs import under_fcfs
from multiserver.open.qbd import solve

UNITS = {"jobs": "jobs", "tail": "1", "decay_rate": "1"}


class Parameters(SolvableBlock):
    fraction_of_limit: FractionOfLimit
    largest: Annotated[
        int, Field(ge=1, le=10**6, description="the largest number of jobs k"), WHOLE, Resolution()
    ] = 400


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per number of jobs k."""
    queue = under_fcfs(parameters.system)
    levels = solve(queue.process().at(parameters.fraction_of_limit * queue.stability().limit))
    k = np.arange(parameters.largest + 1)
    return pd.DataFrame({"jobs": k, "tail": levels.tail(k), "decay_rate": levels.decay_rate})
