"""Quantiles of waiting and response times against the number of servers, class by class, exact.

Either the arrival rate λ or the load ρ = λ E[S]/n is the same for every number n of servers. At one
rate, more servers never make a job start later under FCFS. At one load the servers left over,
n mod need, give the curve saw teeth. A number for which the policy is not defined is left out.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import require, require_one, requirement
from atlas.fields.vocabulary import Load, Positive
from atlas.models.described_systems import read_system
from atlas.models.policies import read_policy
from atlas.models.sampling import Progress
from atlas.models.systems import class_names
from atlas.models.times import (
    QUANTILE,
    TIMES,
    QuantilesAt,
    TimesBlock,
    load_limit,
    quantiles,
    require_distribution,
    require_stable,
)
from multiserver.errors import UnstableError
from multiserver.queue import Queue

UNITS = {"servers": "servers", **QUANTILE}


class Parameters(TimesBlock):
    """What to compute; the number of servers of the system is the largest."""

    probabilities: QuantilesAt
    arrival_rate: Annotated[Positive, Field(description="λ in jobs/second")] | None = None
    load: Load | None = None

    @requirement
    def _has_one_point(self) -> None:
        require_one(self, "arrival_rate", "load")
        jobs = self.system.multiserver_jobs
        found, expected = f"{next(iter(self.system.plain()))}", "multiserver-jobs, of n servers"
        require(jobs is not None, found, expected, "system")

    def point(self) -> dict[str, float]:
        """The arrival rate or the load."""
        return {k: getattr(self, k) for k in ("arrival_rate", "load") if getattr(self, k)}

    def queues(self) -> dict[int, Queue]:
        """The queue on each number of servers for which the policy is defined."""
        jobs, policy = self.system.multiserver_jobs, read_policy(self.policy.plain())
        systems = {
            n: read_system({"multiserver-jobs": jobs.plain() | {"servers": n}})
            for n in range(max(jobs.needs), jobs.servers + 1)
        }
        return {n: one.under(policy) for n, one in systems.items() if not policy.lacks(one)}


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the queue with the most servers is stable and within reach."""
    queue, rate = parameters.queue, parameters.arrival_rate
    load = parameters.load or queue.system.load(rate)
    if rate is None:
        require_stable(queue, load, "load")
    else:
        limit = rate * load_limit(queue) / load
        expected = (
            f"rates below {limit:.6g} jobs/second, the limit of {queue.system.servers} servers"
        )
        require(rate < limit, f"{rate:g} jobs/second", expected, "arrival_rate")
    require_distribution(queue, load)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers, class, time and probability; infinite if the queue is not
    stable."""
    queues, point = parameters.queues(), parameters.point()
    groups = [*class_names(parameters.classes), "all"]
    unstable = dict.fromkeys(product(groups, TIMES, parameters.probabilities), math.inf)
    rows = []
    for n in progress(list(queues)):
        try:
            values = quantiles(queues[n], parameters.probabilities, **point)
        except UnstableError:
            values = unstable
        rows += [(n, *place, quantile) for place, quantile in values.items()]
    return pd.DataFrame(rows, columns=list(UNITS))
