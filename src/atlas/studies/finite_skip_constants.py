"""The constants of the theorem for a finite-skip model, and its bounds on E[T] at some loads.

Constants and bounds are given as printed (`finite-skip`, Corollary 3.8) and `refined`; `exact` is
E[T].
"""

from __future__ import annotations

import math
from dataclasses import asdict

import pandas as pd

from atlas.fields.vocabulary import Loads
from atlas.models.finite_skip_solutions import CoveredBlock

UNITS = {
    "load": "1",
    "mean_size": "s",
    "second_moment": "s^2",
    "nonfull_work": "s",
    "nonbusy_work": "s",
    "service_to_number": "1/jobs",
    "refined_work": "s",
    "lower": "s",
    "refined_lower": "s",
    "exact": "s",
    "refined_upper": "s",
    "upper": "s",
    "pooled": "s",
}


class Parameters(CoveredBlock):
    loads: Loads


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per load."""
    model = parameters.model
    exact, printed, refined = model.exact(), model.constants(), model.constants(refined=True)
    rows = []
    for load in parameters.loads:
        bounds = printed.at(model.arrival_rate(load)).response
        inner = refined.at(model.arrival_rate(load)).response
        rows.append(
            {
                "load": load,
                **asdict(printed),
                "refined_work": refined.nonfull_work,
                "lower": bounds.lower,
                "refined_lower": inner.lower,
                "exact": exact(load)[-1] if exact else math.nan,
                "refined_upper": inner.upper,
                "upper": bounds.upper,
                "pooled": model.pooled(load),
            }
        )
    return pd.DataFrame(rows, columns=list(UNITS))
