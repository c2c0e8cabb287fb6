"""Mean response time of any policies against the load ρ = λ/λ^naive, class by class.

If the library has an exact method that takes about a second per point, a policy gets an exact
curve, with points at the `loads` too. It ends at `highest_load`, at 99/100 of the limit if that is
less, or where a point takes longer. Iterative methods stop at a relative error of `enough`. At
`loads` without an exact value the policy is simulated job by job; all policies at one load get the
same jobs, as many as each needs. Points that are not stable are infinite. `limit` is the largest
stable load.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE, misfit, requirement
from atlas.fields.columns import Truth, Words
from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import FINELY, Enough, HighestLoad, Jobs, Loads
from atlas.models.described_systems import OneSystem
from atlas.models.finite_skip import OF_MANY, Exact, Model
from atlas.models.policies import Policies, PolicyBlock, require_policies_of
from atlas.models.sampling import Progress, sample
from atlas.models.scored import scored
from atlas.models.streams import stream_key
from atlas.models.systems import PilotedBlock
from atlas.models.warm_up import refusing_endless, solve_policies
from multiserver.errors import NotKnownError, UnstableError
from multiserver.results import Result
from multiserver.simulation.estimate import Estimate, observations

UNITS = {
    "load": "1",
    "arrival_rate": "jobs/s",
    "fraction_of_limit": "1",
    "policy": Words("name"),
    "class": Words("name"),
    "mean_response_time": "s",
    "half_width": "s",
    "exact": Truth("whether the value is exact"),
    "limit": "1",
    "jobs": "jobs",
    "effective_size": "1",
}
# The fraction of the limit at which an exact curve ends, if `highest_load` does not end it first.
LAST_FRACTION_OF_LIMIT = 0.99


class Parameters(PilotedBlock):
    system: OneSystem
    policies: Policies
    loads: Loads
    jobs: Jobs = 1_000_000
    highest_load: HighestLoad = 0.99
    points: Annotated[
        int,
        Field(ge=2, le=1000, description="the most points of an exact curve"),
        WHOLE,
        Resolution(),
    ] = 60
    enough: Enough = FINELY

    @requirement
    def _belong(self) -> None:
        require_policies_of(self.system.read(), self.policies)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, policy and class, `all` after the classes."""
    solved, key = solve_policies(parameters, OF_MANY), stream_key(parameters)
    rows: list[dict[str, Any]] = []
    for i, load in progress(list(enumerate(parameters.loads))):
        for policy, model, solution in solved:
            # If a series is split over several jobs, the first of them computes the curves.
            if i == 0 and solution is not None:
                rows += draw_curve(parameters, policy, model, solution)
            if solution is None or np.isnan(solution(load)).any():
                rows += simulate_point(parameters, policy, model, load, (key, i))
    return pd.DataFrame(rows, columns=list(UNITS))


def draw_curve(
    parameters: Parameters, policy: PolicyBlock, model: Model, exact: Exact
) -> Iterator[dict[str, Any]]:
    """The rows of an exact curve, as far as it is known."""
    limit = model.limit
    # The limit is NaN if it is not known.
    last = float(np.fmin(parameters.highest_load, LAST_FRACTION_OF_LIMIT * limit))
    points = sample(
        lambda load: (load, *exact(load)),
        (last / parameters.points, last),
        parameters.points,
        lambda row: np.log(row[1:]),
    )
    others = {load for load in parameters.loads if load < last} - {load for load, *_ in points}
    for load, *means in sorted([*points, *((load, *exact(load)) for load in others)]):
        if not np.isnan(means).any():
            for name, mean in zip(model.names, means, strict=True):
                same = _place(policy, model, limit, load)
                yield {**same, "class": name, "mean_response_time": mean, "exact": True}


def simulate_point(
    parameters: Parameters, policy: PolicyBlock, model: Model, load: float, key: tuple[int, ...]
) -> list[dict[str, Any]]:
    """The rows of a simulated point. Raises a misfit if the policy is not simulated."""
    place = _place(policy, model, model.limit, load)
    columns = {"mean_response_time": math.inf, "half_width": 0.0, "exact": False}
    unstable = [{**place, "class": name, **columns} for name in model.names]
    if model.refuses(load):
        return unstable
    try:
        with refusing_endless("loads"):
            result = model.queue.simulate(load=load, key=key, **parameters.effort())
    except UnstableError:
        return unstable
    except NotKnownError as error:
        expected = "policies that are simulated where they are not exact"
        raise misfit(str(error), expected, "policies") from None
    estimates = (one.mean_response_time for one in (*result.by_class, result))
    known = _observed(parameters, result)
    return [
        scored(estimate, known=known)
        | {**place, "class": name, "mean_response_time": estimate.mean, "exact": False}
        for name, estimate in zip(model.names, estimates, strict=True)
    ]


def _observed(parameters: Parameters, result: Result[Estimate]) -> float | None:
    """About how many independent values of N a replication has seen; None if λ* is not known."""
    if result.limit is None:
        return None
    each = result.jobs / parameters.replications
    return observations(each, result.arrival_rate / result.limit, result.mean_jobs.mean)


def _place(policy: PolicyBlock, model: Model, limit: float, load: float) -> dict[str, Any]:
    return {
        "load": load,
        "arrival_rate": model.arrival_rate(load),
        "fraction_of_limit": load / limit,
        "policy": policy.label,
        "limit": limit,
    }
