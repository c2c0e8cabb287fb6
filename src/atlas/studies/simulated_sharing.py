"""Mean service rates with service interruptions (Algorithm 1), simulated job by job.

A point is a load ρ and a mean number m of interruptions per job. At effort `paper` the spread of
the first `PILOT` replications determines how many bring the 95 % half-width of every γ_i to
`half_width`. Each has `jumps` jumps after a warm-up of `warmup` or, if these are more, `LONG` times
the settling time of the queue after a warm-up of that time. `as-printed` is 100 runs of 1e6 jumps
after 1e6, as in `parallel-processing`, Section 8. `quick` and a number of jumps are short runs of
fixed length.

Each rate is given with that of balanced fairness, which is exact if sizes are exponential. The
classes at a point are measured in the same run, so only the score of the last counts as
independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import AS_WRITTEN, INCREASING, WHOLE, Block, require, requirement
from atlas.fields.columns import Words
from atlas.fields.markers import Axis, Resolution
from atlas.fields.vocabulary import Effort, Loads, Positive, Seed, StreamKey
from atlas.models.clusters import ClusterBlock, read_cluster
from atlas.models.sampling import Progress
from atlas.models.scored import SCORES, scored
from atlas.models.sizes import SizeBlock, read_size
from atlas.models.streams import stream_key
from atlas.models.systems import class_names
from multiserver.simulation import own_servers
from multiserver.simulation.cluster import SETTLING_RELAXATION_TIMES
from multiserver.simulation.estimate import fair_half_width
from multiserver.simulation.interruptions import (
    Cluster,
    Performance,
    simulate,
    simulate_to_precision,
)
from multiserver.simulation.workload import MISSING_LOAD, RELAXATION_FACTOR, mean_remaining_duration
from multiserver.sizes import Exponential

UNITS = {
    "load": "1",
    "interruptions": "1 per job",
    "quantity": Words("name"),
    "mean_service_rate": "work/s",
    "half_width": "work/s",
    "balanced": "work/s",
    "gap": "1",
    "gap_half_width": "1",
    "mean_jobs": "jobs",
    "mean_jobs_half_width": "jobs",
    "jobs": "jobs",
    "replications": "1",
    "effective_size": "1",
    "exact": "work/s",
    **SCORES,
}

# Fewer than `PILOT` replications estimate too poorly how many a point needs; fewer than `FEW` leave
# no degrees of freedom for control variates.
PILOT = 32
FEW = 16
# `LONG` times the settling time of the queue is 45 relaxation times.
LONG = 8
# A job takes at least two jumps, so this is as many jobs as in other studies.
QUICK = 400_000
SHORTEST = 1000


class Parameters(Block):
    system: ClusterBlock
    size: Annotated[SizeBlock, Field(description="the size of all jobs, in work")]
    loads: Loads
    interruptions: Annotated[
        list[
            Annotated[
                float, Field(ge=0, le=1e6, description="a mean number of interruptions"), AS_WRITTEN
            ]
        ],
        Field(
            min_length=1,
            max_length=1000,
            description="the mean numbers m of interruptions per job, increasing",
        ),
        INCREASING,
        Axis(),
    ]
    half_width: Annotated[
        Positive, Field(description="the half-width that stops a point"), Resolution()
    ] = 0.01
    warmup: Annotated[
        int,
        Field(ge=0, le=10**10, description="the jumps before a replication, at least"),
        WHOLE,
        Resolution(),
    ] = 10_000
    jumps: Annotated[
        int,
        Field(ge=1000, le=10**10, description="the jumps of a replication"),
        WHOLE,
        Resolution(),
    ] = 50_000
    most: Annotated[
        int,
        Field(ge=32, le=10**6, description="the most replications of a point"),
        WHOLE,
        Resolution(),
    ] = 1024
    effort: Effort
    seed: Seed
    stream: StreamKey = None

    @requirement
    def _is_stable(self) -> None:
        limit = self.system.read().limit
        found = f"a load of {self.loads[-1]}"
        require(self.loads[-1] < limit, found, f"loads below {limit:.6g}", "loads")
        mean = read_size(self.size.plain()).mean
        require(mean < math.inf, f"{self.size.plain()}", "a size of finite mean", "size")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, m and class."""
    servers, size = parameters.system.read(), read_size(parameters.size.plain())
    key = stream_key(parameters)
    names, exact = class_names(len(servers.servers)), isinstance(size, Exponential)
    points = product(parameters.loads, parameters.interruptions)
    rows = []
    for i, (load, m) in progress(list(enumerate(points))):
        cluster, rates = read_cluster(servers, size, load, m), servers.service_rates(load)
        least = least_warm_up(cluster, rates), cluster.settling_jumps(servers.limit)
        result, known = run(cluster, parameters, (key, i), *least)
        if own_servers.server_alone(cluster):
            result = own_servers.withhold_intervals(cluster, result)
        measured = zip(names, result.service_rate, result.jobs, rates, strict=True)
        for name, rate, jobs, balanced in measured:
            value, last = balanced if exact else math.nan, name == names[-1]
            rows.append(
                {
                    "load": load,
                    "interruptions": m,
                    "quantity": name,
                    "mean_service_rate": rate.mean,
                    "balanced": balanced,
                    "gap": rate.mean / balanced - 1,
                    "gap_half_width": fair_half_width(rate, known) / balanced,
                    "mean_jobs": jobs.mean,
                    "mean_jobs_half_width": fair_half_width(jobs, known),
                    "replications": rate.replications,
                    **scored(rate, value, known, independent=last),
                }
            )
    return pd.DataFrame(rows, columns=list(UNITS))


def least_warm_up(cluster: Cluster, rates: Iterable[float]) -> int:
    """The jumps until a cluster that starts empty has forgotten its start, as
    `Workload.least_warm_up`: jobs of class i stay for σ_i/γ_i, with γ_i of balanced fairness. If
    jobs have degree 1, each server must have settled by itself (`own_servers`)."""
    longest = max(
        mean_remaining_duration(c.size) / rate
        for c, rate in zip(cluster.classes, rates, strict=True)
    )
    filling = RELAXATION_FACTOR * longest * math.log(1 / MISSING_LOAD)
    return math.ceil(cluster.jump_rate * max(filling, own_servers.settling_time_alone(cluster)))


def run(
    cluster: Cluster, parameters: Parameters, key: tuple[int, ...], least: int, settling: int
) -> tuple[Performance, float]:
    """The simulation of one point, of the length that `effort` sets, after at least `least` jumps;
    and the length of each replication in relaxation times of its queue.

    Short simulations do not wait until the queue has settled: near the limit that takes longer than
    the whole simulation.
    """
    effort, source = parameters.effort, {"seed": parameters.seed, "key": key}
    times = SETTLING_RELAXATION_TIMES / settling
    if effort == "as-printed":
        return simulate(cluster, replications=range(100), **source), times * 1e6
    if effort == "paper":
        jumps = max(parameters.jumps, LONG * settling)
        result = simulate_to_precision(
            cluster,
            parameters.half_width,
            first=PILOT,
            most=parameters.most,
            warmup=max(parameters.warmup, least, settling),
            jumps=jumps,
            **source,
        )
        return result, times * jumps
    total = QUICK if effort == "quick" else effort
    # Half of the jumps warm up. Even a short run must serve every class in some window.
    jumps = max(SHORTEST, total // (2 * FEW))
    warmup = max(jumps, least)
    result = simulate(cluster, replications=range(FEW), warmup=warmup, jumps=jumps, **source)
    return result, times * jumps
