"""Wasted servers of a two-class system against the ratio of its service rates.

By Claim 1 of `two-class-stability` only the ratio matters. Every row has the exact limits at both
ends, and the paper's approximation of the upper one.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import InnerProbability, Points, Range
from atlas.models.feasibility import SweptBlock
from multiserver.saturated import limits, two_class

UNITS = {
    "rate_ratio": "1",
    "wastage": "servers",
    "wastage_per_need2": "1",
    "utilisation": "1",
    "slow_limit": "servers",
    "fast_limit": "servers",
    "fast_approximation": "servers",
}


class Parameters(SweptBlock):
    probability_2: InnerProbability
    rate_ratio: Annotated[Range, Resolution()] = [1.0e-3, 1.0e4]
    points: Points = 701


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per ratio μ2/μ1, evenly spaced on a logarithmic axis."""
    servers, needs, p2 = parameters.servers, parameters.needs, parameters.probability_2
    ratio = np.geomspace(*parameters.rate_ratio, parameters.points)
    swept = two_class.sweep(servers, needs, (1.0, ratio), p2)
    return pd.DataFrame(
        {
            "rate_ratio": ratio,
            "wastage": swept.wastage,
            "wastage_per_need2": swept.wastage / needs[1],
            "utilisation": swept.utilisation,
            "slow_limit": limits.slow_class_2_wastage(servers, needs),
            "fast_limit": limits.fast_class_2_wastage(servers, needs, p2),
            "fast_approximation": limits.approximate_fast_class_2_wastage(needs, p2),
        }
    )
