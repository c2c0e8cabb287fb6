"""Several policies in order of their mean response times at some loads.

A policy without an exact solution is simulated. All that are simulated at one load get the same
jobs; their scores are those of `simulated-policy` and are not repeated here. An order is `settled`
if the policy is worse than the one before it by more than four standard errors of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from keys import stream_key
from quantities.finite_skip_models import read_model
from quantities.finite_skip_simulators import simulate

UNITS = {
    "load": "1",
    "rank": "1",
    "policy": "name",
    "mean_response_time": "time",
    "standard_error": "time",
    "over_best": "1",
    "settled": "whether the policy before it is better",
}
SETTLED = 4.0


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a load and policy, best first; policies that are unstable at the load are last."""
    key = stream_key(parameters)
    systems = [
        {"system": parameters["system"], "policy": policy} for policy in parameters["policies"]
    ]
    models = [read_model(system) for system in systems]
    exact = [model.exact() for model in models]
    rows = []
    for i, load in enumerate(progress(parameters["loads"])):
        found = []
        for system, model, solution in zip(systems, models, exact, strict=True):
            if load >= model.limit:
                mean, error = math.inf, 0.0
            elif solution is not None:
                mean, error = solution(load)[-1], 0.0
            else:
                estimate = simulate(
                    system,
                    model.arrival_rate(load),
                    jobs=parameters["jobs"],
                    replications=parameters["replications"],
                    seed=parameters["seed"],
                    key=(key, i),
                ).mean_response_time
                mean, error = estimate.mean, estimate.standard_error
            found.append((mean, error, system["policy"]))
        rows += rank(load, found)
    return pd.DataFrame(rows, columns=list(UNITS))


def rank(load: float, found: list[tuple[float, float, str]]) -> list[dict[str, Any]]:
    """The rows of one load from (mean, standard error, policy) of each."""
    ordered = sorted(found)
    rows = []
    for place, (mean, error, policy) in enumerate(ordered):
        before, before_error, _ = ordered[place - 1] if place else (-math.inf, 0.0, "")
        rows.append(
            {
                "load": load,
                "rank": place + 1,
                "policy": policy,
                "mean_response_time": mean,
                "standard_error": error,
                "over_best": mean / ordered[0][0],
                "settled": before < math.inf
                and bool(mean - before > SETTLED * math.hypot(error, before_error)),
            }
        )
    return rows
