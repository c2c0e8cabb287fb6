"""The queue at a fixed load against the exponent α that makes large jobs rare.

Jobs need 1, n/2 or n servers, with the probabilities and rates of `scaling-by-exponent`, and arrive
at the rate λ = ρ n / E[S]. Exact; where FCFS is unstable at the load ρ, only λ/λ* is given.
"""

from __future__ import annotations

import math

import pandas as pd

from atlas.fields.block import requirement
from atlas.fields.vocabulary import DearPoints, EvenServers, Exponents, Load
from atlas.models.feasibility import require_solvable
from atlas.models.mixes import MixBlock, build_mix
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress, Row, sample

UNITS = {
    "exponent": "1",
    "arrival_rate": "jobs/s",
    "fraction_of_limit": "1",
    "mean_jobs": "jobs",
    "mean_waiting": "jobs",
    "mean_response_time": "s",
}


class Parameters(MixBlock):
    servers: EvenServers
    load: Load
    exponent: Exponents = [0.0, 3.0]
    points: DearPoints = 151

    @requirement
    def _can_be_solved(self) -> None:
        require_solvable(self.servers, self.needs_of(self.servers))


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per exponent, with more points where a curve bends on a logarithmic axis."""

    def row(alpha: float) -> Row:
        system = build_mix(parameters.plain(), alpha)
        arrival_rate = parameters.load * system.naive_throughput
        queue = under_fcfs(system)
        share = arrival_rate / queue.stability().limit
        means = (math.nan, math.nan, math.nan)
        if share < 1:
            result = queue.exact(arrival_rate=arrival_rate)
            means = (result.mean_jobs, result.mean_waiting, result.mean_response_time)
        return alpha, arrival_rate, share, *means

    rows = sample(
        row,
        parameters.exponent,
        parameters.points,
        lambda point: map(math.log, point[3:]),
        progress=progress,
    )
    return pd.DataFrame(rows, columns=list(UNITS))
