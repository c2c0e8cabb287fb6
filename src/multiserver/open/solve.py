"""First passage and stationary distributions of block-structured Markov chains, on plain arrays.

In the repeating part of a quasi-birth-death process let U, S and D hold the rates up, within the
level and down, L = S − diag((U + S + D) 1), and G the distribution of the phase in which the level
below is first entered. Then D + L G + U G² = 0, and with N = −(L + U G)

    G = N⁻¹ D,   R = U N⁻¹,   π_{k+1} = π_k R.

Cyclic reduction finds N by squaring: it converges like η^(2^i), η the spectral radius of R, and
near saturation, η → 1, it slows down and loses half of the digits, since det(D + z L + z² U) has
two zeros that merge at z = 1. The shift of He, Meini and Rhee moves the zero that belongs to G
1 = 1 to z = 0. For any row vector q with q 1 = 1 let Q = 1 q; then D (I − Q), L + U Q and U have
the solution G − Q and the same N, which is what cyclic reduction returns: nothing has to be undone.

Sums over levels, x R (I − R)⁻¹, lose the digits that 1 − η has lost to rounding. With A = U + L + D
and its distribution α, y = x R (I − R)⁻¹ solves y A = x R D − x U. This leaves a multiple of α
free, which the flows up and down through the levels fix by y (D − U) 1 = x U 1. The only small
number left is the drift, α (U − D) 1, which is known to the accuracy of α.

References: D. A. Bini, G. Latouche and B. Meini, Numerical Methods for Structured Markov Chains
(2005), Chapters 7 and 9; C. He, B. Meini and N. H. Rhee, SIAM J. Matrix Anal. Appl. 23 (2001);
W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33 (1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

CONVERGED = 1e-17
LARGEST_NUMBER_OF_SQUARINGS = 60
# A power of two: dividing by it rounds nothing.
LARGE = 2.0**900


def distribution_of_rates(rates: Matrix) -> NDArray[np.float64]:
    """The stationary distribution (m,) of a chain with the given rates (m, m), whose diagonal is
    ignored.

    Elimination of one state after another without a subtraction (Grassmann, Taksar and Heyman):
    small probabilities are as accurate as large ones, those below 1e-300 may be 0, and transient
    states get exactly 0. If there are several closed classes, the one in which elimination stops
    gets all the mass.
    """
    flow = np.array(rates, dtype=float)
    first = 0
    for k in range(len(flow) - 1, 0, -1):
        leaving = flow[k, :k].sum()
        if leaving == 0:
            first = k
            break
        flow[:k, k] /= leaving
        flow[:k, :k] += flow[:k, k, None] * flow[k, :k]
    distribution = np.zeros(len(flow))
    distribution[first] = 1.0
    for k in range(first + 1, len(flow)):
        distribution[k] = distribution[first:k] @ flow[first:k, k]
        if distribution[k] > LARGE:
            distribution /= LARGE
    return distribution / distribution.sum()


def distribution_of_phases(rates: Matrix) -> NDArray[np.float64]:
    """α (m,), the distribution of phases with the given rates (m, m).

    Raises `ValueError` if they fall into several closed classes.
    """
    distribution = distribution_of_rates(rates)
    reaches = distribution > 0
    while not reaches.all():
        further = reaches | (rates @ reaches > 0)
        if (further == reaches).all():
            raise ValueError("the phases of the repeating level fall into several closed classes")
        reaches = further
    return distribution


def mean_sojourns(within: Matrix, down: Matrix) -> Matrix:
    """N⁻¹ (m, m): the mean times spent in each phase of a level before it is left downwards.

    `within` (m, m) holds the rates within the level, direct or through the levels above it; its
    diagonal is ignored. The row sums of N are those of `down`.
    """
    matrix = -within.T
    diagonal = np.arange(len(matrix))
    matrix[diagonal, diagonal] = 0.0
    matrix[diagonal, diagonal] = down.sum(axis=1) - matrix.sum(axis=0)
    # Transposed, N is column diagonally dominant, so that partial pivoting swaps no rows: zeros
    # stay zeros, and no sum has terms of both signs.
    return np.linalg.inv(matrix).T


def first_passage(inverse: Matrix, down: Matrix) -> Matrix:
    """N⁻¹ D, its rows normalised."""
    passage = np.maximum(inverse @ down, 0.0)
    return passage / passage.sum(axis=1, keepdims=True)


def repeating_part(up: Matrix, stay: Matrix, down: Matrix) -> tuple[Matrix, Matrix]:
    """G and N⁻¹ (each (m, m)) of the repeating part of a positive recurrent process.

    Raises `ArithmeticError` if cyclic reduction does not converge.
    """
    size = len(up)
    outflow = (up + stay + down).sum(axis=1) - np.diagonal(stay)
    centre = outflow * np.eye(size) - stay
    np.fill_diagonal(centre, outflow)
    above = up.copy()
    below = down - down.sum(axis=1, keepdims=True) / size
    centre -= up.sum(axis=1, keepdims=True) / size
    matrix = centre
    scale = outflow.max()
    for _ in range(LARGEST_NUMBER_OF_SQUARINGS):
        solved = np.linalg.solve(centre, np.concatenate([below, above], axis=1))
        to_below, to_above = solved[:, :size], solved[:, size:]
        detour = above @ to_below
        matrix = matrix - detour
        if abs(detour).max() <= CONVERGED * scale:
            break
        centre = centre - detour - below @ to_above
        above, below = above @ to_above, below @ to_below
    else:
        raise ArithmeticError("cyclic reduction did not converge")
    passage = first_passage(np.linalg.inv(matrix), down)
    # Once more, with row sums that are exact: the shift has left roundings in N 1 = D 1.
    inverse = mean_sojourns(stay + up @ passage, down)
    return first_passage(inverse, down), inverse


def masses_of_powers(
    start: NDArray[np.float64], rate_matrix: Matrix, powers: NDArray[np.int64]
) -> NDArray[np.float64]:
    """x R^j 1 for x (m,) and increasing exponents j ≥ 0, from one to the next by squares of R."""
    squares = [rate_matrix]
    masses = np.empty(len(powers))
    reached = 0
    for i, power in enumerate(powers.tolist()):
        steps, reached = power - reached, power
        while steps >> len(squares):
            squares.append(squares[-1] @ squares[-1])
        for bit in range(steps.bit_length()):
            if steps >> bit & 1:
                start = start @ squares[bit]
        masses[i] = start.sum()
    return masses


class SumOverLevels:
    """The map of x (m,) to Σ_{j≥1} x R^j for a process with stationary phases α and a drift."""

    def __init__(
        self,
        up: Matrix,
        stay: Matrix,
        down: Matrix,
        rate_matrix: Matrix,
        phases: NDArray[np.float64],
        drift: float,
    ) -> None:
        self._up, self._down, self._rate_matrix = up, down, rate_matrix
        self._phases, self._drift = phases, drift
        self._arriving = up.sum(axis=1)
        self._net = down.sum(axis=1) - self._arriving
        # A without its likeliest phase is minus an M-matrix; α is added until the flows balance.
        self._rest = np.delete(np.arange(len(phases)), np.argmax(phases))
        rates = (up + stay + down)[self._rest]
        leaving = np.delete(rates, self._rest, axis=1)
        self._sojourns = mean_sojourns(rates[:, self._rest], leaving)

    def __call__(self, start: NDArray[np.float64]) -> NDArray[np.float64]:
        surplus = (start @ self._rate_matrix) @ self._down - start @ self._up
        total = np.zeros_like(start)
        total[self._rest] = -surplus[self._rest] @ self._sojourns
        total -= self._phases * ((start @ self._arriving - total @ self._net) / self._drift)
        # One step of y = (x + y) R: sums of positive terms, which keep small entries; the smallest
        # of `total` may be rounded to below 0.
        return (start + np.maximum(total, 0.0)) @ self._rate_matrix
