"""Servers wasted by FCFS on the jobs of a trace or a table of classes, by number of servers.

| method         | what it takes from the trace                                                 |
|----------------|------------------------------------------------------------------------------|
| exact          | needs, their frequencies and mean durations; exponential durations           |
| <pick>-nearest | two classes, each job moved to the need that is nearest on a log scale       |
| <pick>-mixed   | two classes, each job moved to either at random; mean needs are kept         |
| exponential    | as `exact`, simulated job by job                                             |
| counted        | as `exact`, simulated by the numbers of jobs in service                      |
| constant       | as `exact`, but all jobs of a class have the same duration; job by job       |
| varied         | as `exact`, but durations have the squared coefficient of variation `scv`    |
| sampled        | needs and durations drawn together, each job independently                   |
| replayed       | the first `jobs` jobs themselves, in order; throughputs are those of these   |

The picks of two needs are `extremes` (the smallest and the largest), `common` (those of most jobs)
and `heavy` (those of most server-seconds); see `multiserver.saturated.reduction`.

Simulated systems are saturated: a job is always waiting (`multiserver.simulation.saturated`, and
`counts` for `counted` and `varied`; the durations of `varied` have two exponential branches). A
class without a job in a replication holds no servers in it: `jobs` must be many times the
`replications` over the least share of the jobs.
"""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field, model_validator

from atlas.fields.block import AS_WRITTEN, DIFFERENT, INCREASING, refusing, require, requirement
from atlas.fields.columns import Words
from atlas.fields.markers import Axis
from atlas.fields.vocabulary import Servers
from atlas.models.sampling import Progress
from atlas.models.scored import AGAINST_EXACT, scored
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from atlas.models.trace_systems import (
    Reduction,
    make_sizes,
    make_system,
    read_classes,
    round_up,
    split_branches,
)
from atlas.models.traces import are_cpus, read_jobs
from atlas.models.workloads import RoundedBlock, States
from multiserver.errors import NotSampledError
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.saturated.reduction import PICKS, reduce
from multiserver.simulation import exponential_counts
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.saturated import mean_servers_held, replay, withhold_if_rare
from multiserver.simulation.workload import TooManyJobsError, Workload, refuse_endless

Method = Literal[
    "exact", Reduction, "exponential", "counted", "constant", "varied", "sampled", "replayed"
]
# The durations of the methods simulated job by job, and the random stream of each method.
DISTRIBUTIONS = {"exponential": "exponential", "sampled": "empirical", "constant": "constant"}
STREAMS = {"exponential": 0, "sampled": 1, "counted": 2, "varied": 3, "constant": 4}
EXPONENTIAL = ("exponential", "counted")
# That a simulation takes on any machine of this decade, or a little less.
SECONDS_A_JOB = 1e-7

UNITS = {
    "servers": "servers",
    "method": Words("name"),
    "naive_throughput": "jobs/s",
    "throughput": "jobs/s",
    "throughput_half_width": "jobs/s",
    "wastage": "servers",
    "wastage_half_width": "servers",
    "utilisation": "1",
    "utilisation_half_width": "1",
    "needs": Words("text"),
    "note": Words("text"),
    "jobs": "jobs",
    "effective_size": "1",
    **AGAINST_EXACT,
}


class Parameters(RoundedBlock, SimulatedBlock):
    servers: Annotated[
        list[Servers],
        Field(min_length=1, max_length=1000, description="the numbers of servers"),
        INCREASING,
        Axis(),
    ]
    methods: Annotated[
        list[Method],
        Field(
            min_length=1,
            max_length=13,
            description="the methods, none twice; of a table of classes, if not said, exact and"
            " exponential",
        ),
        DIFFERENT,
    ] = ["exact", "exponential", "sampled", "replayed"]
    states: States = 5000
    scv: Annotated[
        float,
        Field(ge=1, le=1000, description="c² of the durations of `varied`, at least 1"),
        AS_WRITTEN,
    ] = 10

    @model_validator(mode="before")
    @classmethod
    def _without_jobs(cls, given: Any) -> Any:
        """The usual methods of a table of classes, which has no jobs to sample or replay."""
        usual = {"methods": ["exact", "exponential"]}
        return usual | given if isinstance(given, dict) and "classes" in given else given

    @requirement
    def _fit(self) -> None:
        self.require_room(*self.servers)
        for method in ("sampled", "replayed"):
            if method in self.methods:
                self.require_jobs(f"the method {method}", "methods", "[exact, exponential]")

    @property
    def further_jobs(self) -> int:
        """The jobs of a point on the most servers beyond `jobs`; 0 of a log, or if too many."""
        if self.classes is None:
            return 0
        cells = read_classes(self.plain())
        jobs = make_system(cells, self.servers[-1]), cells, self
        simulated = [method for method in self.methods if method in STREAMS]
        with suppress(TooManyJobsError):
            return max(sum(_count_jobs(method, *jobs) for method in simulated) - self.jobs, 0)
        return 0


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers and method; NaN where a method does not apply."""
    given = parameters.plain()
    cells, by_cpus = read_classes(given), are_cpus(given)
    _require_time(make_system(cells, parameters.servers[-1], by_cpus=by_cpus), cells, parameters)
    replayed = read_jobs(given) if "replayed" in parameters.methods else None
    rows = []
    for i, servers in progress(list(enumerate(parameters.servers))):
        system = make_system(cells, servers, by_cpus=by_cpus)
        exact = dispatch.solve_within(system, parameters.states)
        for method in parameters.methods:
            row = {"servers": servers, "method": method}
            pick, _, split = method.partition("-")
            if method == "exact":
                row |= _solved(system, exact)
            elif pick in PICKS:
                small = reduce(system, pick, split)
                row |= _solved(small, dispatch.solve(small, relative_completions=False))
            elif method == "replayed":
                needs, durations = (column[: parameters.jobs] for column in replayed)
                found = f"replayed, of a log of {len(needs)} jobs"
                at = "methods", parameters.methods.index("replayed")
                require(len(needs) >= 4, found, "at least 4 jobs, for two batches", *at)
                needs = round_up(needs, parameters.rounding)
                demand = float(needs @ durations) / len(needs)
                try:
                    held = replay(servers, needs, durations, parameters.replications)
                    held = _judge(held, system, cells, parameters, i)
                    row |= _simulated(system, held, demand=demand)
                except NotSampledError as error:
                    row |= {"naive_throughput": servers / demand, "note": str(error)}
            else:
                held = _hold(method, system, cells, parameters, i)
                row |= _simulated(system, held, exact if method in EXPONENTIAL else None)
            rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def _require_time(
    system: MultiserverJobSystem, cells: pd.DataFrame, parameters: Parameters
) -> None:
    """Raise a misfit if a simulation on the most servers, where the most jobs come while one stays,
    takes too many jobs. Say on standard error if one takes minutes."""
    expected = "jobs whose durations or shares are less far apart, or a method that simulates none"
    for i, method in enumerate(parameters.methods):
        if method not in STREAMS:
            continue
        with refusing(expected, "methods", i):
            jobs = _count_jobs(method, system, cells, parameters)
        if (minutes := jobs * SECONDS_A_JOB / 60) >= 1:
            print(
                f"workload-wastage: {method} takes {jobs:.1e} jobs on {system.servers} servers, as"
                f" some jobs stay long or are rare: about {minutes:.0f} min a point",
                file=sys.stderr,
            )


def _count_jobs(
    method: str, system: MultiserverJobSystem, cells: pd.DataFrame, parameters: Parameters
) -> int:
    """The jobs of a point, warm-up included. Raises `TooManyJobsError`."""
    each, sizes = math.ceil(parameters.jobs / parameters.replications), None
    if method in ("counted", "varied"):
        system = split_branches(system, parameters.scv if method == "varied" else 1)
        each = exponential_counts.measured_jobs(system, parameters.jobs, parameters.replications)
    else:
        sizes = make_sizes(cells, DISTRIBUTIONS[method])
    workload = Workload.of(system, system.naive_throughput)
    workload = replace(workload, sizes=sizes or workload.sizes)
    refuse_endless(workload)
    return parameters.replications * (each + workload.least_warm_up)


def _hold(
    method: str, system: MultiserverJobSystem, cells: pd.DataFrame, parameters: Parameters, i: int
) -> Estimate:
    """The servers held by simulated jobs, on the i-th number of servers."""
    effort = parameters.effort()
    key = (stream_key(parameters), i, STREAMS[method])
    if method in ("counted", "varied"):
        scv = parameters.scv if method == "varied" else 1
        return exponential_counts.mean_servers_held(split_branches(system, scv), key=key, **effort)
    return mean_servers_held(system, make_sizes(cells, DISTRIBUTIONS[method]), key=key, **effort)


def _judge(
    held: Estimate,
    system: MultiserverJobSystem,
    cells: pd.DataFrame,
    parameters: Parameters,
    i: int,
) -> Estimate:
    """The servers held by replayed jobs, which see as little of what is rare as sampled ones."""
    effort = {"seed": parameters.seed, "key": (stream_key(parameters), i, STREAMS["sampled"])}
    return withhold_if_rare(system, make_sizes(cells, "empirical"), held, **effort)


def _solved(system: MultiserverJobSystem, means: dispatch.SaturatedMeans | None) -> dict[str, Any]:
    row = {"naive_throughput": system.naive_throughput}
    if means is None:
        return row | {"note": "too many states"}
    return row | {
        "throughput": means.throughput,
        "wastage": means.wastage,
        "utilisation": means.utilisation,
        "needs": " ".join(map(str, sorted(system.needs))),
        "note": means.method,
    }


def _simulated(
    system: MultiserverJobSystem,
    held: Estimate,
    exact: dispatch.SaturatedMeans | None = None,
    demand: float | None = None,
) -> dict[str, Any]:
    """The row of jobs of a mean `demand`, if it is not that of the system."""
    n, demand = system.servers, demand or system.mean_demand
    half_width = held.half_width
    return {
        "naive_throughput": n / demand,
        "throughput": held.mean / demand,
        "throughput_half_width": half_width / demand,
        "wastage": n - held.mean,
        "wastage_half_width": half_width,
        "utilisation": held.mean / n,
        "utilisation_half_width": half_width / n,
        "needs": " ".join(map(str, sorted(system.needs))),
        "note": "; ".join(filter(None, ("simulated", held.caveat))),
        **scored(held, math.nan if exact is None else n - exact.wastage),
    }
