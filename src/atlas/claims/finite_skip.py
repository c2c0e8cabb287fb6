"""Quantities of finite-skip models from exact solutions: moments, bounds, and checks of bounds.

Parameters are those of the studies, a `system` and a `policy`. Where a quantity is taken over all
loads these are 0.01, 0.02, … 0.99.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found, Queue, by
from atlas.models.finite_skip import Model, read_model
from atlas.models.sizes import read_size, read_sizes
from multiserver.open import finite_skip
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.qbd import solve

ROUTE = "matrix-analytic solution of the chain, closed form of the bounds"
CONFIRMED = "simulation of the front (figures of the paper)"
of_parameters = by(
    route="arithmetic on the parameters",
    confirmed="numbers worked out by hand (tests/claims/test_finite_skip_proofs.py)",
)
LOADS = np.linspace(0.01, 0.99, 99)


@of_parameters
def mean_size(**model: Unpack[Queue]) -> float:
    """E[S] in capacity times time."""
    return read_model(model).mean_size


@of_parameters
def second_moment(**model: Unpack[Queue]) -> float:
    """E[S²]."""
    return read_model(model).second_moment


@of_parameters
def fastest_over_slowest(**model: Unpack[Queue]) -> float:
    """The largest speed of a server over the smallest."""
    speeds = model["system"]["heterogeneous"]["speeds"]
    return max(speeds) / min(speeds)


@of_parameters
def steps_of_mean_size(**model: Unpack[Queue]) -> list[float]:
    """E[S] of the jobs of each need over that of the next smaller need."""
    block = model["system"]["multiserver-jobs"]
    durations = read_sizes(block["durations"])
    sizes = [v * X.mean for v, X in sorted(zip(block["needs"], durations, strict=True))]
    return [larger / smaller for smaller, larger in pairwise(sizes)]


def limit_of_stability(**model: Unpack[Queue]) -> float:
    """The load below which the policy is stable."""
    return float(read_model(model).limit)


def points_outside(**model: Unpack[Queue]) -> int:
    """The number of loads at which the exact E[T] lies outside the printed bounds, plus the number
    at which it lies outside the refined ones."""
    model = read_model(model)
    means = _curve(model)
    return _outside(means, model, False) + _outside(means, model, True)


def by_slot_outside(**model: Unpack[Queue]) -> int:
    """The number of loads at which the exact E[T] lies outside the printed bounds if the next job
    takes over the server that becomes idle."""
    block = model["system"]["heterogeneous"]
    size = read_size(block["sizes"][0])
    blocks = finite_skip.prepare(HeterogeneousServers(tuple(block["speeds"]), size, "slot"))
    means = (solve(blocks.at(load / size.mean)).mean_response_time for load in LOADS)
    return _outside(means, read_model(model), False)


def width(**model: Unpack[Queue]) -> float:
    """The upper bound minus the lower one, which is the same at all loads."""
    model = read_model(model)
    bounds = model.constants().at(model.arrival_rate(0.5)).response
    return bounds.upper - bounds.lower


def relative_widths(*, loads: Sequence[float], **model: Unpack[Queue]) -> list[float]:
    """The width over the exact E[T], at the `loads`."""
    exact = read_model(model).exact()
    return [width(**model) / float(exact(load)[-1]) for load in loads]


def approximation_error(**model: Unpack[Queue]) -> float:
    """The largest relative error of Zhang and Zwart's approximation over all loads."""
    model = read_model(model)
    approximate = [model.approximation(model.arrival_rate(load)) for load in LOADS]
    return float(np.abs(np.array(approximate) / _curve(model) - 1).max())


def approximation_error_at(*, load: float, **model: Unpack[Queue]) -> float:
    """The relative error of Zhang and Zwart's approximation at one `load`."""
    model = read_model(model)
    return model.approximation(model.arrival_rate(load)) / float(model.exact()(load)[-1]) - 1


def largest_step_of_width(**model: Unpack[Queue]) -> Found:
    """The largest step of the width over E[T] from one load to the next."""
    widths = width(**model) / _curve(read_model(model))
    steps = np.diff(widths)
    ends = f"{widths[0]:.3g} at ρ = 0.01, {widths[-1]:.3g} at 0.99"
    return Found(float(steps.max()), f"ρ = {LOADS[int(steps.argmax())]:.2f}; {ends}")


def front_times_outside(**model: Unpack[Queue]) -> int:
    """The number of loads at which E[T_F] lies outside the bounds of Theorem 3.7, plus the number
    at which E[T_Q] lies outside those of Theorem 3.3."""
    model = read_model(model)
    blocks, constants = model.blocks(), model.constants()
    outside = 0
    for load in LOADS:
        arrival_rate = model.arrival_rate(load)
        result = solve(blocks.at(arrival_rate))
        front = jobs_at_front(blocks, result) / arrival_rate
        queueing = result.mean_response_time - front
        bounds = constants.at(arrival_rate)
        outside += not bounds.front.lower <= front <= bounds.front.upper
        outside += not bounds.queueing.lower <= queueing <= bounds.queueing.upper
    return outside


def jobs_at_front(blocks: finite_skip.FrontBlocks, result: Any) -> float:
    """E[N_F]."""
    return float(blocks.mean(result, lambda front: sum(blocks.model.counts(front))))


def _curve(model: Model) -> NDArray[np.float64]:
    exact = model.exact()
    return np.array([float(exact(load)[-1]) for load in LOADS])


def _outside(means: Iterable[float], model: Model, refined: bool) -> int:
    """The number of loads at which a mean lies outside the bounds of the model."""
    bounds = (bounds_at(model, load, refined) for load in LOADS)
    return sum(not low <= mean <= high for mean, (low, high) in zip(means, bounds, strict=True))


def bounds_at(model: Model, load: float, refined: bool) -> tuple[float, float]:
    """The bounds on E[T] at one load, with the printed or the `refined` constants."""
    return model.constants(refined=refined).at(model.arrival_rate(load)).response
