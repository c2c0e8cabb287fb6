"""P(N > k) under FCFS at some k, simulated phase by phase, beside its exact value.

All k are read off the same run, so only the first of them counts among independent scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from keys import stream_key
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.simulation.estimate import score
from multiserver.simulation.phase import simulate
from quantities.systems import read_system

UNITS = {
    "jobs": "jobs",
    "tail": "1",
    "tail_half_width": "1",
    "exact": "1",
    "score": "1",
    "z": "1",
    "inside": "whether the 95 % interval holds the exact value",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a number of jobs k."""
    blocks = prepare(read_system(parameters))
    chain = blocks.at(parameters["load"] * blocks.throughput)
    law = solve(chain)
    found = simulate(
        chain,
        2 * parameters["jobs"],
        warm_up=0.5,
        replications=parameters["replications"],
        seed=parameters["seed"],
        key=(stream_key(parameters),),
        tail_levels=tuple(parameters["levels"]),
    )
    rows = []
    for k, tail in found.tails.items():
        exact = float(law.tail(k))
        z = score(tail, exact)
        inside = abs(tail.mean - exact) <= tail.half_width
        rows.append((k, tail.mean, tail.half_width, exact, z, math.nan if rows else z, inside))
    return pd.DataFrame(rows, columns=list(UNITS))
