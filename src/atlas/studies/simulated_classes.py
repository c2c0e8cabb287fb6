"""Mean response time of FCFS class by class, simulated job by job, beside its exact value.

The classes at one point are measured in the same run. Only the score of the mean over all classes,
row `all`, therefore counts as independent.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd

from atlas.fields.columns import Words
from atlas.fields.markers import DrawnAs
from atlas.fields.vocabulary import FractionsOfLimit
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress
from atlas.models.scored import SCORES, scored
from atlas.models.streams import stream_key
from atlas.models.systems import PilotedBlock, SystemBlock, class_names
from atlas.models.warm_up import find_limit, require_short_warm_up
from multiserver.errors import NotKnownError
from multiserver.queue import Queue
from multiserver.simulation.estimate import observations

UNITS = {
    "fraction_of_limit": "1",
    "quantity": Words("name"),
    "mean_response_time": "s",
    "half_width": "s",
    "jobs": "jobs",
    "effective_size": "1",
    "exact": "s",
    **SCORES,
}


class Parameters(SystemBlock, PilotedBlock):
    fractions_of_limit: Annotated[FractionsOfLimit, DrawnAs("loads")]


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per fraction and class, `all` after the classes."""
    queue, key = under_fcfs(parameters.system), stream_key(parameters)
    limit = find_limit(queue, parameters.seed)
    load = queue.system.load(parameters.fractions_of_limit[-1] * limit)
    require_short_warm_up(queue.system, load, "rates")
    names = [*class_names(len(queue.system.classes)), "all"]
    rows = []
    for i, fraction in progress(list(enumerate(parameters.fractions_of_limit))):
        rate = fraction * limit
        result = queue.simulate(arrival_rate=rate, key=(key, i), **parameters.effort())
        estimates = [one.mean_response_time for one in (*result.by_class, result)]
        means = exact_means(queue, rate)
        known = observations(result.jobs / parameters.replications, fraction, rate * means[-1])
        for name, estimate, exact in zip(names, estimates, means, strict=True):
            place = {"fraction_of_limit": fraction, "quantity": name}
            measured = scored(estimate, exact, known, independent=name == "all")
            rows.append(place | {"mean_response_time": estimate.mean} | measured)
    return pd.DataFrame(rows, columns=list(UNITS))


def exact_means(queue: Queue, arrival_rate: float) -> list[float]:
    """E[T_c] of the classes and, last, E[T]; NaN if not known."""
    try:
        result = queue.exact(arrival_rate=arrival_rate)
    except NotKnownError:
        return [math.nan] * (len(queue.system.classes) + 1)
    return [*(c.mean_response_time for c in result.by_class), result.mean_response_time]
