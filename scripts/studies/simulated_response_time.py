"""Mean response time of FCFS at given loads, simulated phase by phase, beside its exact value.

Each replication warms up for as many jobs as it then measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from keys import stream_key
from multiserver.open.multiserver_jobs import FcfsBlocks, prepare
from multiserver.open.qbd import solve
from multiserver.simulation.estimate import score
from multiserver.simulation.phase import simulate
from quantities.systems import read_system

UNITS = {
    "arrival_rate": "jobs/s",
    "load": "1",
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
    "inside": "whether the 95 % interval holds the exact value",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a load."""
    blocks = prepare(read_system(parameters))
    key = stream_key(parameters)
    rows = [
        simulate_point(blocks, load * blocks.throughput, parameters, (key, i))
        for i, load in enumerate(progress(parameters["loads"]))
    ]
    return pd.DataFrame(rows, columns=list(UNITS))


def simulate_point(
    blocks: FcfsBlocks, arrival_rate: float, parameters: Mapping[str, Any], key: tuple[int, ...]
) -> tuple[Any, ...]:
    """The row of one arrival rate."""
    chain = blocks.at(arrival_rate)
    exact = solve(chain).mean_jobs
    found = simulate(
        chain,
        2 * parameters["jobs"],
        warm_up=0.5,
        replications=parameters["replications"],
        seed=parameters["seed"],
        key=key,
    )
    queue, waiting, response = found.mean_jobs, found.mean_waiting, found.mean_response_time
    return (
        arrival_rate,
        arrival_rate / blocks.throughput,
        queue.mean,
        queue.half_width,
        waiting.mean,
        waiting.half_width,
        response.mean,
        response.half_width,
        queue.jobs,
        queue.effective_size,
        exact,
        score(queue, exact),
        abs(queue.mean - exact) <= queue.half_width,
    )
