"""λ* under FCFS against the variability of durations whose means stay: phase-type laws fitted to
the squared coefficient of variation c², exact."""

from __future__ import annotations

from typing import Annotated, Self

import pandas as pd
from pydantic import Field, model_validator

from atlas.fields.block import Block, misfit, require
from atlas.fields.vocabulary import Needs, Positive, Probabilities, Servers
from multiserver.fitting import fit_two_moments
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased
from multiserver.saturated.phased import MOST_FRONTS
from multiserver.simulation.workload import Workload

UNITS = {"scv": "1", "limit": "jobs/s", "utilisation": "1", "relative_completions": "jobs"}


class Parameters(Block):
    """What to compute."""

    servers: Servers
    needs: Needs
    means: Annotated[
        list[Positive],
        Field(min_length=1, max_length=1000, description="the mean durations, class by class"),
    ]
    probabilities: Probabilities
    scvs: Annotated[
        list[Positive],
        Field(min_length=1, max_length=1000, description="c² of all durations, one a point"),
    ]

    @model_validator(mode="after")
    def _can_be_solved(self) -> Self:
        try:
            sizes = tuple(fit_two_moments(mean, self.scvs[0]) for mean in self.means)
            Workload(self.servers, tuple(self.needs), sizes, tuple(self.probabilities), 1.0)
            fronts = max(count_fronts(self.jobs(c), only_full=True)[0] for c in self.scvs)
        except ValueError as error:
            raise misfit(str(error), "a system that can exist, and c² of 1/1000 or more") from None
        require(
            fronts <= MOST_FRONTS,
            f"{fronts:.2g} states of the front at the smallest c²",
            f"at most {MOST_FRONTS}: fewer servers, or a larger c²",
            "scvs",
        )
        return self

    def jobs(self, scv: float) -> PhasedJobs:
        """The system with durations of one c²."""
        sizes = [fit_two_moments(mean, scv) for mean in self.means]
        return PhasedJobs.of(self.servers, self.needs, sizes, self.probabilities)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a c²."""
    rows = []
    for scv in parameters.scvs:
        law = phased.solve(parameters.jobs(scv))
        rows.append((scv, law.throughput, law.utilisation, law.mean_relative_completions))
    return pd.DataFrame(rows, columns=list(UNITS))
