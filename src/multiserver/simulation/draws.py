"""Random sizes in compiled code.

Compiled code cannot hold objects of different types in one array. `encode` turns the sizes of all
classes into a number for the kind of each and a row of parameters; `draw` reads them.

====================  ============================================================
kind                  parameters
====================  ============================================================
exponential           mean
hyperexponential      branches, their cumulated probabilities, their means
Erlang                stages, mean of a stage
deterministic         value
finite set of values  values, their cumulated probabilities, the values themselves
Pareto                scale, 1/shape
bounded Pareto        low, 1/shape, 1 − (low/high)^shape
lognormal             median, sigma
Weibull               scale, 1/shape
phase-type            phases m, cumulated initial probabilities; for each phase, its mean and the
                      cumulated probabilities of the m phases that may follow
====================  ============================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.phase_type import exit_rate
from multiserver.simulation.workload import Workload
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    PhaseType,
    Size,
    Weibull,
)

EXPONENTIAL, HYPEREXPONENTIAL, ERLANG, DETERMINISTIC = 0, 1, 2, 3
BIMODAL, PARETO, PHASE_TYPE, BOUNDED_PARETO = 4, 5, 6, 7
LOGNORMAL, WEIBULL = 8, 9


def encode(sizes: Sequence[Size]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The kind of each of C sizes, (C,), and their parameters, (C, W), padded with zeros.

    Raises `ValueError` if there are no sizes or one of them is not a size.
    """
    if not sizes:
        raise ValueError("at least one size is needed, found none")
    kinds, rows = zip(*map(_encoded, sizes), strict=True)
    parameters = np.zeros((len(rows), max(map(len, rows))))
    for c, row in enumerate(rows):
        parameters[c, : len(row)] = row
    return np.array(kinds, dtype=np.int64), parameters


@njit(cache=True)
def draw(rng, kinds, parameters, c):
    """One size of class c, from the generator `rng` and the arrays of `encode`."""
    kind = kinds[c]
    if kind == EXPONENTIAL:
        return parameters[c, 0] * rng.standard_exponential()
    if kind == DETERMINISTIC:
        return parameters[c, 0]
    if kind == ERLANG:
        return parameters[c, 1] * rng.standard_gamma(parameters[c, 0])
    if kind == PARETO:
        # ln(S/scale) is exponential. May overflow to infinity if the shape is below 0.1.
        return parameters[c, 0] * math.exp(parameters[c, 1] * rng.standard_exponential())
    if kind == BOUNDED_PARETO:
        return parameters[c, 0] * math.exp(
            -parameters[c, 1] * math.log1p(-parameters[c, 2] * rng.random())
        )
    if kind == LOGNORMAL:
        return parameters[c, 0] * math.exp(parameters[c, 1] * rng.standard_normal())
    if kind == WEIBULL:
        return parameters[c, 0] * rng.standard_exponential() ** parameters[c, 1]
    branches = int(parameters[c, 0])
    if kind == PHASE_TYPE:
        return _passage(rng, parameters[c], branches)
    u = rng.random()
    branch = 1
    # The last cumulated probability is not compared: rounding may leave it below 1.
    while branch < branches and u >= parameters[c, branch]:
        branch += 1
    value = parameters[c, branches + branch]
    if kind == HYPEREXPONENTIAL:
        value *= rng.standard_exponential()
    return value


@njit(cache=True)
def _passage(rng, parameters, phases):
    """The time until absorption, phase by phase."""
    total, at = 0.0, 1
    while True:
        u, phase = rng.random(), 0
        while phase < phases and u >= parameters[at + phase]:
            phase += 1
        if phase == phases:
            return total
        at = 1 + phases + phase * (phases + 1)
        total += parameters[at] * rng.standard_exponential()
        at += 1


def _encoded(size: Size) -> tuple[int, list[float]]:
    match size:
        case Exponential():
            return EXPONENTIAL, [size.mean]
        case Hyperexponential():
            return HYPEREXPONENTIAL, _mixture(size.probabilities, [1 / r for r in size.rates])
        case Erlang():
            return ERLANG, [float(size.stages), 1 / size.rate]
        case Deterministic():
            return DETERMINISTIC, [size.value]
        case Bimodal():
            return BIMODAL, _mixture(size.probabilities, size.values)
        case Pareto():
            return PARETO, [size.scale, 1 / size.shape]
        case BoundedPareto(shape, low, high):
            return BOUNDED_PARETO, [low, 1 / shape, -math.expm1(shape * math.log(low / high))]
        case Lognormal(median, sigma):
            return LOGNORMAL, [median, sigma]
        case Weibull(shape, scale):
            return WEIBULL, [scale, 1 / shape]
        case PhaseType():
            return PHASE_TYPE, _phases(size)
    raise ValueError(f"a size of multiserver.sizes is needed, found {size!r}")


def _mixture(probabilities: Sequence[float], values: Sequence[float]) -> list[float]:
    return [float(len(values)), *np.cumsum(probabilities), *values]


def _phases(size: PhaseType) -> list[float]:
    initial, rates = size.phases()
    # Rounding must not let a job be absorbed before its first phase.
    start = np.cumsum(initial)
    start[np.flatnonzero(initial)[-1] :] = 1.0
    row = [float(len(initial)), *start]
    for i, out in enumerate(rates):
        onward = np.where(np.arange(len(initial)) == i, 0.0, out) / -out[i]
        further = np.cumsum(onward)
        if not exit_rate(out.tolist(), i):
            further[np.flatnonzero(onward)[-1] :] = 1.0
        row += [-1 / out[i], *further]
    return row


class Source(NamedTuple):
    """The servers, and the distributions that jobs are drawn from, with sizes as encoded by
    `encode`."""

    servers: int
    needs: NDArray[np.int64]
    cumulated: NDArray[np.float64]
    kinds: NDArray[np.int64]
    parameters: NDArray[np.float64]
    mean_gap: float


def source_of(workload: Workload) -> Source:
    """The jobs of a workload for compiled code."""
    return Source(
        workload.servers,
        np.array(workload.needs),
        np.cumsum(workload.probabilities),
        *encode(workload.sizes),
        1 / workload.arrival_rate,
    )
