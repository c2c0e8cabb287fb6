"""Mean response time of a policy at given loads, simulated job by job, class by class.

The table also has the bounds, where they apply, and the exact values, if they are known and `exact`
is set (they are slow with many fronts or states). The classes at one load are measured in the same
run. Only the score of the mean over all classes, row `all`, therefore counts as independent.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import require, requirement
from atlas.fields.columns import Words
from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import FINELY, Enough, Loads
from atlas.models.finite_skip import OF_A_SCORE, simulate
from atlas.models.finite_skip_solutions import ModelBlock
from atlas.models.sampling import Progress
from atlas.models.scored import SCORES, scored
from atlas.models.streams import stream_key
from atlas.models.systems import PilotedBlock
from atlas.models.warm_up import SimulatedAtLoads
from multiserver.simulation.estimate import MIN_OBSERVATIONS, observations

UNITS = {
    "load": "1",
    "quantity": Words("name"),
    "mean_response_time": "s",
    "half_width": "s",
    "jobs": "jobs",
    "effective_size": "1",
    "pooled": "s",
    "lower": "s",
    "upper": "s",
    "limit": "1",
    "exact": "s",
    **SCORES,
}


# A run that would be too short even if E[N] were the estimate divided by `SAFETY_FACTOR` is not
# scored, and its exact values are not computed.
SAFETY_FACTOR = 1.5


class Parameters(SimulatedAtLoads, ModelBlock, PilotedBlock):
    loads: Loads
    exact: Annotated[
        bool, Field(description="whether known exact values stand beside"), Resolution()
    ] = True
    enough: Enough = FINELY

    @requirement
    def _can_be_served(self) -> None:
        why = "from which on no policy is stable: the servers cannot be filled"
        require_below(self.loads, self.model.highest, why)
        self.require_short_warm_up("loads")


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the queue is stable at all loads, as far as is known."""
    require_below(parameters.loads, parameters.model.limit, "the limit")


def require_below(loads: list[float], limit: float, why: str) -> None:
    """Raise a misfit if the highest load is not below a limit, which may be NaN: not known."""
    found, expected = f"a load of {loads[-1]}", f"loads below {limit:.6g}, {why}"
    require(not loads[-1] >= limit, found, expected, "loads")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load and class, `all` after the classes."""
    model = parameters.model
    exact = model.exact(OF_A_SCORE, parameters.enough) if parameters.exact else None
    constants, key = model.constants(), stream_key(parameters)
    rows = []
    for i, load in progress(list(enumerate(parameters.loads))):
        arrival_rate = model.arrival_rate(load)
        options = {"arrival_rate": arrival_rate, "key": (key, i)}
        result = simulate(model.queue, **options, **parameters.effort())
        estimates = [one.mean_response_time for one in (*result.by_class, result)]
        each, fraction = result.jobs / parameters.replications, load / model.limit
        jobs = arrival_rate * estimates[-1].mean
        few = observations(each, fraction, jobs / SAFETY_FACTOR) < MIN_OBSERVATIONS
        values = exact(load) if exact and not few else [math.nan] * len(estimates)
        if not math.isnan(values[-1]):
            jobs = arrival_rate * values[-1]
        seen = observations(each, fraction, jobs)
        bounds = constants.at(arrival_rate).response if constants else (math.nan, math.nan)
        for name, estimate, value in zip(model.names, estimates, values, strict=True):
            everyone = name == "all"
            rows.append(
                {
                    "load": load,
                    "quantity": name,
                    "mean_response_time": estimate.mean,
                    "pooled": model.pooled(load),
                    "lower": bounds[0] if everyone else math.nan,
                    "upper": bounds[1] if everyone else math.nan,
                    "limit": model.limit,
                    **scored(estimate, value, seen, independent=everyone),
                }
            )
    return pd.DataFrame(rows, columns=list(UNITS))
