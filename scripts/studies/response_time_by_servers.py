"""Mean response time under FCFS at one load against the number of servers, exact
(`multiserver.open.head_age`), and by the heavy-traffic formula without its constant,

    E[T] ≈ (E[Δ(Y_d)] + 1)/(λ (1 − λ/λ*)),

which needs the saturated system alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from declared.vocabulary import FractionOfLimit
from models.growing_systems import GrowingBlock, with_phases
from multiserver.open.head_age import prepare
from multiserver.saturated import dispatch

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
        system = parameters.system(servers)
        saturated = dispatch.solve(system)
        rate = parameters.fraction_of_limit * saturated.throughput
        process = prepare(with_phases(system))
        law = process.at(rate)
        distance = 1 - parameters.fraction_of_limit
        rows.append(
            (
                servers,
                system.probabilities[1],
                saturated.throughput,
                law.mean_response_time,
                *law.class_response_times,
                (saturated.relative_completions + 1) / (rate * distance),
                len(process.fronts.head),
            )
        )
    return pd.DataFrame(rows, columns=list(UNITS))
