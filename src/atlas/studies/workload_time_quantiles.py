"""Quantiles of waiting and response times of a trace or a table of classes, simulated job by job.

Jobs arrive in a Poisson process and are drawn independently: a need, and a duration that is
exponential with the mean of that need or (`empirical`) drawn from the durations of that need.
Classes are the needs, in increasing order. The load is λ/λ_naive = λ E[S]/n. Exact quantiles are
known only for few classes (`workload-time-tail`).
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.block import requirement
from atlas.fields.vocabulary import Loads, Servers
from atlas.models.policies import PolicyBlock, read_policy
from atlas.models.sampling import Progress
from atlas.models.systems import SimulatedBlock, with_sizes
from atlas.models.times import QuantilesAt
from atlas.models.trace_systems import (
    Durations,
    WorkloadAtLoads,
    make_sizes,
    make_system,
    of_needs,
    read_classes,
)
from atlas.models.traces import are_cpus
from atlas.models.warm_up import require_short_warm_up
from atlas.models.workloads import RoundedBlock
from atlas.studies.simulated_time_quantiles import UNITS as TIME_UNITS
from atlas.studies.simulated_time_quantiles import sampled

UNITS = TIME_UNITS


class Parameters(WorkloadAtLoads, RoundedBlock, SimulatedBlock):
    servers: Servers
    policy: PolicyBlock = PolicyBlock(name="fcfs")
    durations: Durations = "exponential"
    loads: Loads
    probabilities: QuantilesAt

    @requirement
    def _fit(self) -> None:
        self.require_room(self.servers)
        if self.durations == "empirical":
            self.require_jobs("durations: empirical", "durations", "exponential")
        self.policy.require_of(of_needs(self.needs, self.servers, self.rounding), "policy")
        self.require_short_warm_up("classes")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, class, time and probability. Raises a misfit if the queue is not
    stable."""
    given = parameters.plain()
    cells = read_classes(given)
    sizes = make_sizes(cells, parameters.durations)
    system = with_sizes(make_system(cells, parameters.servers, by_cpus=are_cpus(given)), sizes)
    require_short_warm_up(system, parameters.loads[-1], parameters.jobs_key)
    queue = system.under(read_policy(parameters.policy.plain()))
    return sampled(queue, parameters, progress)
