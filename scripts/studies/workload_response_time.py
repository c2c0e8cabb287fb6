"""Mean response time of the jobs of a trace, or of a table of classes, against the load, under
several policies, simulated.

Jobs arrive in a Poisson process, each drawn independently: a need, and a duration that is
exponential with the mean of that need or (`empirical`) one of those that its jobs had. FCFS and
ServerFilling are simulated by the numbers of jobs if durations are exponential (`counts`), all else
job by job. The load is λ/λ_naive. FCFS is unstable from a load of λ*/λ_naive on, which is `limit`:
found exactly where the state space allows and durations are exponential, by simulation otherwise.
Points that are unstable, or at which more than `backlog` jobs come to wait, are infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Literal, Self

import pandas as pd
from pydantic import Field, model_validator

from declared.block import DIFFERENT, WHOLE
from declared.columns import Words
from declared.vocabulary import Loads, Servers
from models.streams import stream_key
from models.systems import SimulatedBlock
from models.trace_systems import make_sizes, make_system, read_classes
from models.workloads import Rounding, States, WorkloadBlock
from multiserver.errors import UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation import (
    class_policies,
    class_queues,
    counts,
    fcfs,
    front,
    front_policies,
)
from multiserver.simulation.estimate import Estimate, fair_half_width
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.saturated import hold

UNITS = {
    "load": "1",
    "policy": Words("name"),
    "arrival_rate": "jobs/s",
    "mean_response_time": "s",
    "half_width": "s",
    "limit": "1",
    "jobs": "jobs",
    "effective_size": "1",
}


class Parameters(WorkloadBlock, SimulatedBlock):
    """What to compute."""

    rounding: Rounding = "powers-of-two"
    servers: Servers
    policies: Annotated[
        list[Literal["fcfs", "preemptive-first-fit", "server-filling"]],
        Field(min_length=1, max_length=3, description="the policies, none twice"),
        DIFFERENT,
    ] = ["fcfs", "preemptive-first-fit", "server-filling"]
    durations: Annotated[
        Literal["exponential", "empirical"],
        Field(
            description="exponential with the mean of each need, or as the jobs of that need had"
            " them"
        ),
    ] = "empirical"
    loads: Loads
    backlog: Annotated[
        int,
        Field(
            ge=1000,
            le=10**9,
            description="jobs in the system, from which a point counts as unstable",
        ),
        WHOLE,
    ] = 131_072
    states: States = 5000

    @model_validator(mode="after")
    def _fit(self) -> Self:
        self.require_room([self.servers], self.rounding)
        if self.durations == "empirical":
            self.require_jobs("durations as jobs had them", "durations")
        if "server-filling" in self.policies:
            self.require_filling(self.servers, self.rounding)
        return self


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a load and policy; all policies of a load are given the same jobs."""
    cells = read_classes(parameters.plain())
    system = make_system(cells, parameters.servers)
    sizes = make_sizes(cells, parameters.durations)
    key = stream_key(parameters)
    limit = find_limit(system, sizes, parameters, key)
    rows = []
    for i, load in progress(list(enumerate(parameters.loads))):
        arrival_rate = load * system.naive_throughput
        workload = Workload(system.servers, system.needs, sizes, system.probabilities, arrival_rate)
        for policy in parameters.policies:
            row = {"load": load, "policy": policy, "arrival_rate": arrival_rate}
            row["limit"] = limit if policy == "fcfs" else math.nan
            stable = policy != "fcfs" or load < limit
            found = simulate(system, workload, policy, parameters, (key, 1, i)) if stable else None
            if found is None:
                row |= {"mean_response_time": math.inf, "half_width": 0.0, "jobs": 0}
            else:
                row |= {
                    "mean_response_time": found.mean,
                    "half_width": fair_half_width(found),
                    "jobs": found.jobs,
                    "effective_size": found.effective_size,
                }
            rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def find_limit(
    system: MultiserverJobSystem, sizes: tuple, parameters: Parameters, key: int
) -> float:
    """λ*/λ_naive of FCFS, which is the utilisation of the saturated system."""
    if parameters.durations == "exponential":
        exact = dispatch.solve_within(system, parameters.states)
        if exact is not None:
            return exact.utilisation
    effort = parameters.model_dump(include={"jobs", "replications", "seed"})
    if parameters.durations == "exponential":
        return counts.hold(system, key=(key, 0), **effort).mean / system.servers
    return hold(system, sizes, key=(key, 0), **effort).mean / system.servers


def simulate(
    system: MultiserverJobSystem,
    workload: Workload,
    policy: str,
    parameters: Parameters,
    key: tuple[int, ...],
) -> Estimate | None:
    """E[T], or None if the queue is unstable.

    Raises `ValueError` if the policy is not for such needs.
    """
    if parameters.durations == "exponential" and policy != "preemptive-first-fit":
        effort = parameters.model_dump(include={"jobs", "replications", "seed"})
        filling, rate = policy == "server-filling", workload.arrival_rate
        return counts.respond(system, rate, filling=filling, key=key, **effort)
    R = parameters.replications
    options = {
        "jobs": math.ceil(parameters.jobs / R),
        "replications": R,
        "seed": parameters.seed,
        "key": key,
    }
    if policy == "fcfs":
        return fcfs.simulate(workload, **options).mean_response_time
    options["limit"] = parameters.backlog
    try:
        if policy == "server-filling":
            model = front_policies.server_filling(workload)
            return front.simulate(workload, model, **options).mean_response_time
        by_class = class_policies.preemptive_first_fit
        return class_queues.simulate(workload, by_class, **options).mean_response_time
    except UnstableError:
        return None
