"""Quantities of finite-skip models from exact solutions: bounds, orders of policies, onsets.

Parameters are those of the studies, a `system` and a `policy` or several `policies`. Where a
quantity is taken over all loads these are 0.01, 0.02, … 0.99, and an *onset* is the least load from
which on something holds up to 0.99: 0 if it holds at all of them, 1 if not even at the last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from claims import Found, takes
from models.finite_skip import Model, read_model
from models.sizes import read_size
from multiserver.open import finite_skip
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.qbd import solve

Parameters = Mapping[str, Any]

ROUTE = "matrix-analytic solution of the chain, closed form of the bounds"
CONFIRMED = "simulation of the front (figures of the paper)"
LOADS = np.linspace(0.01, 0.99, 99)


@takes("system", "policy")
def mean_size(parameters: Parameters) -> float:
    """E[S] in capacity times time."""
    return read_model(parameters).mean_size


@takes("system", "policy")
def second_moment(parameters: Parameters) -> float:
    """E[S²]."""
    return read_model(parameters).second_moment


@takes("system", "policy")
def fastest_over_slowest(parameters: Parameters) -> float:
    """The largest speed of a server over the smallest."""
    speeds = parameters["system"]["heterogeneous"]["speeds"]
    return max(speeds) / min(speeds)


@takes("system", "policy")
def limit_of_stability(parameters: Parameters) -> float:
    """The load below which the policy is stable."""
    return float(read_model(parameters).limit)


@takes("system", "policy")
def points_outside(parameters: Parameters) -> int:
    """At how many loads the exact E[T] lies outside the bounds, printed or refined."""
    model = read_model(parameters)
    found = _curve(model)
    return sum(
        not low <= mean <= high
        for refined in (False, True)
        for mean, (low, high) in zip(found, _bounds(model, refined), strict=True)
    )


@takes("system", "policy")
def by_slot_outside(parameters: Parameters) -> int:
    """At how many loads the exact E[T] lies outside the printed bounds if the next job takes over
    the server that falls idle."""
    model = read_model(parameters)
    found = map(_by_slot(parameters), LOADS)
    return sum(
        not low <= mean <= high
        for mean, (low, high) in zip(found, _bounds(model, False), strict=True)
    )


@takes("system", "policy")
def width(parameters: Parameters) -> float:
    """The upper bound less the lower one, which no load changes."""
    model = read_model(parameters)
    bounds = model.constants().at(model.arrival_rate(0.5)).response
    return bounds.upper - bounds.lower


@takes("system", "policy", "loads")
def relative_widths(parameters: Parameters) -> list[float]:
    """The width over the exact E[T], at the `loads`."""
    exact = read_model(parameters).exact()
    return [width(parameters) / float(exact(load)[-1]) for load in parameters["loads"]]


@takes("system", "policy")
def approximation_error(parameters: Parameters) -> float:
    """The largest relative error of Zhang and Zwart's approximation over all loads."""
    model = read_model(parameters)
    approximate = [model.approximation(model.arrival_rate(load)) for load in LOADS]
    return float(np.abs(np.array(approximate) / _curve(model) - 1).max())


@takes("system", "policy", "load")
def approximation_error_at(parameters: Parameters) -> float:
    """The relative error of Zhang and Zwart's approximation at one `load`."""
    model, load = read_model(parameters), parameters["load"]
    return model.approximation(model.arrival_rate(load)) / float(model.exact()(load)[-1]) - 1


@takes("system", "policy")
def largest_step_of_width(parameters: Parameters) -> Found:
    """The largest step of the width over E[T] from one load to the next."""
    widths = width(parameters) / _curve(read_model(parameters))
    steps = np.diff(widths)
    ends = f"{widths[0]:.3g} at ρ = 0.01, {widths[-1]:.3g} at 0.99"
    return Found(float(steps.max()), f"ρ = {LOADS[int(steps.argmax())]:.2f}; {ends}")


@takes("system", "policies")
def smallest_rise(parameters: Parameters) -> Found:
    """The smallest relative rise of E[T] from one of the `policies` to the next, over all loads."""
    curves = np.array([[time(load) for load in LOADS] for time in _times(parameters)])
    rises = (np.diff(curves, axis=0) / curves[:-1]).min(axis=0)
    return Found(float(rises.min()), f"ρ = {LOADS[int(rises.argmin())]:.2f}")


@takes("system", "policies")
def share_of_loads_won(parameters: Parameters) -> float:
    """The share of all loads at which the first of the `policies` has the smallest E[T]."""
    first, *others = _times(parameters)
    return float(np.mean([first(load) < min(time(load) for time in others) for load in LOADS]))


@takes("system", "policies")
def order_onset(parameters: Parameters) -> float:
    """From which load on the `policies` are in order of their E[T], smallest first."""
    times = _times(parameters)
    return _onset(lambda load: min(np.diff([time(load) for time in times])))


@takes("system", "policies")
def best_loads(parameters: Parameters) -> list[float]:
    """The ends of the range of loads at which the first of the `policies` has the smallest E[T];
    0 and 0 if there is none."""
    first, *others = _times(parameters)

    def gap(load: float) -> float:
        return min(time(load) for time in others) - first(load)

    holds = [gap(load) > 0 for load in LOADS]
    if not any(holds):
        return [0.0, 0.0]
    start, end = holds.index(True), len(holds) - 1 - holds[::-1].index(True)
    low = brentq(gap, LOADS[start - 1], LOADS[start], xtol=1e-10) if start else 0.0
    high = brentq(gap, LOADS[end], LOADS[end + 1], xtol=1e-10) if end + 1 < len(holds) else 1.0
    return [float(low), float(high)]


@takes("system", "policies", optional=("refined",))
def separation_onsets(parameters: Parameters) -> list[float]:
    """From which loads on the first of three `policies` has an E[T] below the lower bound of the
    second, and the last one above its upper bound; with `refined` constants if so given."""
    first, _, last = _times(parameters)
    middle = read_model({**parameters, "policy": parameters["policies"][1]})
    refined = parameters.get("refined", False)
    return [
        _onset(lambda load: _bounds_at(middle, load, refined)[0] - first(load)),
        _onset(lambda load: last(load) - _bounds_at(middle, load, refined)[1]),
    ]


@takes("system", "policies", "load")
def separation_at(parameters: Parameters) -> list[float]:
    """By how much the first of three `policies` has an E[T] below the lower bound of the second,
    and the last one above its upper bound, at one `load`."""
    first, _, last = _times(parameters)
    middle = read_model({**parameters, "policy": parameters["policies"][1]})
    low, high = _bounds_at(middle, parameters["load"], False)
    return [low - first(parameters["load"]), last(parameters["load"]) - high]


@takes("systems", "policies")
def robustness_order(parameters: Parameters) -> list[str]:
    """The `policies` in order of their largest E[T] over that of the best of them, at all loads
    and in all `systems`, least first."""
    worst = _largest_over_best(parameters)
    return sorted(worst, key=worst.__getitem__)


@takes("system", "policy")
def front_times_outside(parameters: Parameters) -> int:
    """At how many loads E[T_F] or E[T_Q] lies outside the bounds of Theorems 3.7 and 3.3."""
    model = read_model(parameters)
    blocks, constants = model.blocks(), model.constants()
    outside = 0
    for load in LOADS:
        arrival_rate = model.arrival_rate(load)
        law = solve(blocks.at(arrival_rate))
        front = _jobs_at_front(blocks, law) / arrival_rate
        queueing = law.mean_response_time - front
        bounds = constants.at(arrival_rate)
        outside += not bounds.front.lower <= front <= bounds.front.upper
        outside += not bounds.queueing.lower <= queueing <= bounds.queueing.upper
    return outside


def _jobs_at_front(blocks: finite_skip.FrontBlocks, law: Any) -> float:
    """E[N_F]."""
    masses = zip((*law.boundary, law.above), blocks.fronts, strict=True)
    return sum(
        float(mass @ np.array([sum(blocks.model.counts(front)) for front in fronts], dtype=float))
        for mass, fronts in masses
    )


def _largest_over_best(parameters: Parameters) -> dict[str, float]:
    worst = dict.fromkeys(parameters["policies"], 0.0)
    for system in parameters["systems"].values():
        times = _times({"system": system, "policies": list(worst)})
        curves = np.array([[time(load) for load in LOADS] for time in times])
        for policy, ratios in zip(worst, curves / curves.min(axis=0), strict=True):
            worst[policy] = max(worst[policy], float(ratios.max()))
    return worst


def _times(parameters: Parameters) -> list[Callable[[float], float]]:
    """ρ -> E[T] of each of the `policies`; many claims ask for the same."""
    systems = [{"system": parameters["system"], "policy": p} for p in parameters["policies"]]
    return [_time(json.dumps(system)) for system in systems]


@cache
def _time(parameters: str) -> Callable[[float], float]:
    exact = read_model(json.loads(parameters)).exact()
    return cache(lambda load: float(exact(load)[-1]))


def _curve(model: Model) -> NDArray[np.float64]:
    exact = model.exact()
    return np.array([float(exact(load)[-1]) for load in LOADS])


def _bounds(model: Model, refined: bool) -> list[tuple[float, float]]:
    return [_bounds_at(model, load, refined) for load in LOADS]


def _bounds_at(model: Model, load: float, refined: bool) -> tuple[float, float]:
    return model.constants(refined=refined).at(model.arrival_rate(load)).response


def _onset(gap: Callable[[float], float]) -> float:
    """The least load from which on `gap` is positive."""
    holds = [gap(load) > 0 for load in LOADS]
    if all(holds):
        return 0.0
    last = max(i for i, held in enumerate(holds) if not held)
    if last == len(LOADS) - 1:
        return 1.0
    return float(brentq(gap, LOADS[last], LOADS[last + 1], xtol=1e-10))


def _by_slot(parameters: Parameters) -> Callable[[float], float]:
    block = parameters["system"]["heterogeneous"]
    size = read_size(block["size"])
    blocks = finite_skip.prepare(HeterogeneousServers(tuple(block["speeds"]), size, "slot"))
    return lambda load: solve(blocks.at(load / size.mean)).mean_response_time
