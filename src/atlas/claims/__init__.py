"""Quantities in printed statements, recomputed: one function each, `module/function` in config.

A quantity is a pure function of keyword-only parameters, or of a mapping of the parameters that it
`takes`. Parameters that describe one thing are the keys of a `System`, `Queue` or `Cluster`. A
quantity is a number, a text, a truth value or a list of these; an `Estimate` with its interval; or
a `Found`, which adds the parameter at which the number was found, or its uncertainty. Its docstring
begins with a sentence on what it returns, which the ledger quotes. ROUTE says how the quantities of
a module are computed, and CONFIRMED names the route, without shared code, that has confirmed them;
a quantity that differs says so in `by`. Modules of the same GROUP are computed together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

# What a quantity that `takes` its parameters is given, by name.
Parameters = Mapping[str, Any]


class System(TypedDict):
    """Multiserver jobs with exponential durations, class by class."""

    servers: int
    needs: Sequence[int]
    rates: Sequence[float]
    probabilities: Sequence[float]


class Queue(TypedDict):
    """A finite-skip system, as in config, and its policy."""

    system: Mapping[str, Any]
    policy: Any


class Cluster(TypedDict):
    """The capacity of each server, and the servers and the arrival rate of each class."""

    capacities: Sequence[float]
    servers: Sequence[Sequence[int]]
    arrival_rates: Sequence[float]


@dataclass(frozen=True, slots=True)
class Found:
    """A value, the place where it was found, such as `ρ = 0.9`, and the half-width of its 95 %
    interval: NaN if it was simulated and has no fair interval."""

    value: Any
    at: str = ""
    half_width: float | None = None


def by(route: str, confirmed: str) -> Callable[[Callable], Callable]:
    """Declare how a quantity is computed and confirmed, if not as the others of its module."""
    return _declaring(route=route, confirmed=confirmed)


def takes(*required: str, optional: tuple[str, ...] = ()) -> Callable[[Callable], Callable]:
    """Declare the parameters of a quantity that is a function of a mapping.

    `seed`, and the length of a run as `jobs` or `jumps`, come from the run's config if a claim does
    not give them.
    """
    return _declaring(required=required, optional=optional)


def _declaring(**attributes: Any) -> Callable[[Callable], Callable]:
    def declare(function: Callable) -> Callable:
        vars(function).update(attributes)
        return function

    return declare


def record(found: Any) -> dict[str, Any]:
    """The return value of a quantity as a record for the table of claims; the value of an
    `Estimate` is its mean. Raises `ValueError` if it is no number, NaN, and not simulated either:
    no sentence is right or wrong about that."""
    if hasattr(found, "mean") and hasattr(found, "half_width"):
        found = Found(float(found.mean), half_width=found.half_width)
    found = found if isinstance(found, Found) else Found(found)
    if has_nan(found.value) and not has_nan(found.half_width):
        raise ValueError(f"found no number{found.at and f' at {found.at}'}; expected one to judge")
    return asdict(found)


def has_nan(value: Any) -> bool:
    """Whether a value, or one in a list, is NaN."""
    if isinstance(value, list):
        return any(map(has_nan, value))
    return isinstance(value, float) and math.isnan(value)
