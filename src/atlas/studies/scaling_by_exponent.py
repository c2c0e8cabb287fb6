"""Throughput and relative completions against the exponent α that makes large jobs rare.

The systems are those of `models.mixes`. The exact method is chosen at each point.
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.columns import Words
from atlas.fields.vocabulary import DearPoints, EvenServers, Exponents
from atlas.models.mixes import MixBlock, build_mix
from atlas.models.sampling import Progress, Row, sample
from multiserver.saturated import dispatch

UNITS = {
    "exponent": "1",
    "p_large": "1",
    "throughput": "jobs/s",
    "relative_completions": "jobs",
    "utilisation": "1",
    "method": Words("name"),
}


class Parameters(MixBlock):
    servers: EvenServers
    exponent: Exponents = [0.0, 3.0]
    points: DearPoints = 121


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per exponent, with more points where a curve bends."""

    def row(alpha: float) -> Row:
        means = dispatch.solve(build_mix(parameters.plain(), alpha))
        drawn = means.throughput, means.relative_completions, means.utilisation
        return alpha, parameters.servers**-alpha, *drawn, means.method

    rows = sample(
        row, parameters.exponent, parameters.points, lambda point: point[2:5], progress=progress
    )
    return pd.DataFrame(rows, columns=list(UNITS))
