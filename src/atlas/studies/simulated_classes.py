"""Mean response time of FCFS class by class, simulated job by job, beside its exact value.

The classes of one point are measured in the same run, so only the mean over all of them, the row
`all`, counts among independent scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated

import numpy as np
import pandas as pd

from atlas.fields.columns import Truth, Words
from atlas.fields.markers import DrawnAs
from atlas.fields.vocabulary import FractionsOfLimit
from atlas.models.fcfs_limits import simulate_jobs, solvable_blocks, stable_throughput
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, SystemBlock
from multiserver.open.by_class import response_times
from multiserver.simulation.estimate import fair_half_width, observations, score
from multiserver.simulation.fcfs import Workload

UNITS = {
    "fraction_of_limit": "1",
    "quantity": Words("name"),
    "mean_response_time": "s",
    "half_width": "s",
    "jobs": "jobs",
    "effective_size": "1",
    "exact": "s",
    "score": "1",
    "z": "1",
    "inside": Truth("whether the 95 % interval holds the exact value"),
}


class Parameters(SystemBlock, SimulatedBlock):
    """What to compute."""

    fractions_of_limit: Annotated[FractionsOfLimit, DrawnAs("loads")]


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a fraction and class, `all` after the classes."""
    system = parameters.system
    blocks, key = solvable_blocks(system), stream_key(parameters)
    limit = stable_throughput(system, blocks, parameters, (key,))
    unknown = np.full(len(system.classes), math.nan)
    rows = []
    for i, fraction in progress(list(enumerate(parameters.fractions_of_limit))):
        arrival_rate = fraction * limit
        means = response_times(blocks, arrival_rate) if blocks else unknown
        found = simulate_jobs(Workload.of(system, arrival_rate), parameters, (key, i))
        estimates = [found.class_response_time(c) for c in range(len(means))]
        names = [f"class-{c}" for c in range(1, len(means) + 1)]
        mean = means @ np.array(system.probabilities)
        each = parameters.jobs / parameters.replications
        known = observations(each, fraction, arrival_rate * mean)
        pairs = zip(
            [*names, "all"],
            [*estimates, found.mean_response_time],
            [*means, mean],
            strict=True,
        )
        for name, estimate, exact in pairs:
            z = score(estimate, exact, known) if blocks else math.nan
            rows.append(
                {
                    "fraction_of_limit": fraction,
                    "quantity": name,
                    "mean_response_time": estimate.mean,
                    "half_width": fair_half_width(estimate, known),
                    "jobs": estimate.jobs,
                    "effective_size": estimate.effective_size,
                    "exact": exact,
                    "score": z,
                    "z": z if name == "all" else math.nan,
                    "inside": estimate.covers(exact) if not math.isnan(z) else None,
                }
            )
    return pd.DataFrame(rows, columns=list(UNITS))
