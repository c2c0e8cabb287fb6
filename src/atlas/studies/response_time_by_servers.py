"""Mean response time under FCFS at one load against the number of servers.

It is exact, by the cheapest available method, and beside it stands the heavy-traffic formula
without its constant,

    E[T] ≈ (E[Δ(Y_d)] + 1)/(λ (1 − λ/λ*)),

which needs only the saturated system.
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.columns import Words
from atlas.fields.vocabulary import FractionOfLimit
from atlas.models.mixes import GrowingBlock
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress

UNITS = {
    "servers": "servers",
    "probability": "1",
    "limit": "jobs/s",
    "mean_response_time": "s",
    "mean_response_time_small": "s",
    "mean_response_time_large": "s",
    "formula": "s",
    "method": Words("name"),
}


class Parameters(GrowingBlock):
    fraction_of_limit: FractionOfLimit


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers."""
    rows = []
    for servers in progress(parameters.sizes):
        system = parameters.system(servers)
        queue = under_fcfs(system)
        saturated = queue.stability(relative_completions=True)
        rate = parameters.fraction_of_limit * saturated.limit
        result = queue.exact(arrival_rate=rate)
        times = [one.mean_response_time for one in (result, *result.by_class)]
        distance = 1 - parameters.fraction_of_limit
        formula = (saturated.relative_completions + 1) / (rate * distance)
        large, limit = system.probabilities[1], saturated.limit
        rows.append((servers, large, limit, *times, formula, result.method))
    return pd.DataFrame(rows, columns=list(UNITS))
