"""The queue of `queue-by-exponent`, simulated phase by phase, each point with its exact value.

Points at which FCFS is unstable are left out.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from atlas.fields.markers import DrawnAs
from atlas.fields.vocabulary import EvenServers, Exponents, FewPoints, Load
from atlas.models.mixes import MixBlock, build_mix
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress
from atlas.models.streams import stream_key
from atlas.models.systems import PilotedBlock
from atlas.models.warm_up import find_limit, require_short_warm_up
from atlas.studies.simulated_response_time import UNITS as POINT_UNITS
from atlas.studies.simulated_response_time import simulate_point

UNITS = {"exponent": "1", **POINT_UNITS}


class Parameters(MixBlock, PilotedBlock):
    servers: EvenServers
    load: Annotated[Load, DrawnAs("fraction")]
    exponent: Exponents = [0.0, 3.0]
    points: FewPoints = 31


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per exponent."""
    rows = []
    key = stream_key(parameters)
    exponents = np.linspace(*parameters.exponent, parameters.points)
    for i, alpha in progress(list(enumerate(exponents))):
        system = build_mix(parameters.plain(), float(alpha))
        queue = under_fcfs(system)
        limit = find_limit(queue, parameters.seed)
        arrival_rate = parameters.load * system.naive_throughput
        if arrival_rate < limit:
            require_short_warm_up(queue.system, parameters.load, "rates")
            row = simulate_point(queue, arrival_rate, limit, parameters, (key, i))
            rows.append({"exponent": alpha} | row)
    return pd.DataFrame(rows, columns=list(UNITS))
