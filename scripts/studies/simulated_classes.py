"""Mean response time of FCFS class by class, simulated job by job, beside its exact value.

The classes of one load are measured in the same run, so only the mean over all of them, the row
`all`, counts among independent scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from keys import stream_key
from multiserver.open.by_class import response_times
from multiserver.open.multiserver_jobs import prepare
from multiserver.simulation.estimate import score
from multiserver.simulation.fcfs import Workload, simulate
from quantities.systems import read_system

UNITS = {
    "load": "1",
    "quantity": "name",
    "mean_response_time": "s",
    "half_width": "s",
    "jobs": "jobs",
    "effective_size": "1",
    "exact": "s",
    "score": "1",
    "z": "1",
    "inside": "whether the 95 % interval holds the exact value",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a load and class, `all` after the classes."""
    system = read_system(parameters)
    blocks = prepare(system)
    key = stream_key(parameters)
    rows = []
    for i, load in enumerate(progress(parameters["loads"])):
        arrival_rate = load * blocks.throughput
        means = response_times(blocks, arrival_rate)
        found = simulate(
            Workload.of(system, arrival_rate),
            jobs=math.ceil(parameters["jobs"] / parameters["replications"]),
            replications=parameters["replications"],
            seed=parameters["seed"],
            key=(key, i),
        )
        estimates = [found.class_response_time(c) for c in range(len(means))]
        names = [f"class-{c}" for c in range(1, len(means) + 1)]
        pairs = zip(
            [*names, "all"],
            [*estimates, found.mean_response_time],
            [*means, means @ np.array(system.probabilities)],
            strict=True,
        )
        for name, estimate, exact in pairs:
            z = score(estimate, exact)
            rows.append(
                {
                    "load": load,
                    "quantity": name,
                    "mean_response_time": estimate.mean,
                    "half_width": estimate.half_width,
                    "jobs": estimate.jobs,
                    "effective_size": estimate.effective_size,
                    "exact": exact,
                    "score": z,
                    "z": z if name == "all" else math.nan,
                    "inside": abs(estimate.mean - exact) <= estimate.half_width,
                }
            )
    return pd.DataFrame(rows, columns=list(UNITS))
