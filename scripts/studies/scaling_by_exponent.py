"""Throughput and relative completions against the exponent α that makes large jobs rare.

The systems are those of `models.mixes`. The exact method is picked for each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from declared.vocabulary import DearPoints, EvenServers, Exponents
from models.mixes import MixBlock, build_mix
from multiserver.saturated import dispatch

UNITS = {
    "exponent": "1",
    "p_large": "1",
    "throughput": "jobs/s",
    "relative_completions": "jobs",
    "utilisation": "1",
    "method": "name",
}


class Parameters(MixBlock):
    """What to compute."""

    servers: EvenServers
    exponent: Exponents = [0.0, 3.0]
    points: DearPoints = 121


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row an exponent."""
    rows = []
    for alpha in progress(np.linspace(*parameters.exponent, parameters.points)):
        system = build_mix(parameters.plain(), float(alpha))
        means = dispatch.solve(system)
        rows.append(
            {
                "exponent": alpha,
                "p_large": parameters.servers**-alpha,
                "throughput": means.throughput,
                "relative_completions": means.relative_completions,
                "utilisation": means.utilisation,
                "method": means.method,
            }
        )
    return pd.DataFrame(rows)
