r"""Stationary distributions of chains that move by at most one level, by linear level reduction.

Level n has rates U_n up, L_n within and D_n down. Observed only on the levels up to n, the chain
has within level n the rates

    C_n = L_n + U_n (−C_{n+1})⁻¹ D_{n+1},

and π_{n+1} = π_n U_n (−C_{n+1})⁻¹. The diagonal of C_n is minus the sum of all other rates out of
a state, so there is no subtraction (Gaver, Jacobs and Latouche, *Adv. Appl. Prob.* 16, 1984). If
blocks repeat, C_n tends to a limit as the number of levels above grows: infinitely many levels need
no truncation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import splu

Array = NDArray[np.float64]
# Blocks have converged if their relative change is below this and no longer decreases.
STILL = 1e-14
MOST = 200_000


@dataclass(frozen=True)
class Level:
    """The rates out of one level: up, within (zero diagonal) and down."""

    up: Array
    within: Array
    down: Array


def eliminate(levels: Sequence[Level], ratio: tuple[Array, Array] | None = None) -> list[Array]:
    """The stationary probabilities of all levels, not normalised: that of the first state is 1.

    The last level has no rates up unless `ratio` = (C, R) of repeating levels from it on is given.
    Level 0 has one or more states.
    """
    last = levels[-1]
    watched = close(last.within, last.down) if ratio is None else ratio[0]
    factors = []
    for level, above in zip(levels[-2::-1], levels[:0:-1], strict=True):
        factors.append(lu_factor(-watched, overwrite_a=True))
        back = lu_solve(factors[-1], above.down)
        watched = close(level.within + csr_array(level.up) @ back, level.down)
    probabilities = [stationary(watched)]
    for level, factor in zip(levels, reversed(factors), strict=False):
        probabilities.append(lu_solve(factor, probabilities[-1] @ level.up, trans=1))
    return probabilities


def repeat(level: Level) -> tuple[Array, Array]:
    """C and R = U (−C)⁻¹ of levels that repeat without end.

    Raises `ArithmeticError` if they do not converge: there is no stationary distribution.
    """
    watched, before = close(level.within, level.down), np.inf
    for _ in range(MOST):
        back = np.linalg.solve(-watched, level.down)
        renewed = close(level.within + level.up @ back, level.down)
        change = np.abs(renewed - watched).max() / np.abs(renewed).max()
        if change == 0 or before <= change < STILL:
            break
        watched, before = renewed, change
    else:
        raise ArithmeticError("levels that do not converge: no stationary distribution")
    return watched, np.linalg.solve(-watched.T, level.up.T).T


def close(within: Array, down: Array) -> Array:
    """Rates within a level, with the diagonal that makes rows sum to 0, rates down included."""
    closed = within.copy()
    np.fill_diagonal(closed, 0.0)
    np.fill_diagonal(closed, -(closed.sum(axis=1) + down.sum(axis=1)))
    return closed


def stationary_sparse(moves: csr_array) -> Array:
    """The stationary distribution (m,) of many states, given the rates `moves` (m, m) between them;
    state 0 must be recurrent.

    Its probability is 1 before normalisation, and its balance equation is left out. The remaining
    matrix is an M-matrix, diagonally dominant by columns: pivots are taken from the diagonal, in an
    order with little fill-in.
    """
    balance = (moves - diags_array(moves.sum(axis=1))).T.tocsc()
    factors = splu(
        balance[1:, 1:],
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    weights = np.append(1.0, factors.solve(-balance[1:, [0]].toarray().ravel()))
    return weights / weights.sum()


def stationary(generator: Array) -> Array:
    """The stationary distribution of a few states (Grassmann, Taksar and Heyman's elimination)."""
    rates = generator.copy()
    size = len(rates)
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= rates[n, :n].sum()
        rates[:n, :n] += np.outer(rates[:n, n], rates[n, :n])
    weights = np.ones(size)
    for n in range(1, size):
        weights[n] = weights[:n] @ rates[:n, n]
    return weights / weights.sum()
