"""The stability region of a two-class system: its boundary (λ* p1, λ* p2) as p2 goes from 0 to 1.

The points are spread over class 2's share of the demand. Spread over p2, they would be sparse
where class 2 jobs are rare but large.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from atlas.fields.vocabulary import Points, TwoRates
from atlas.models.feasibility import SweptBlock
from multiserver.saturated import two_class

UNITS = {
    "load_share_2": "1",
    "p2": "1",
    "throughput": "jobs/s",
    "lambda1": "jobs/s",
    "lambda2": "jobs/s",
    "naive_lambda1": "jobs/s",
    "naive_lambda2": "jobs/s",
    "wastage": "servers",
    "utilisation": "1",
}


class Parameters(SweptBlock):
    rates: TwoRates
    points: Points = 401


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per mix, from class 1 only to class 2 only."""
    servers, needs, rates = parameters.servers, parameters.needs, parameters.rates
    share = (1 - np.cos(np.linspace(0, np.pi, parameters.points))) / 2
    demand_1, demand_2 = (need / rate for need, rate in zip(needs, rates, strict=True))
    p2 = share * demand_1 / (share * demand_1 + (1 - share) * demand_2)
    swept = two_class.sweep(servers, needs, rates, p2)
    naive = servers / ((1 - p2) * demand_1 + p2 * demand_2)
    return pd.DataFrame(
        {
            "load_share_2": share,
            "p2": p2,
            "throughput": swept.throughput,
            "lambda1": swept.throughput * (1 - p2),
            "lambda2": swept.throughput * p2,
            "naive_lambda1": naive * (1 - p2),
            "naive_lambda2": naive * p2,
            "wastage": swept.wastage,
            "utilisation": swept.utilisation,
        }
    )
