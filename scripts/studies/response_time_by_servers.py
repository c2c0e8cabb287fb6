"""Mean response time under FCFS at one load against the number of servers, exact as far as the
solver reaches (`multiserver.open.head_age`), and by the heavy-traffic formula without its constant,

    E[T] ≈ (E[Δ(Y_d)] + 1)/(λ (1 − λ/λ*)),

which needs the saturated system alone. Where too many fronts matter there is no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from declared.vocabulary import FractionOfLimit
from models.growing_systems import GrowingBlock
from multiserver.errors import TooLargeError
from multiserver.open.head_age import prepare
from multiserver.saturated import phased

UNITS = {
    "servers": "servers",
    "probability": "1",
    "limit": "jobs/s",
    "mean_response_time": "s",
    "mean_response_time_small": "s",
    "mean_response_time_large": "s",
    "formula": "s",
    "fronts": "1",
}


class Parameters(GrowingBlock):
    """What to compute."""

    fraction_of_limit: FractionOfLimit


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a number of servers."""
    rows = []
    for servers in progress(parameters.sizes):
        jobs = parameters.jobs(servers)
        try:
            process = prepare(jobs)
        except TooLargeError:
            continue
        rate = parameters.fraction_of_limit * process.limit
        law = process.at(rate)
        fronts = (process.all_fronts or process).fronts
        completions = phased.of_fronts(fronts).mean_relative_completions
        formula = (completions + 1) / (rate * (1 - parameters.fraction_of_limit))
        rows.append(
            (
                servers,
                jobs.probabilities[1],
                process.limit,
                law.mean_response_time,
                *law.class_response_times,
                formula,
                len(process.fronts.head),
            )
        )
    return pd.DataFrame(rows, columns=list(UNITS))
