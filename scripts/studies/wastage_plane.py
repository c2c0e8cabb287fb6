"""Wasted servers of a two-class system over the plane of the odds p2/p1 and the ratio μ2/μ1."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from declared.vocabulary import FewPoints, Range
from models.feasibility import require_states
from models.systems import TwoNeedsBlock
from multiserver.saturated import two_class

UNITS = {
    "p2": "1",
    "odds": "1",
    "rate_ratio": "1",
    "wastage": "servers",
    "wastage_per_need2": "1",
    "utilisation": "1",
}


class Parameters(TwoNeedsBlock):
    """What to compute."""

    odds: Range = [1.0e-3, 1.0e3]
    rate_ratio: Range = [1.0e-3, 1.0e4]
    points: FewPoints = 101

    @model_validator(mode="after")
    def _is_within_reach(self) -> Self:
        require_states(self.servers, self.needs[0], self.points**2)
        return self


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a point of the plane, p2 by p2."""
    servers, needs = parameters.servers, parameters.needs
    odds = np.geomspace(*parameters.odds, parameters.points)[:, None]
    ratio = np.geomspace(*parameters.rate_ratio, parameters.points)[None, :]
    p2 = odds / (1 + odds)
    swept = two_class.sweep(servers, needs, (1.0, ratio), p2)
    columns = {
        "p2": p2,
        "odds": odds,
        "rate_ratio": ratio,
        "wastage": swept.wastage,
        "wastage_per_need2": swept.wastage / needs[1],
        "utilisation": swept.utilisation,
    }
    shape = swept.wastage.shape
    return pd.DataFrame({name: np.broadcast_to(x, shape).ravel() for name, x in columns.items()})
