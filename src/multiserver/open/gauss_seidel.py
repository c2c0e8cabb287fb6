"""Sweeps over levels: the balance of one state after another, compiled.

The chain has levels 0, …, Q. A distribution is one vector: y_0 (e) and x_0 (m), which are level 0,
then x_1, …, x_Q (m each). `Chain` holds its matrices by columns, so that the balance
x_j = (inflow + Σ_i x_i a_ij)/(rate out of j) reads one column. The flows y_q, q ≥ 1, through d
instantaneous states are not unknowns: y_q = x_q C + y_{q+1} F, from the top level down.

Beyond Q, distributions are assumed to fall by a factor η from level to level: y_{Q+1} = η y_Q.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]
# Factors above HIGH are scaled down; rates below LOW count as 0.
HIGH, LOW = 1e150, 1e-280


class Columns(NamedTuple):
    """A sparse matrix by columns: the transitions into each state."""

    first: NDArray[np.int32]
    rows: NDArray[np.int32]
    rates: Vector

    @classmethod
    def of(cls, matrix: sparse.sparray) -> Columns:
        found = sparse.csc_array(matrix)
        return cls(found.indptr.astype(np.int32), found.indices.astype(np.int32), found.data)


class Chain(NamedTuple):
    """`within` (m, m) A₀, `opened` (m, d) C, `settles` (d, m) E, `further` (d, d) F; `level_0`
    (e + m, e + m), the rates within level 0, and `out_0`, all rates out of its states; `out` (m,)
    M, the rates out of states of other levels, without arrivals, which have the rate `arrivals`.

    F leads to later states only. `falling` and `rising` are the orders in which level 0 is swept on
    the way down and up; `drawn` (d,) are the indices of the instantaneous states among y_0.
    """

    arrivals: float
    within: Columns
    opened: Columns
    settles: Columns
    further: Columns
    level_0: Columns
    out_0: Vector
    out: Vector
    falling: Integers
    rising: Integers
    drawn: Integers


@njit(cache=True, error_model="numpy")
def add_product(y: Vector, factor: float, x: Vector, matrix: Columns) -> None:
    """y += factor · x · matrix."""
    for j in range(len(y)):
        total = 0.0
        for k in range(matrix.first[j], matrix.first[j + 1]):
            total += x[matrix.rows[k]] * matrix.rates[k]
        y[j] += factor * total


@njit(cache=True, error_model="numpy")
def add_geometric(y: Vector, factor: float, matrix: Columns) -> None:
    """y becomes y (1 − factor · matrix)⁻¹, where the matrix leads to later states only."""
    for j in range(len(y)):
        for k in range(matrix.first[j], matrix.first[j + 1]):
            y[j] += factor * y[matrix.rows[k]] * matrix.rates[k]


@njit(cache=True, error_model="numpy")
def balance(x: Vector, inflow: Vector, matrix: Columns, out: Vector, arrivals: float) -> None:
    """Balance all states of a level, in order."""
    for j in range(len(x)):
        total = inflow[j]
        for k in range(matrix.first[j], matrix.first[j + 1]):
            total += x[matrix.rows[k]] * matrix.rates[k]
        x[j] = total / (out[j] + arrivals)


@njit(cache=True, error_model="numpy")
def balance_level_0(distribution: Vector, flow: Vector, chain: Chain, order: Integers) -> None:
    """Balance the states of level 0 in the given order; `flow` (d,) is y_1."""
    inflow = np.zeros(len(chain.out_0))
    onward = np.zeros(len(flow))
    add_product(onward, 1.0, flow, chain.further)
    for k in range(len(onward)):
        inflow[chain.drawn[k]] = onward[k]
    add_product(inflow[len(inflow) - len(chain.out) :], 1.0, flow, chain.settles)
    for j in order:
        total = inflow[j]
        for k in range(chain.level_0.first[j], chain.level_0.first[j + 1]):
            total += distribution[chain.level_0.rows[k]] * chain.level_0.rates[k]
        distribution[j] = total / chain.out_0[j]


@njit(cache=True, error_model="numpy")
def draw(levels: Vector, flows: Vector, q: int, fall: float, chain: Chain) -> None:
    """Set y_q from y_{q+1} or, at the last level, from η = `fall`."""
    flows[q] = 0.0
    add_product(flows[q], 1.0, levels[q], chain.opened)
    if q + 1 < len(levels):
        add_product(flows[q], 1.0, flows[q + 1], chain.further)
        return
    add_geometric(flows[q], fall, chain.further)


@njit(cache=True, error_model="numpy")
def _inflow(levels: Vector, flows: Vector, q: int, fall: float, chain: Chain) -> Vector:
    inflow = chain.arrivals * levels[q - 1]
    if q + 1 < len(levels):
        add_product(inflow, 1.0, flows[q + 1], chain.settles)
    else:
        add_product(inflow, fall, flows[q], chain.settles)
    return inflow


@njit(cache=True, error_model="numpy")
def sweep(distribution: Vector, flows: Vector, fall: float, chain: Chain) -> None:
    """Sweep all levels up and down again, in place; `flows` (Q + 1, d) become y_q, q ≥ 1."""
    m = len(chain.out)
    levels = distribution[len(chain.out_0) - m :].reshape(-1, m)
    top = len(levels) - 1
    for q in range(top, 0, -1):
        draw(levels, flows, q, fall, chain)
    balance_level_0(distribution, flows[1], chain, chain.rising)
    for q in range(1, top + 1):
        inflow = _inflow(levels, flows, q, fall, chain)
        balance(levels[q], inflow, chain.within, chain.out, chain.arrivals)
    for q in range(top, 0, -1):
        inflow = _inflow(levels, flows, q, fall, chain)
        balance(levels[q], inflow, chain.within, chain.out, chain.arrivals)
        draw(levels, flows, q, fall, chain)
    balance_level_0(distribution, flows[1], chain, chain.falling)


@njit(cache=True, error_model="numpy")
def balancing_factors(mass: Vector, draws: Vector, arrivals: float, fall: float) -> Vector:
    """The factors c (Q + 1,), at most 1, that bring levels of these masses into balance, if more
    than i jobs are drawn at once at the rates `draws` (Q + 1, J)."""
    top, most = len(mass) - 1, draws.shape[1]
    factors = np.ones(top + 1)
    for q in range(top - 1, -1, -1):
        down = 0.0
        for r in range(q + 1, min(q + most, top) + 1):
            down += factors[r] * draws[r, r - q - 1]
        weight = factors[top]
        for i in range(top - q, most):
            weight *= fall
            down += weight * draws[top, i]
        up = arrivals * mass[q]
        # Masses may underflow, and lose digits before they do.
        factors[q] = down / up if up > LOW else factors[q + 1]
        if factors[q] > HIGH:
            factors /= factors[q]
    largest = 0.0
    for q in range(top + 1):
        largest = max(largest, factors[q])
    return factors / largest
