"""P(W > t) and P(T > t) of two classes that stand for a trace or a table of classes, exact.

The distribution for all classes of a cluster is out of reach: dozens of needs on thousands of
servers have too many fronts. Two classes with large needs are within reach; `reduction` says which
two, and to which of them the other jobs are moved (`multiserver.saturated.reduction`). The policy
is FCFS and durations are exponential. The load is λ/λ_naive = λ E[S]/n, which reductions preserve.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import refusing, requirement
from atlas.fields.vocabulary import Load, Points, Servers
from atlas.models.open_fcfs import under_fcfs
from atlas.models.sampling import Progress
from atlas.models.trace_systems import Reduction, make_system, read_classes
from atlas.models.traces import are_cpus
from atlas.models.workloads import RoundedBlock
from atlas.studies.time_tail import UNITS as TIME_UNITS
from atlas.studies.time_tail import Least, tails
from multiserver.errors import NotKnownError, UnstableError
from multiserver.saturated.reduction import reduce

UNITS = TIME_UNITS


class Parameters(RoundedBlock):
    servers: Servers
    reduction: Annotated[
        Reduction, Field(description="which two needs stand for all, and how the others are moved")
    ] = "extremes-nearest"
    load: Load
    least: Least = 1e-6
    points: Points = 200

    @requirement
    def _fit(self) -> None:
        self.require_room(self.servers)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per class and time t, `all` after the classes. Raises a misfit if the queue is not
    stable, or the distribution is out of reach."""
    given = parameters.plain()
    cells = read_classes(given, progress)
    whole = make_system(cells, parameters.servers, by_cpus=are_cpus(given))
    system = reduce(whole, *parameters.reduction.split("-"))
    with (
        refusing("fewer servers, or workload-time-quantiles", "servers", of=NotKnownError),
        refusing("a lower load", "load", of=UnstableError),
    ):
        found = under_fcfs(system).distribution(load=parameters.load)
    return tails(found, parameters.least, parameters.points)
