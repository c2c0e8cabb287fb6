"""How the policies of a finite-skip model rank, from exact solutions: orders and onsets.

Parameters are those of the studies, a `system` and several `policies`. Quantities over all loads
use 0.01, 0.02, … 0.99. An *onset* is the least load from which on a property holds up to 0.99: 0 if
it holds at all loads, 1 if it does not hold at the last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from atlas.claims import Found
from atlas.claims.finite_skip import LOADS, bounds_at
from atlas.models.finite_skip import read_model

ROUTE = "matrix-analytic solution of the chain, closed form of the bounds"
CONFIRMED = "simulation of the front (figures of the paper)"
GROUP = "finite_skip"


def smallest_rise(*, system: Mapping[str, Any], policies: list[str]) -> Found:
    """The smallest relative rise of E[T] from one of the `policies` to the next, over all loads."""
    curves = np.array([[time(load) for load in LOADS] for time in _times(system, policies)])
    rises = (np.diff(curves, axis=0) / curves[:-1]).min(axis=0)
    return Found(float(rises.min()), f"ρ = {LOADS[int(rises.argmin())]:.2f}")


def share_of_loads_won(*, system: Mapping[str, Any], policies: list[str]) -> float:
    """The share of all loads at which the first of the `policies` has the smallest E[T]."""
    first, *others = _times(system, policies)
    return float(np.mean([first(load) < min(time(load) for time in others) for load in LOADS]))


def order_onset(*, system: Mapping[str, Any], policies: list[str]) -> float:
    """The load from which on the `policies` are in order of their E[T], smallest first."""
    times = _times(system, policies)
    return _onset(lambda load: min(np.diff([time(load) for time in times])))


def best_loads(*, system: Mapping[str, Any], policies: list[str]) -> list[float]:
    """The ends of the range of loads at which the first of the `policies` has the smallest E[T];
    0 and 0 if there is none."""
    first, *others = _times(system, policies)

    def gap(load: float) -> float:
        return min(time(load) for time in others) - first(load)

    holds = [gap(load) > 0 for load in LOADS]
    if not any(holds):
        return [0.0, 0.0]
    start, end = holds.index(True), len(holds) - 1 - holds[::-1].index(True)
    low = brentq(gap, LOADS[start - 1], LOADS[start], xtol=1e-10) if start else 0.0
    high = brentq(gap, LOADS[end], LOADS[end + 1], xtol=1e-10) if end + 1 < len(holds) else 1.0
    return [float(low), float(high)]


def separation_onsets(
    *, system: Mapping[str, Any], policies: list[str], refined: bool = False
) -> list[float]:
    """The loads from which on the first of three `policies` has an E[T] below the lower bound of
    the second, and the last one above its upper bound; `refined` selects the constants."""
    first, _, last = _times(system, policies)
    middle = read_model({"system": system, "policy": policies[1]})
    return [
        _onset(lambda load: bounds_at(middle, load, refined)[0] - first(load)),
        _onset(lambda load: last(load) - bounds_at(middle, load, refined)[1]),
    ]


def separation_at(*, system: Mapping[str, Any], policies: list[str], load: float) -> list[float]:
    """The amounts by which E[T] of the first of three `policies` lies below the lower bound of the
    second, and that of the last above its upper bound, at one `load`."""
    first, _, last = _times(system, policies)
    middle = read_model({"system": system, "policy": policies[1]})
    low, high = bounds_at(middle, load, False)
    return [low - first(load), last(load) - high]


def most_balanced(*, systems: Mapping[str, Any], policies: list[str]) -> Found:
    """The one of the `policies` that minimises the largest ratio of E[T] to that of the best of
    them, over all loads and all `systems`."""
    worst = _largest_over_best(systems, policies)
    return Found(
        min(worst, key=worst.__getitem__),
        "at most " + ", ".join(f"{ratio:.3g} ({policy})" for policy, ratio in worst.items()),
    )


def loads_as_the_worst(*, systems: Mapping[str, Any], policies: list[str]) -> Found:
    """The number of loads, over all `systems` together, at which the first of the `policies` has
    the largest E[T]."""
    worst, first = 0, policies[0]
    for system in systems.values():
        mine, *others = _times(system, policies)
        worst += sum(mine(load) >= max(time(load) for time in others) for load in LOADS)
    ratio = _largest_over_best(systems, policies)[first]
    return Found(worst, f"at most {ratio:.3f} times the best")


def _largest_over_best(systems: Mapping[str, Any], policies: list[str]) -> dict[str, float]:
    worst = dict.fromkeys(policies, 0.0)
    for system in systems.values():
        times = _times(system, policies)
        curves = np.array([[time(load) for load in LOADS] for time in times])
        for policy, ratios in zip(worst, curves / curves.min(axis=0), strict=True):
            worst[policy] = max(worst[policy], float(ratios.max()))
    return worst


def _times(system: Mapping[str, Any], policies: list[str]) -> list[Callable[[float], float]]:
    """ρ -> E[T] of each of the `policies`; cached, since many claims need the same."""
    return [_time(json.dumps({"system": system, "policy": policy})) for policy in policies]


@cache
def _time(parameters: str) -> Callable[[float], float]:
    exact = read_model(json.loads(parameters)).exact()
    return cache(lambda load: float(exact(load)[-1]))


def _onset(gap: Callable[[float], float]) -> float:
    """The least load from which on `gap` is positive."""
    holds = [gap(load) > 0 for load in LOADS]
    if all(holds):
        return 0.0
    last = max(i for i, held in enumerate(holds) if not held)
    if last == len(LOADS) - 1:
        return 1.0
    return float(brentq(gap, LOADS[last], LOADS[last + 1], xtol=1e-10))
