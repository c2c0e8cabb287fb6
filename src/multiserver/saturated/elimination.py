"""Elimination without a subtraction: distributions in which small masses keep their digits.

Let q_ij be the rates of a chain, and let states be eliminated one by one: with d_k = Σ_{j>k} q_kj,

    q_ij ← q_ij + (q_ik/d_k) q_kj      for i, j > k,

are the rates of the chain watched on the states that are left. Nothing is subtracted if d_k is
summed anew each time, and if the diagonal is never used: every rate keeps its relative accuracy,
however small, and so does the distribution, z_k = Σ_{i>k} z_i (q_ik/d_k) from the last state back.
Poisson's equation −Q Δ = reward is solved along the way: reward_i ← reward_i + (q_ik/d_k) reward_k,
and then Δ_k = (reward_k + Σ_{j>k} q_kj Δ_j)/d_k.

References: W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33 (1985); for the error of
the distribution, C. A. O'Cinneide, Numer. Math. 65 (1993).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

Vector = NDArray[np.float64]
# Masses above this are scaled down, so that those of rare states may vanish but none overflows.
HIGH = 1e150
# A state left at a lower rate counts as never left.
LOW = 1e-150


class NeverLeft(ArithmeticError):
    """From `state` no state that is eliminated later is reached at a rate above `LOW`."""

    def __init__(self, state: int) -> None:
        super().__init__(f"state {state} is next to never left: rates are too far apart")
        self.state = state


class Eliminated(Protocol):
    """A chain of N states, eliminated."""

    def distribution(self) -> Vector:
        """z (N,) with z Q = 0, up to a factor."""

    def potential(self, reward: Vector) -> Vector:
        """Δ (N,) with −Q Δ = reward, 0 in the state eliminated last, whose equation is left out."""


class Elimination:
    """The rates (N, N) of an irreducible chain in one dense matrix, the state `last` coming last.

    Raises `NeverLeft` if some state practically never reaches that state.
    """

    def __init__(self, rates: sparse.csr_array, last: int) -> None:
        N = rates.shape[0]
        self._order = np.append(np.delete(np.arange(N), last), last)
        self._numbers = q = rates[self._order][:, self._order].toarray()
        for k in range(N - 1):
            q[k, k] = d = q[k, k + 1 :].sum()
            if not d > LOW:
                raise NeverLeft(int(self._order[k]))
            q[k + 1 :, k] /= d
            q[k + 1 :, k + 1 :] += np.outer(q[k + 1 :, k], q[k, k + 1 :])

    def distribution(self) -> Vector:
        mass = np.ones(len(self._order))
        for k in range(len(mass) - 2, -1, -1):
            mass[k] = mass[k + 1 :] @ self._numbers[k + 1 :, k]
            if mass[k] > HIGH:
                mass[k:] /= mass[k]
        return self._in_place(mass / mass.max())

    def potential(self, reward: Vector) -> Vector:
        lower, upper = np.tril(self._numbers, -1), self._numbers[:-1, :-1]
        identity = np.eye(len(lower))
        ahead = solve_triangular(identity - lower, reward[self._order], lower=True)[:-1]
        falls = 2 * np.diag(np.diagonal(upper)) - np.triu(upper)
        return self._in_place(np.append(solve_triangular(falls, ahead), 0.0))

    def _in_place(self, ordered: Vector) -> Vector:
        found = np.empty_like(ordered)
        found[self._order] = ordered
        return found
