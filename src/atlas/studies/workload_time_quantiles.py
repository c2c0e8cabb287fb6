"""Quantiles of waiting and response times of a trace or a table of classes, simulated job by job.

Jobs arrive in a Poisson process and are drawn independently: a need, and a duration that is
exponential with the mean of that need or (`empirical`) drawn from the durations of that need.
Classes are the needs, in increasing order. The load is λ/λ_naive = λ E[S]/n. Exact quantiles are
known only for few classes (`workload-time-tail`).
"""

from __future__ import annotations

from typing import Self

import pandas as pd
from pydantic import model_validator

from atlas.fields.vocabulary import Loads, Servers
from atlas.models.policies import PolicyBlock, read_policy
from atlas.models.sampling import Progress
from atlas.models.systems import SimulatedBlock, with_sizes
from atlas.models.times import QuantilesAt
from atlas.models.trace_systems import (
    Durations,
    make_sizes,
    make_system,
    of_needs,
    read_classes,
    source_of,
    system_of_classes,
)
from atlas.models.warm_up import count_warm_up, require_warm_up
from atlas.models.workloads import RoundedBlock
from atlas.studies.simulated_time_quantiles import UNITS as TIME_UNITS
from atlas.studies.simulated_time_quantiles import sampled

UNITS = TIME_UNITS


class Parameters(RoundedBlock, SimulatedBlock):
    servers: Servers
    policy: PolicyBlock = PolicyBlock(name="fcfs")
    durations: Durations = "exponential"
    loads: Loads
    probabilities: QuantilesAt

    @model_validator(mode="after")
    def _fit(self) -> Self:
        self.require_room(self.servers)
        if self.durations == "empirical":
            self.require_jobs("durations as jobs had them", "durations")
        self.policy.require_of(of_needs(self.needs, self.servers, self.rounding), "policy")
        if known := system_of_classes(self, self.servers):
            require_warm_up(known, self.loads[-1], "classes")
        return self

    @property
    def further_jobs(self) -> int:
        """The jobs that arrive before the replications measure, at the highest load; 0 of a log."""
        known = system_of_classes(self, self.servers)
        return count_warm_up(known, self.loads[-1], self.replications) if known else 0


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, class, time and probability. Raises `UnstableError`."""
    cells = read_classes(parameters.plain())
    sizes = make_sizes(cells, parameters.durations)
    system = with_sizes(make_system(cells, parameters.servers), sizes)
    require_warm_up(system, parameters.loads[-1], source_of(parameters))
    queue = system.under(read_policy(parameters.policy.plain()))
    return sampled(queue, parameters, progress)
