"""Statistics of a log on the servers it ran on: arrival rates, loads and waiting times, by class.

A class is a range of needs (`largest_needs`). Waiting times are those of the log, from submission
to start, over the `timed` jobs, for which both are known; a job that waited for another, as users
may ask for, counts as waiting. Mean response times add the durations. `requested` jobs have a
requested time, and `mean_request` is the mean of these over the mean of their durations (a mean of
ratios would be that of the few shortest jobs); the squared coefficient of variation of durations is
`scv`. Every row has the number of `untimed` jobs, which are left out
because the log has no time of submission for them; the study `trace-rows` counts the other rows
left out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.columns import Words
from atlas.fields.vocabulary import InnerProbability, Servers
from atlas.models.logs import classify, read_log
from atlas.models.sampling import Progress
from atlas.models.systems import class_names
from atlas.models.workloads import LogBlock

UNITS = {
    "class": Words("name"),
    "jobs": "jobs",
    "arrival_rate": "jobs/s",
    "load": "1",
    "mean_need": "servers",
    "mean_duration": "s",
    "scv": "1",
    "timed": "jobs",
    "mean_waiting": "s",
    "quantile_waiting": "s",
    "mean_response": "s",
    "requested": "jobs",
    "mean_request": "1",
    "untimed": "jobs",
    "span": "s",
}


class Parameters(LogBlock):
    servers: Servers
    probability: Annotated[
        InnerProbability, Field(description="of the quantile of the waiting time")
    ] = 0.95


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per class, `all` after the classes; NaN for a mean over no jobs."""
    log, n = read_log(parameters.plain(), progress), parameters.servers
    log.require_servers(n, "servers")
    classes = classify(log.needs, parameters.largest_needs)
    groups = {name: classes == c for c, name in enumerate(class_names(parameters.classes))}
    rows = []
    for name, mine in (groups | {"all": np.ones(len(classes), dtype=bool)}).items():
        needs, durations, waits = log.needs[mine], log.durations[mine], log.waits[mine]
        share, timed = mine.mean(), np.isfinite(waits)
        requested = np.isfinite(log.requests[mine])
        row = {
            "class": name,
            "jobs": mine.sum(),
            "arrival_rate": share * log.arrival_rate,
            "load": share * log.arrival_rate * _mean(needs * durations) / n if share else 0.0,
            "mean_need": _mean(needs),
            "mean_duration": _mean(durations),
            "scv": _mean((durations - _mean(durations)) ** 2) / _mean(durations) ** 2,
            "timed": timed.sum(),
            "mean_waiting": _mean(waits[timed]),
            "quantile_waiting": _quantile(waits[timed], parameters.probability),
            "mean_response": _mean((waits + durations)[timed]),
            "requested": requested.sum(),
            "mean_request": _mean(log.requests[mine][requested]) / _mean(durations[requested]),
            "untimed": log.untimed,
            "span": log.span,
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


def _quantile(values: np.ndarray, probability: float) -> float:
    """The least t such that at least a share p of the values is at most t."""
    if not len(values):
        return math.nan
    # As a float, 0.07 of 100 is more than 7.
    rank = math.ceil(Fraction(str(probability)) * len(values))
    return float(np.partition(values, rank - 1)[rank - 1])
