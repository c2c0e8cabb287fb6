"""Sweeps over numbers of jobs by class: the balance of one state after another, compiled.

States are rows (N_1, …, N_C) in lexicographic order. `above` (m, C) has the place of the state with
one more job of a class, `below` (m, C) that with one job less, −1 where it is not among the m. Jobs
of class c come at the rate `flows[c]` and leave state i at the rate `leaving[i, c]`.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Places = NDArray[np.int32]
# Factors above are scaled down.
HIGH = 1e100


@njit(cache=True, error_model="numpy")
def inflow(
    distribution: Vector, i: int, above: Places, below: Places, flows: Vector, leaving: Vector
):
    """The rate at which state i is entered."""
    total = 0.0
    for c in range(len(flows)):
        j = below[i, c]
        if j >= 0:
            total += flows[c] * distribution[j]
        j = above[i, c]
        if j >= 0:
            total += leaving[j, c] * distribution[j]
    return total


@njit(cache=True, error_model="numpy")
def sweep(
    distribution: Vector, above: Places, below: Places, flows: Vector, leaving: Vector, out: Vector
):
    """The balance of all states up and down again, in place; `out` (m,) are the rates out."""
    m = len(distribution)
    for i in range(m):
        distribution[i] = inflow(distribution, i, above, below, flows, leaving) / out[i]
    for i in range(m - 1, -1, -1):
        distribution[i] = inflow(distribution, i, above, below, flows, leaving) / out[i]


@njit(cache=True, error_model="numpy")
def unbalanced(
    distribution: Vector, above: Places, below: Places, flows: Vector, leaving: Vector, out: Vector
) -> Vector:
    """What enters each state less what leaves it, (m,)."""
    found = np.empty(len(distribution))
    for i in range(len(distribution)):
        found[i] = inflow(distribution, i, above, below, flows, leaving) - distribution[i] * out[i]
    return found


@njit(cache=True, error_model="numpy")
def scale(distribution: Vector, jobs: NDArray[np.int64], rising: Vector, falling: Vector) -> None:
    """Numbers of jobs of one class brought to balance, in place: as often from k to k + 1 as back.

    `jobs` (m,) are those of the class, which are one more at the rate `rising` (m,) and one less at
    the rate `falling` (m,).
    """
    most = jobs.max()
    up, down = np.zeros(most + 1), np.zeros(most + 1)
    for i in range(len(distribution)):
        up[jobs[i]] += distribution[i] * rising[i]
        down[jobs[i]] += distribution[i] * falling[i]
    factors = np.ones(most + 1)
    for k in range(most):
        factors[k + 1] = factors[k]
        if down[k + 1] > 0 and up[k] > 0:
            factors[k + 1] *= up[k] / down[k + 1]
        if factors[k + 1] > HIGH:
            factors /= factors[k + 1]
    factors /= factors.max()
    for i in range(len(distribution)):
        distribution[i] *= factors[jobs[i]]
