"""The peak of mean relative completions and the inflection of throughput by number of servers.

The systems are those of `scaling-by-exponent`. Besides the peak of E[Δ(Y_d)] over α, its values are
given at balanced load, α = 1, and at p = 1/(n ln n), where it is asymptotically largest.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import INCREASING, require, requirement
from atlas.fields.vocabulary import EvenServers, Exponents
from atlas.models.mixes import MixBlock, build_mix
from atlas.models.sampling import Progress
from multiserver.saturated import dispatch
from multiserver.saturated.peak import find_highest

UNITS = {
    "servers": "servers",
    "peak_exponent": "1",
    "peak": "jobs",
    "predicted_exponent": "1",
    "inflection_exponent": "1",
    "at_balanced": "jobs",
    "at_borderline": "jobs",
}

# The step of the second difference that finds the inflection: errors are of order STEP².
STEP = 1e-3


class Parameters(MixBlock):
    sizes: Annotated[
        list[EvenServers],
        Field(min_length=1, max_length=100, description="the numbers of servers, all even"),
        INCREASING,
    ]
    exponent: Exponents = [0.05, 3.0]

    @requirement
    def _leaves_room(self) -> None:
        found = f"an axis from {self.exponent[0]}"
        require(self.exponent[0] >= STEP, found, f"one from at least {STEP}", "exponent")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers."""
    return pd.DataFrame([_row(parameters, n) for n in progress(parameters.sizes)])


def _row(parameters: Parameters, n: int) -> dict[str, float]:
    mix = parameters.plain() | {"servers": n}
    borderline = 1 + np.log(np.log(n)) / np.log(n)

    def relative(alpha: float) -> float:
        return dispatch.solve(build_mix(mix, alpha)).relative_completions

    def throughput(alpha: float) -> float:
        return dispatch.solve(build_mix(mix, alpha), relative_completions=False).throughput

    def slope(alpha: float) -> float:
        return throughput(alpha + STEP) - throughput(alpha - STEP)

    grid = np.linspace(*parameters.exponent, 31)
    peak = find_highest(relative, grid)
    return {
        "servers": n,
        "peak_exponent": peak,
        "peak": relative(peak),
        "predicted_exponent": borderline,
        "inflection_exponent": find_highest(slope, grid),
        "at_balanced": relative(1.0),
        "at_borderline": relative(borderline),
    }
