"""λ* under FCFS against the variability of durations with fixed means, exact.

Durations are phase-type, fitted to the squared coefficient of variation c².
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import Block, refusing, require, requirement
from atlas.fields.vocabulary import DearPoints, Needs, Positive, Probabilities, Range, Servers
from atlas.models.sampling import Progress, Row, sample
from multiserver.fitting import fit_two_moments
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased
from multiserver.saturated.phased import MOST_FRONTS
from multiserver.simulation.workload import Workload

UNITS = {"scv": "1", "limit": "jobs/s", "utilisation": "1", "relative_completions": "jobs"}


class Parameters(Block):
    servers: Servers
    needs: Needs
    means: Annotated[
        list[Positive],
        Field(min_length=1, max_length=1000, description="the mean durations, class by class"),
    ]
    probabilities: Probabilities
    scv: Annotated[Range, Field(description="the ends [from, to] of the axis of c²")]
    points: DearPoints = 61

    @requirement
    def _can_be_solved(self) -> None:
        with refusing("a system that can exist, and c² of 1/1000 or more"):
            sizes = tuple(fit_two_moments(mean, self.scv[0]) for mean in self.means)
            Workload(self.servers, tuple(self.needs), sizes, tuple(self.probabilities), 1.0)
            fronts = max(count_fronts(self.jobs(c), only_full=True)[0] for c in self.scv)
        require(
            fronts <= MOST_FRONTS,
            f"{fronts:.2g} states of the front at the smallest c²",
            f"at most {MOST_FRONTS}: fewer servers, or a larger c²",
            "scv",
        )

    def jobs(self, scv: float) -> PhasedJobs:
        """The system with durations of this c²."""
        sizes = [fit_two_moments(mean, scv) for mean in self.means]
        return PhasedJobs.of(self.servers, self.needs, sizes, self.probabilities)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per c², with more points where the curve bends. It has a kink wherever 1/c² is a
    whole number, because the number of phases changes there."""

    def row(log_scv: float) -> Row:
        scv = math.exp(log_scv)
        result = phased.solve(parameters.jobs(scv))
        return scv, result.throughput, result.utilisation, result.mean_relative_completions

    ends = [math.log(scv) for scv in parameters.scv]
    rows = sample(row, ends, parameters.points, lambda point: point[2:3], progress=progress)
    return pd.DataFrame(rows, columns=list(UNITS))
