"""Quantities of policies for multiserver jobs, from exact solutions or simulations.

E[T] is exact if a chain gives it, to the errors and with the numbers of states in `EXACTLY`.
Otherwise (Preemptive First Fit, MaxWeight in Fig. 7 at load 0.95) the policy is simulated with
`jobs` jobs per point from the run's `seed`. All policies get the same jobs, so that differences
vary less than means. Two policies are ordered only if they differ by more than the errors of exact
means and `DOUBT` standard errors of the mean difference over `REPLICATIONS` replications: one order
in 1e7 is wrong by chance. Everything else has its 95 % interval. Runs without a fair interval
decide nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found, Parameters, takes
from atlas.models.finite_skip import Exact, Model, read_model, simulate
from multiserver.simulation.replications import MEASURED, RESPONSE

ROUTE = "a chain of each policy; simulation where there is none, or it takes too many states"
CONFIRMED = "simulation (z-scores of the paper)"
# Claims about one system share its simulations and are one Snakemake job.
GROUP_BY = "system"

REPLICATIONS = 64
DOUBT = 6.0
NORMAL = 1.96
# Relative errors of means computed by iteration, each with the most states of the chain.
EXACTLY = ((1e-5, 60_000), (1e-2, 200_000))


@dataclass(frozen=True, slots=True)
class Mean:
    """E[T]: its values in the replications (R,), or one number if it is exact up to `error` or
    infinite; and whether the replications have a fair interval."""

    runs: NDArray[np.float64] | float
    fair: bool = True
    error: float = 0.0

    @property
    def value(self) -> float:
        return float(np.mean(self.runs))

    @property
    def finite(self) -> bool:
        return math.isfinite(self.value)


@takes("system", "policies", "loads", "jobs", "seed")
def best_policies(parameters: Parameters) -> list[str]:
    """The best of the policies at each of the loads, or `undecided`."""
    return [_first(parameters, load, least=True) for load in parameters["loads"]]


@takes("system", "policies", "loads", "jobs", "seed")
def worst_policies(parameters: Parameters) -> list[str]:
    """The worst of the policies at each of the loads, or `undecided`; an unstable one is worst."""
    return [_first(parameters, load, least=False) for load in parameters["loads"]]


@takes("system", "policy", "other", "loads", "jobs", "seed")
def smallest_ratio(parameters: Parameters) -> Found:
    """E[T] of a policy over that of another, at the load where the ratio is smallest; it is
    infinite at loads at which the policy is unstable."""
    system, found = parameters["system"], []
    for load in parameters["loads"]:
        a, b = (_mean(parameters, system, parameters[key], load) for key in ("policy", "other"))
        if a.finite:
            ratio = a.value / b.value
            # The error of the ratio, to first order, from the error of a − ratio × b.
            off = a.runs - ratio * np.asarray(b.runs)
            error = _half_width(Mean(off, a.fair and b.fair, a.error + ratio * b.error))
            found.append((ratio, load, error / b.value))
    ratio, load, error = min(found)
    return Found(ratio, f"ρ = {load:g}", error)


@takes("system", "bounded", "loads", "jobs", "seed", optional=("policy",))
def distance_from_bounds(parameters: Parameters) -> Found:
    """The distance of E[T] from the nearer bound, as a share of the distance between the bounds, at
    the load where it is smallest; negative outside the bounds."""
    model = read_model({"system": parameters["system"], "policy": parameters["bounded"]})
    policy, found = parameters.get("policy", parameters["bounded"]), []
    for load in parameters["loads"]:
        mean = _simulated(parameters, parameters["system"], policy, load)
        low, high = model.constants().at(model.arrival_rate(load)).response
        distance = min(mean.value - low, high - mean.value) / (high - low)
        found.append((distance, load, _half_width(mean) / (high - low)))
    distance, load, error = min(found)
    return Found(distance, f"ρ = {load:g}", error)


@takes("systems", "robust", "sensitive", "load", "jobs", "seed")
def sensitive_over_robust(parameters: Parameters) -> Found:
    """The smallest factor by which E[T] over that of the M/G/1 differs between the systems under a
    sensitive policy, over the largest under a robust one."""
    robust, robust_error = max(_spreads(parameters, parameters["robust"]))
    sensitive, sensitive_error = min(_spreads(parameters, parameters["sensitive"]))
    ratio = sensitive / robust
    return Found(ratio, f"ρ = {parameters['load']:g}", ratio * (robust_error + sensitive_error))


def _spreads(parameters: Parameters, policies: list[str]) -> list[tuple[float, float]]:
    """The factors, and upper bounds on their relative half-widths."""
    load, found = parameters["load"], []
    for policy in policies:
        ratios, errors = [], []
        for system in parameters["systems"].values():
            pooled = read_model({"system": system, "policy": policy}).pooled(load)
            mean = _mean(parameters, system, policy, load)
            ratios.append(mean.value / pooled)
            errors.append(_half_width(mean) / mean.value)
        found.append((max(ratios) / min(ratios), sum(errors)))
    return found


def _first(parameters: Parameters, load: float, *, least: bool) -> str:
    system, policies = parameters["system"], parameters["policies"]
    means = {policy: _mean(parameters, system, policy, load) for policy in policies}
    for policy in policies:
        others = [means[other] for other in policies if other != policy]
        pairs = [(means[policy], other) if least else (other, means[policy]) for other in others]
        if all(_below(a, b) for a, b in pairs):
            return policy
    return "undecided"


def _below(a: Mean, b: Mean) -> bool:
    """Whether the mean of a is below that of b beyond doubt."""
    if not (a.finite and b.finite):
        return a.value < b.value
    if not (a.fair and b.fair):
        return False
    difference = np.zeros(REPLICATIONS) + b.runs - a.runs
    doubt = DOUBT * difference.std(ddof=1) / math.sqrt(REPLICATIONS)
    return bool(difference.mean() > doubt + a.error + b.error)


def _half_width(mean: Mean) -> float:
    """The half-width of the 95 % interval of a mean over replications, NaN if it is not fair; for
    an exact mean, its error."""
    if not mean.fair:
        return math.nan
    if np.ndim(mean.runs) == 0:
        return mean.error
    return float(NORMAL * np.std(mean.runs, ddof=1) / math.sqrt(REPLICATIONS)) + mean.error


def _mean(parameters: Parameters, system: Mapping[str, Any], policy: str, load: float) -> Mean:
    text = json.dumps({"system": system, "policy": policy})
    if _model(text).refuses(load):
        return Mean(math.inf)
    return _known(text, load) or _simulated(parameters, system, policy, load)


@cache
def _model(text: str) -> Model:
    return read_model(json.loads(text))


@cache
def _known(text: str, load: float) -> Mean | None:
    """The exact E[T], if it is within reach."""
    for exact, error in _exact(text):
        value = float(exact(load)[-1])
        if not math.isnan(value):
            return Mean(value, error=error * value)
    return None


@cache
def _exact(text: str) -> list[tuple[Exact, float]]:
    """The functions that give E[T], the most accurate first, each with its relative error."""
    model = _model(text)
    if direct := model.exact():
        return [(direct, 0.0)]
    candidates = [(model.exact(states, error), error) for error, states in EXACTLY]
    return [(exact, error) for exact, error in candidates if exact]


def _simulated(parameters: Parameters, system: Mapping[str, Any], policy: str, load: float) -> Mean:
    text = json.dumps({"system": system, "policy": policy})
    return _run(text, load, parameters["jobs"], parameters["seed"])


@cache
def _run(text: str, load: float, jobs: int, seed: int) -> Mean:
    model = _model(text)
    found = simulate(
        model.queue,
        arrival_rate=model.arrival_rate(load),
        jobs=jobs,
        replications=REPLICATIONS,
        seed=seed,
        key=(round(1e6 * load),),
    ).counts
    runs = found.sums[:, -1, RESPONSE] / found.sums[:, -1, MEASURED]
    return Mean(runs, fair=found.mean_response_time.settled)
