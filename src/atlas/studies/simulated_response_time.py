"""Mean response time of FCFS at given fractions of its limit, simulated phase by phase.

The exact value stands beside it. Each replication warms up for as many jobs as it then measures.
Where the chain of the phases is out of reach, so is the exact value, and the system is simulated
job by job.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import pandas as pd

from atlas.fields.columns import Truth
from atlas.fields.markers import DrawnAs
from atlas.fields.vocabulary import FractionsOfLimit
from atlas.models.fcfs_limits import (
    simulate_jobs,
    simulate_phases,
    solvable_blocks,
    stable_throughput,
)
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, SystemBlock
from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import FcfsBlocks
from multiserver.open.qbd import solve
from multiserver.simulation.estimate import fair_half_width, observations, score
from multiserver.simulation.fcfs import Workload

UNITS = {
    "arrival_rate": "jobs/s",
    "fraction_of_limit": "1",
    "mean_jobs": "jobs",
    "mean_jobs_half_width": "jobs",
    "mean_waiting": "jobs",
    "mean_waiting_half_width": "jobs",
    "mean_response_time": "s",
    "mean_response_time_half_width": "s",
    "jobs": "jobs",
    "effective_size": "1",
    "exact_mean_jobs": "jobs",
    "z": "1",
    "inside": Truth("whether the 95 % interval holds the exact value"),
}


class Parameters(SystemBlock, SimulatedBlock):
    """What to compute."""

    fractions_of_limit: Annotated[FractionsOfLimit, DrawnAs("loads")]


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a fraction."""
    system, key = parameters.system, stream_key(parameters)
    blocks = solvable_blocks(system)
    limit = stable_throughput(system, blocks, parameters, (key,))
    rows = [
        simulate_point(system, blocks, fraction * limit, limit, parameters, (key, i))
        for i, fraction in progress(list(enumerate(parameters.fractions_of_limit)))
    ]
    return pd.DataFrame(rows, columns=list(UNITS))


def simulate_point(
    system: MultiserverJobSystem,
    blocks: FcfsBlocks | None,
    arrival_rate: float,
    limit: float,
    parameters: SimulatedBlock,
    key: tuple[int, ...],
) -> tuple[Any, ...]:
    """The row of one arrival rate, of which `limit` is λ*."""
    workload = Workload.of(system, arrival_rate)
    if blocks is None:
        exact = math.nan
        found = simulate_jobs(workload, parameters, key)
    else:
        chain = blocks.at(arrival_rate)
        exact = solve(chain).mean_jobs
        found = simulate_phases(chain, workload, parameters, key)
    each = parameters.jobs / parameters.replications
    known = observations(each, arrival_rate / limit, exact)
    z = score(found.mean_jobs, exact, known) if blocks else math.nan
    queue, waiting, response = found.mean_jobs, found.mean_waiting, found.mean_response_time
    return (
        arrival_rate,
        arrival_rate / limit,
        queue.mean,
        fair_half_width(queue, known),
        waiting.mean,
        fair_half_width(waiting, known),
        response.mean,
        fair_half_width(response, known),
        queue.jobs,
        queue.effective_size,
        exact,
        z,
        queue.covers(exact) if not math.isnan(z) else None,
    )
