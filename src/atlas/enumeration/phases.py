"""Durations in phases: exponential stages, as config writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Phases:
    """A duration begins in phase i with probability p for (p, i) of `starts`; phase i goes on to j
    at a rate for each of `moves[i]`, and ends at rate `exits[i]`."""

    starts: tuple[tuple[float, int], ...]
    moves: tuple[tuple[tuple[float, int], ...], ...]
    exits: tuple[float, ...]
    mean: float


def read_phases(duration: Mapping[str, Any]) -> Phases:
    """The phases of a duration such as `{exponential: 2}`. Raises `ValueError` if it has none."""
    ((kind, parameters),) = duration.items()
    if kind == "exponential":
        return Phases(((1.0, 0),), ((),), (float(parameters),), 1 / parameters)
    if kind == "hyperexponential":
        rates, chances = parameters["rates"], parameters["probabilities"]
        mean = sum(p / rate for p, rate in zip(chances, rates, strict=True))
        starts = tuple((p, i) for i, p in enumerate(chances))
        return Phases(starts, ((),) * len(rates), tuple(map(float, rates)), mean)
    if kind == "erlang":
        last, rate = parameters["stages"] - 1, parameters["rate"]
        moves = (*(((rate, i + 1),) for i in range(last)), ())
        return Phases(((1.0, 0),), moves, (*(0.0,) * last, float(rate)), (last + 1) / rate)
    raise ValueError(f"{kind} has no phases")


def mean(duration: Mapping[str, Any]) -> float:
    """E[X], also of a duration without phases."""
    if "deterministic" in duration:
        return float(duration["deterministic"])
    if "pareto" in duration:
        shape, scale = duration["pareto"]["shape"], duration["pareto"]["scale"]
        return scale * shape / (shape - 1)
    return read_phases(duration).mean
