"""P(N > k) under FCFS at some k, simulated phase by phase, with its exact value.

All k come from the same run, so only the score of the first counts as independent. If the chain of
the phases is too large, there is no exact value, and jobs are simulated one by one.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import INCREASING
from atlas.fields.markers import DrawnAs, Resolution
from atlas.fields.vocabulary import Count, FractionOfLimit
from atlas.models.feasibility import is_solvable
from atlas.models.open_fcfs import under_fcfs
from atlas.models.scored import SCORES, scored
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, SystemBlock
from atlas.models.warm_up import find_limit, require_short_warm_up
from multiserver.open.qbd import solve
from multiserver.simulation import fcfs, phase
from multiserver.simulation.estimate import observations
from multiserver.simulation.fcfs import Workload

UNITS = {"jobs": "jobs", "tail": "1", "tail_half_width": "1", "exact": "1", **SCORES}


class Parameters(SystemBlock, SimulatedBlock):
    fraction_of_limit: Annotated[FractionOfLimit, DrawnAs("load")]
    levels: Annotated[
        list[Count],
        Field(min_length=1, max_length=10_000, description="the numbers of jobs k, increasing"),
        INCREASING,
        Resolution(),
    ]


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per number of jobs k."""
    system, replications = parameters.system, parameters.replications
    source = {"seed": parameters.seed, "key": (stream_key(parameters),)}
    queue = under_fcfs(system)
    arrival_rate = parameters.fraction_of_limit * find_limit(queue, parameters.seed)
    require_short_warm_up(queue.system, queue.system.load(arrival_rate), "rates")
    workload, levels = Workload.of(system, arrival_rate), parameters.levels
    each = parameters.jobs / replications
    if solvable := is_solvable(system.servers, system.needs):
        chain = queue.process().at(arrival_rate)
        distribution = solve(chain)
        tails = phase.simulate(
            chain,
            2 * parameters.jobs,
            warm_up=0.5,
            least_warm_up=workload.least_warm_up,
            replications=replications,
            tail_levels=tuple(levels),
            **source,
        ).tails
        known = observations(each, parameters.fraction_of_limit, distribution.mean_jobs)
    else:
        known, counted = math.nan, levels[-1] + 1
        jobs = {"jobs": math.ceil(each), "replications": replications, "levels": counted}
        run = fcfs.simulate(workload, **jobs, **source)
        tails = {k: run.tail(k) for k in levels}
    rows = []
    for k, tail in tails.items():
        exact = float(distribution.tail(k)) if solvable else math.nan
        columns = scored(tail, exact, known, independent=not rows)
        half_width = columns["half_width"]
        rows.append(columns | {"jobs": k, "tail": tail.mean, "tail_half_width": half_width})
    return pd.DataFrame(rows, columns=list(UNITS))
