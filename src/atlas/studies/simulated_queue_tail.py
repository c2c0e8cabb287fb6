"""P(N > k) under FCFS at some k, simulated phase by phase, beside its exact value.

All k are read off the same run, so only the first of them counts among independent scores. Where
the chain of the phases is out of reach, so is the exact value, and jobs are simulated one by one.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import INCREASING
from atlas.fields.columns import Truth
from atlas.fields.markers import DrawnAs, Resolution
from atlas.fields.vocabulary import Count, FractionOfLimit
from atlas.models.fcfs_limits import (
    simulate_jobs,
    simulate_phases,
    solvable_blocks,
    stable_throughput,
)
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, SystemBlock
from multiserver.open.qbd import solve
from multiserver.simulation.estimate import fair_half_width, observations, score
from multiserver.simulation.fcfs import Workload

UNITS = {
    "jobs": "jobs",
    "tail": "1",
    "tail_half_width": "1",
    "exact": "1",
    "score": "1",
    "z": "1",
    "inside": Truth("whether the 95 % interval holds the exact value"),
}


class Parameters(SystemBlock, SimulatedBlock):
    """What to compute."""

    fraction_of_limit: Annotated[FractionOfLimit, DrawnAs("load")]
    levels: Annotated[
        list[Count],
        Field(min_length=1, max_length=10_000, description="the numbers of jobs k, increasing"),
        INCREASING,
        Resolution(),
    ]


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a number of jobs k."""
    system, key = parameters.system, (stream_key(parameters),)
    blocks = solvable_blocks(system)
    arrival_rate = parameters.fraction_of_limit * stable_throughput(system, blocks, parameters, key)
    levels = parameters.levels
    workload = Workload.of(system, arrival_rate)
    if blocks is None:
        known = math.nan
        run = simulate_jobs(workload, parameters, key, levels=levels[-1] + 1)
        tails = {k: run.tail(k) for k in levels}
    else:
        chain = blocks.at(arrival_rate)
        law = solve(chain)
        found = simulate_phases(chain, workload, parameters, key, tail_levels=tuple(levels))
        tails = found.tails
        each = parameters.jobs / parameters.replications
        known = observations(each, parameters.fraction_of_limit, law.mean_jobs)
    rows = []
    for k, tail in tails.items():
        exact = float(law.tail(k)) if blocks else math.nan
        z = score(tail, exact, known) if blocks else math.nan
        inside = tail.covers(exact) if not math.isnan(z) else None
        half_width = fair_half_width(tail, known)
        rows.append((k, tail.mean, half_width, exact, z, math.nan if rows else z, inside))
    return pd.DataFrame(rows, columns=list(UNITS))
