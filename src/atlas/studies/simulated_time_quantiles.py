"""Quantiles of waiting and response times at some loads, simulated job by job, with exact values.

They are order statistics of the times of single jobs (`multiserver.simulation.sampled_times`). At
most `KEPT` times are kept, so that they fit into memory; a longer run stops there. All quantiles at
one load come from the same run, so only one score counts as independent: the response time of all
jobs, at the first probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from atlas.fields.block import refusing, requirement
from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import Loads
from atlas.models.described_systems import FiniteSkipBlock
from atlas.models.sampling import Progress
from atlas.models.scored import SCORES, scored
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from atlas.models.times import (
    QUANTILE,
    TIMES,
    QuantilesAt,
    distributed,
    groups,
    load_limit,
    quantiles,
    require_stable,
)
from atlas.models.warm_up import SimulatedAtLoads
from multiserver.errors import NotKnownError, UnstableError
from multiserver.queue import Queue
from multiserver.sampled_distribution import SampledDistribution
from multiserver.simulation.estimate import Estimate, observations

UNITS = {
    "load": "1",
    **QUANTILE,
    "half_width": "s",
    "limit": "1",
    "jobs": "jobs",
    "exact": "s",
    **SCORES,
}
KEPT = 10_000_000


class Parameters(SimulatedAtLoads, FiniteSkipBlock, SimulatedBlock):
    loads: Loads
    probabilities: QuantilesAt
    exact: Annotated[
        bool, Field(description="whether known exact values stand beside"), Resolution()
    ] = True

    @requirement
    def _settles(self) -> None:
        self.require_short_warm_up("loads")


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the queue is stable at all loads, as far as is known."""
    require_stable(parameters.queue, parameters.loads[-1], "loads")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, class, time and probability. Where jobs share servers waiting is not
    defined, and response is the only time."""
    queue = parameters.queue
    known = parameters.exact and distributed(queue)
    return sampled(queue, parameters, progress, load_limit(queue), known=known)


def sampled(
    queue: Queue,
    parameters: Any,
    progress: Progress,
    limit: float = math.nan,
    *,
    known: bool = False,
) -> pd.DataFrame:
    """The same for any queue; `limit` is its largest stable load, NaN if it is not known."""
    key = stream_key(parameters)
    jobs = min(parameters.jobs, KEPT)
    effort = parameters.effort() | {"jobs": jobs, "times": True}
    rows = []
    for i, load in progress(list(enumerate(parameters.loads))):
        with refusing("lower loads", "loads", of=UnstableError):
            result = queue.simulate(load=load, key=(key, i), **effort)
        exact = quantiles(queue, parameters.probabilities, load=load) if known else {}
        seen = observations(
            jobs / parameters.replications,
            load / (1.0 if math.isnan(limit) else limit),
            result.mean_jobs.mean,
        )
        for place, estimate in estimates(result.distribution, parameters.probabilities):
            value = exact.get(place, math.nan)
            # If most jobs do not wait, the quantile is 0 and has no error.
            compared = value if value > 0 and estimate.mean > 0 else math.nan
            first = place == ("all", "response", parameters.probabilities[0])
            rows.append(
                {
                    "load": load,
                    **dict(zip(("class", "time", "probability"), place, strict=True)),
                    "quantile": estimate.mean,
                    "limit": limit,
                    **scored(estimate, compared, seen, independent=first),
                    "exact": value,
                }
            )
    return pd.DataFrame(rows, columns=list(UNITS))


def estimates(
    distribution: SampledDistribution, probabilities: list[float]
) -> Iterator[tuple[tuple[str, str, float], Estimate]]:
    """The estimates by class, time and probability."""
    for name, group in groups(distribution):
        for time in TIMES:
            times = getattr(group, f"{time}_time")
            with suppress(NotKnownError):
                yield from (((name, time, p), times.quantile(p)) for p in probabilities)
