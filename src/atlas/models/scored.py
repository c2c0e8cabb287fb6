"""Simulated values beside exact ones, as the tables of studies hold them."""

from __future__ import annotations

import math
from typing import Any

from atlas.fields.columns import Truth
from multiserver.simulation.estimate import Estimate, fair_half_width, score

# The units of the last of these columns.
AGAINST_EXACT = {"z": "1", "inside": Truth("whether the 95 % interval holds the exact value")}
SCORES = {"score": "1", **AGAINST_EXACT}


def scored(
    estimate: Estimate,
    exact: float = math.nan,
    known: float | None = None,
    *,
    independent: bool = True,
) -> dict[str, Any]:
    """The columns of an estimate, with its score against the `exact` value, if that is not NaN.
    Scores of one run count once, so `z` is that of the `independent` row alone."""
    z = math.nan if math.isnan(exact) else score(estimate, exact, known)
    half_width = fair_half_width(estimate, known)
    return {
        "half_width": half_width,
        "jobs": estimate.jobs,
        "effective_size": estimate.effective_size,
        "exact": exact,
        "score": z,
        "z": z if independent else math.nan,
        "inside": None if math.isnan(z) else abs(estimate.mean - exact) <= half_width,
    }
