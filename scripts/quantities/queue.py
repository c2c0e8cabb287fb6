"""Quantities of the open system: the mean number of jobs N under FCFS, exact.

The settings are those of `scaling_mix`, where large jobs are n^−α of all, and a `fraction` of
capacity is demanded, λ = f n / E[S] (`multilevel-scaling`, Section 10).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.saturated import stationary
from quantities.scaling_mix import build_mix
from quantities.systems import read_system
from studies.scaling_peaks import find_highest

Parameters = Mapping[str, Any]

GRID = np.linspace(0.0, 3.0, 61)


def peak_exponent(parameters: Parameters) -> float:
    """The α at which E[N] is largest."""
    return find_highest(lambda alpha: _mean_jobs(parameters, alpha), GRID)


def peak_exponents(parameters: Parameters) -> list[float]:
    """The same at each of the `fractions`."""
    return [peak_exponent({**parameters, "fraction": f}) for f in parameters["fractions"]]


def is_bell_curve(parameters: Parameters) -> bool:
    """Whether E[N] rises with α up to one peak and falls from there on."""
    rises = np.diff([_mean_jobs(parameters, alpha) for alpha in GRID]) > 0
    return bool(rises[0] and not rises[-1] and np.count_nonzero(np.diff(rises)) == 1)


def peaks_in_order(parameters: Parameters) -> bool:
    """Whether the peak of `three` lies between those of `half` and `n`, each at its fraction of
    capacity in `fractions`."""
    half, three, full = (
        peak_exponent({**parameters, "sizes": sizes, "fraction": parameters["fractions"][sizes]})
        for sizes in ("half", "three", "n")
    )
    return half < three < full


def heavy_traffic_ratio(parameters: Parameters) -> float:
    """E[N](1 − ρ) at 1 − ρ = `gap`, over E[Δ(Y_d)] + 1."""
    system, gap = read_system(parameters), parameters["gap"]
    blocks = prepare(system)
    mean_jobs = solve(blocks.at((1 - gap) * blocks.throughput)).mean_jobs
    return mean_jobs * gap / (stationary.solve(system).mean_relative_completions + 1)


def _mean_jobs(parameters: Parameters, alpha: float) -> float:
    system = build_mix(parameters, alpha)
    blocks = prepare(system)
    arrival_rate = parameters["fraction"] * system.naive_throughput
    if arrival_rate >= blocks.throughput:
        return math.inf
    return solve(blocks.at(arrival_rate)).mean_jobs
