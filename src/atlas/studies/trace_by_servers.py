"""Waiting and response times of a log's jobs on other numbers of servers, under several policies.

Jobs are resampled, replayed, or taken as logged. *Resampled* jobs (`models.logs`) arrive in a
Poisson process at the log's own rate, or `growth` times that rate. They are simulated to the steady
state, by independent replications that start empty and warm up; all servers and policies are given
the same jobs. A *replay* is one run of the log's own jobs at its own times, on servers that are
empty at the first. `logged` is the time in the log, whatever servers and policy it was under.

Arrivals of people are not Poisson. Of logs of as many resampled jobs, 95 % have a value from
`prediction_lower` to `prediction_upper` (`models.log_runs`). The column `differs` says where that
of the replay lies outside: there the resampled times describe the resampled system, not what the
cluster would see.

Policies are those of `multiserver.simulation.replay`, which interrupt no job. Backfilling uses the
time that a job requested in the log. If that is not known, or `requests` is `durations`, it uses
(1 + `overestimate`) times the duration. A value is infinite if the system is not stable, or has
more jobs than the engine can hold; `note` says why. There is then no prediction for a log, whose
times are finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import AS_WRITTEN, INCREASING, require, requirement
from atlas.fields.columns import Truth, Words
from atlas.fields.markers import Axis
from atlas.fields.vocabulary import Jobs, Servers
from atlas.models.log_runs import Run, replay_log, resample_log
from atlas.models.logs import read_log
from atlas.models.policies import Policies, PolicyBlock
from atlas.models.sampling import Progress
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, class_names
from atlas.models.times import TIMES, QuantilesAt
from atlas.models.warm_up import refusing_endless
from atlas.models.workloads import LogBlock
from multiserver.simulation.replay import RULES

UNITS = {
    "servers": "servers",
    "policy": Words("name"),
    "load": "1",
    "class": Words("name"),
    "time": Words("name"),
    "statistic": Words("name"),
    "probability": "1",
    "resampled": "s",
    "resampled_half_width": "s",
    "prediction_lower": "s",
    "prediction_upper": "s",
    "replayed": "s",
    "logged": "s",
    "differs": Truth("whether the replayed value lies outside the prediction interval"),
    "note": Words("text"),
}
# The most jobs per point whose times are kept.
KEPT = 10_000_000


class Parameters(LogBlock, SimulatedBlock):
    servers: Annotated[
        list[Servers],
        Field(min_length=1, max_length=100, description="the numbers of servers, increasing"),
        INCREASING,
        Axis(),
    ]
    jobs: Jobs = 1_000_000
    policies: Policies = [PolicyBlock(name=name) for name in ("fcfs", "first-fit")]
    probabilities: QuantilesAt = [0.5, 0.95]
    growth: Annotated[
        float,
        Field(ge=0.01, le=100, description="how many times as often as in the log jobs come"),
        AS_WRITTEN,
    ] = 1
    requests: Annotated[
        Literal["logged", "durations"],
        Field(description="what jobs request: as in the log where that is known, or by durations"),
    ] = "logged"

    @requirement
    def _are_replayed(self) -> None:
        known = ", ".join(RULES)
        for i, policy in enumerate(self.policies):
            at = ("policies", i, "name") if policy.options else ("policies", i)
            require(policy.name in RULES, repr(policy.name), f"one of {known}", *at)
            policy.require_options("policies", i)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers, policy, class (`all` last), time and statistic."""
    log, key = read_log(parameters.plain()), stream_key(parameters)
    log.require_servers(parameters.servers[0], "servers", 0)
    effort = parameters.effort() | {"jobs": min(parameters.jobs, KEPT)}
    logged = Run.of_log(log, parameters.largest_needs)
    rows: list[dict[str, Any]] = []
    for servers in progress(parameters.servers):
        for policy in parameters.policies:
            by_logs = parameters.requests == "logged"
            over = policy.options.get("overestimate", 0.0)
            jobs = log.jobs(parameters.growth, over, by_logs=by_logs)
            options = servers, policy.name, parameters.largest_needs
            with refusing_endless("trace"):
                resampled = resample_log(
                    log, jobs, *options, parameters.growth, key=(key,), **effort
                )
            replayed = replay_log(jobs, *options)
            load = parameters.growth * log.load(servers)
            note = "; ".join(filter(None, (resampled.note, replayed.note)))
            same = {"servers": servers, "policy": policy.label, "load": load, "note": note}
            runs = resampled, replayed, logged
            rows += [same | row for row in _rows(parameters, *runs, len(log.arrivals))]
    return pd.DataFrame(rows, columns=list(UNITS))


def _rows(
    parameters: Parameters, resampled: Run, replayed: Run, logged: Run, jobs: int
) -> Iterator[dict[str, Any]]:
    names = [*class_names(parameters.classes), "all"]
    statistics = [("mean", np.nan), *(("quantile", p) for p in parameters.probabilities)]
    for c, name in enumerate(names):
        group = None if name == "all" else c
        for time in TIMES:
            for statistic, p in statistics:
                selection = group, time, None if statistic == "mean" else p, jobs
                mine, theirs = resampled.statistic(*selection), replayed.statistic(*selection).value
                known = not np.isnan([mine.lower, theirs]).any()
                yield {
                    "class": name,
                    "time": time,
                    "statistic": statistic,
                    "probability": p,
                    "resampled": mine.value,
                    "resampled_half_width": mine.half_width,
                    "prediction_lower": mine.lower,
                    "prediction_upper": mine.upper,
                    "replayed": theirs,
                    "logged": logged.statistic(*selection).value,
                    "differs": not mine.lower <= theirs <= mine.upper if known else None,
                }
