"""Mean response time of FCFS at given fractions of its limit, simulated phase by phase.

The exact value is given if it is known. Each replication warms up for as many jobs as it then
measures. If the chain of the phases is too large, the system is simulated job by job.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import pandas as pd

from atlas.fields.markers import DrawnAs
from atlas.fields.vocabulary import FractionsOfLimit
from atlas.models.feasibility import is_solvable
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress
from atlas.models.scored import AGAINST_EXACT, scored
from atlas.models.streams import stream_key
from atlas.models.systems import PilotedBlock, SystemBlock
from atlas.models.warm_up import find_limit, require_short_warm_up
from multiserver.errors import NotKnownError
from multiserver.queue import Queue
from multiserver.simulation.estimate import fair_half_width, observations

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
    **AGAINST_EXACT,
}


class Parameters(SystemBlock, PilotedBlock):
    fractions_of_limit: Annotated[FractionsOfLimit, DrawnAs("loads")]


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per fraction."""
    queue, key = under_fcfs(parameters.system), stream_key(parameters)
    limit = find_limit(queue, parameters.seed)
    load = queue.system.load(parameters.fractions_of_limit[-1] * limit)
    require_short_warm_up(queue.system, load, "rates")
    rows = [
        simulate_point(queue, fraction * limit, limit, parameters, (key, i))
        for i, fraction in progress(list(enumerate(parameters.fractions_of_limit)))
    ]
    return pd.DataFrame(rows, columns=list(UNITS))


def simulate_point(
    queue: Queue, arrival_rate: float, limit: float, parameters: PilotedBlock, key: tuple[int, ...]
) -> dict[str, Any]:
    """The row of one arrival rate; `limit` is λ*."""
    try:
        exact = queue.exact(arrival_rate=arrival_rate).mean_jobs
    except NotKnownError:
        exact = math.nan
    effort = parameters.effort() | {"key": key}
    if is_solvable(queue.system.servers, queue.system.needs):
        effort |= {"level": "phases", "jobs": 2 * parameters.jobs, "warm_up": 0.5}
    result = queue.simulate(arrival_rate=arrival_rate, **effort)
    each = result.mean_jobs.jobs / parameters.replications
    known = observations(each, arrival_rate / limit, exact)
    row = {"arrival_rate": arrival_rate, "fraction_of_limit": arrival_rate / limit}
    row |= scored(result.mean_jobs, exact, known) | {"exact_mean_jobs": exact}
    for name in ("mean_jobs", "mean_waiting", "mean_response_time"):
        mean = getattr(result, name)
        row |= {name: mean.mean, f"{name}_half_width": fair_half_width(mean, known)}
    return row
