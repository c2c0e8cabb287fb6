"""Wasted servers of a two-class system over the plane of the odds p2/p1 and the ratio μ2/μ1.

Wastage has ridges along which (p2/p1)/(μ2/μ1), the odds per rate, is constant. The plane is sampled
on lines of constant odds per rate, which are denser where wastage bends, at ratios evenly spaced on
a logarithmic axis.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import pandas as pd

from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import FewPoints, Range
from atlas.models.feasibility import SweptBlock
from atlas.models.sampling import Row, sample
from multiserver.saturated import two_class

UNITS = {
    "p2": "1",
    "odds": "1",
    "rate_ratio": "1",
    "odds_per_rate": "1",
    "wastage": "servers",
    "wastage_per_need2": "1",
    "utilisation": "1",
}


class Parameters(SweptBlock):
    odds: Range = [1.0e-3, 1.0e3]
    rate_ratio: Annotated[Range, Resolution()] = [1.0e-3, 1.0e4]
    points: FewPoints = 71

    @property
    def solved_points(self) -> int:
        return 3 * self.points**2


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per point, line by line: `points` on each of at most three times as many lines. The
    lines extend beyond the `odds`, so that they cover the plane."""
    servers, needs = parameters.servers, parameters.needs
    ratio = np.geomspace(*parameters.rate_ratio, parameters.points)

    def row(slant: float) -> Row:
        odds = math.exp(slant) * ratio
        return slant, two_class.sweep(servers, needs, (1.0, ratio), odds / (1 + odds))

    few, many = parameters.odds
    ends = math.log(few / ratio[-1]), math.log(many / ratio[0])
    sweeps = sample(row, ends, 3 * parameters.points, lambda row: row[1].wastage)
    odds_per_rate = np.exp([slant for slant, _ in sweeps])[:, None]
    wastage = np.array([swept.wastage for _, swept in sweeps])
    odds = odds_per_rate * ratio
    columns = {
        "p2": odds / (1 + odds),
        "odds": odds,
        "rate_ratio": ratio,
        "odds_per_rate": odds_per_rate,
        "wastage": wastage,
        "wastage_per_need2": wastage / needs[1],
        "utilisation": np.array([swept.utilisation for _, swept in sweeps]),
    }
    return pd.DataFrame(
        {name: np.broadcast_to(x, wastage.shape).ravel() for name, x in columns.items()}
    )
