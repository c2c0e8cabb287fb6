"""Several policies in order of their mean response times at some loads.

A policy is simulated if it has no exact solution, or one that takes too long. All policies
simulated at one load get the same jobs; their scores are those of `simulated-policy` and are not
repeated here. A difference is `significant` if the policy is worse than the one before it by more
than four standard errors of both and, where values are exact, than the relative error `enough`.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from atlas.fields.block import requirement
from atlas.fields.columns import Truth, Words
from atlas.fields.vocabulary import FINELY, Enough, Loads
from atlas.models.described_systems import FiniteSkipSystem
from atlas.models.finite_skip import OF_A_SCORE, simulate
from atlas.models.policies import Policies, require_policies_of
from atlas.models.sampling import Progress
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from atlas.models.warm_up import refusing_endless, solve_policies

UNITS = {
    "load": "1",
    "rank": "1",
    "policy": Words("name"),
    "mean_response_time": "s",
    "standard_error": "s",
    "over_best": "1",
    "significant": Truth("whether the policy before it is better"),
}
SIGNIFICANT = 4.0


class Parameters(SimulatedBlock):
    system: FiniteSkipSystem
    policies: Policies
    loads: Loads
    enough: Enough = FINELY

    @requirement
    def _belong(self) -> None:
        require_policies_of(self.system.read(), self.policies)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load and policy, best first; policies that are unstable at the load are last."""
    solved, key = solve_policies(parameters, OF_A_SCORE), stream_key(parameters)
    rows = []
    for i, load in progress(list(enumerate(parameters.loads))):
        estimates = []
        for policy, model, solution in solved:
            mean, error = float(solution(load)[-1]) if solution else math.nan, 0.0
            if model.refuses(load):
                mean = math.inf
            elif math.isnan(mean):
                options = {"arrival_rate": model.arrival_rate(load), "key": (key, i)}
                with refusing_endless("loads"):
                    run = simulate(model.queue, **options, **parameters.effort())
                found = run.mean_response_time
                mean, error = found.mean, found.standard_error if found.settled else math.nan
            estimates.append((mean, error, policy.label))
        rows += rank(load, estimates, parameters.enough)
    return pd.DataFrame(rows, columns=list(UNITS))


def rank(
    load: float, estimates: list[tuple[float, float, str]], enough: float
) -> list[dict[str, Any]]:
    """The rows of one load from (mean, standard error, policy) of each; nothing is said of the
    first, which none precedes."""
    ordered = sorted(estimates)
    rows = []
    for place, (mean, error, policy) in enumerate(ordered):
        before, before_error, _ = ordered[place - 1] if place else (math.nan, math.nan, "")
        margin = SIGNIFICANT * math.hypot(error, before_error) + 2 * enough * before
        rows.append(
            {
                "load": load,
                "rank": place + 1,
                "policy": policy,
                "mean_response_time": mean,
                "standard_error": error,
                "over_best": mean / ordered[0][0],
                "significant": mean - before > margin if place else None,
            }
        )
    return rows
