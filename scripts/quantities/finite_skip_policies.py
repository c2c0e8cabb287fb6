"""Quantities of policies for multiserver jobs, from exact solutions or short simulations.

E[T] of ServerFilling and FCFS is exact. The other policies are simulated with `JOBS` jobs a point
from a fixed seed, all with the same jobs, so that their differences scatter less than their means.
A comparison counts only if it is beyond doubt, by more than `DOUBT` standard errors of the mean
difference over `REPLICATIONS` replications: by chance one goes wrong once in 1e7 times.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.replications import MEASURED, RESPONSE
from quantities.finite_skip_models import Exact, Model, read_model
from quantities.finite_skip_simulators import simulate

Parameters = Mapping[str, Any]

JOBS = 640_000
REPLICATIONS = 64
SEED = 7
DOUBT = 6.0


def best_policies(parameters: Parameters) -> list[str]:
    """The best of the `policies` at each of the `loads`, or `undecided`."""
    return [_first(parameters, load, least=True) for load in parameters["loads"]]


def worst_policies(parameters: Parameters) -> list[str]:
    """The worst of the `policies` at each of the `loads`, or `undecided`; unstable ones are."""
    return [_first(parameters, load, least=False) for load in parameters["loads"]]


def is_worse(parameters: Parameters) -> list[bool]:
    """Whether the `policy` has a larger E[T] than the `other`, at each of the `loads`."""
    found = []
    for load in parameters["loads"]:
        a, b = (
            _means(parameters["system"], policy, load)
            for policy in (parameters["policy"], parameters["other"])
        )
        found.append(_below(b, a))
    return found


def simulated_outside(parameters: Parameters) -> int:
    """At how many of the `loads` the simulated E[T] of a `policy`, by default that of the bounds,
    does not lie inside the bounds on `bounded` beyond doubt."""
    model = read_model({"system": parameters["system"], "policy": parameters["bounded"]})
    outside = 0
    for load in parameters["loads"]:
        policy = parameters.get("policy", parameters["bounded"])
        means = _simulated(json.dumps(parameters["system"]), policy, load)
        low, high = model.constants().at(model.arrival_rate(load)).response
        outside += not (_below(low, means) and _below(means, high))
    return outside


def spreads(parameters: Parameters) -> list[float]:
    """How far E[T] over that of the M/G/1 differs between the `systems` at a `load`, as a ratio,
    for each of the `policies`."""
    return [max(ratios) / min(ratios) for ratios in _relative(parameters)]


def robust_before_sensitive(parameters: Parameters) -> bool:
    """Whether each of the `robust` policies has a smaller spread than each `sensitive` one."""
    robust, sensitive = (
        spreads({**parameters, "policies": parameters[group]}) for group in ("robust", "sensitive")
    )
    return max(robust) < min(sensitive)


def _relative(parameters: Parameters) -> list[list[float]]:
    load, found = parameters["load"], []
    for policy in parameters["policies"]:
        ratios = []
        for system in parameters["systems"].values():
            pooled = read_model({"system": system, "policy": policy}).pooled(load)
            ratios.append(float(np.mean(_means(system, policy, load))) / pooled)
        found.append(ratios)
    return found


def _first(parameters: Parameters, load: float, *, least: bool) -> str:
    system, policies = parameters["system"], parameters["policies"]
    means = {policy: _means(system, policy, load) for policy in policies}
    for policy in policies:
        others = [means[other] for other in policies if other != policy]
        pairs = [(means[policy], other) if least else (other, means[policy]) for other in others]
        if all(_below(a, b) for a, b in pairs):
            return policy
    return "undecided"


def _below(a: NDArray[np.float64] | float, b: NDArray[np.float64] | float) -> bool:
    """Whether the mean of a is below that of b beyond doubt."""
    if np.isinf(a).any() or np.isinf(b).any():
        return bool(np.mean(a) < np.mean(b))
    difference = np.zeros(REPLICATIONS) + b - a
    return bool(difference.mean() > DOUBT * difference.std(ddof=1) / math.sqrt(REPLICATIONS))


def _means(system: Mapping[str, Any], policy: str, load: float) -> NDArray[np.float64] | float:
    """E[T] in every replication, or one number if it is known exactly or infinite."""
    text = json.dumps({"system": system, "policy": policy})
    if load >= _model(text).limit:
        return math.inf
    exact = _exact(text)
    if exact is not None:
        return float(exact(load)[-1])
    return _simulated(json.dumps(system), policy, load)


@cache
def _model(text: str) -> Model:
    return read_model(json.loads(text))


@cache
def _exact(text: str) -> Exact | None:
    return _model(text).exact()


@cache
def _simulated(system: str, policy: str, load: float) -> NDArray[np.float64]:
    parameters = {"system": json.loads(system), "policy": policy}
    found = simulate(
        parameters,
        _model(json.dumps(parameters)).arrival_rate(load),
        jobs=JOBS,
        replications=REPLICATIONS,
        seed=SEED,
        key=(round(1e6 * load),),
    )
    return found.sums[:, -1, RESPONSE] / found.sums[:, -1, MEASURED]
