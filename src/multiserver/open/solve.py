"""First passage and stationary distributions of block-structured Markov chains, on plain arrays.

In the repeating part of a quasi-birth-death process let U, S and D hold the rates up, within the
level and down, L = S − diag((U + S + D) 1), and G the distribution of the phase in which the level
below is first entered. Then D + L G + U G² = 0, and with N = −(L + U G)

    G = N⁻¹ D,   R = U N⁻¹,   π_{k+1} = π_k R.

Cyclic reduction finds N by squaring. A sweep keeps every other level: what passes through the
levels that are left out is added to the rates up, within and down. N has the rates within a level
and those of the detours of all sweeps through the level above, until no detour is left.

An M-matrix is known by its entries off the diagonal and its row sums, the rates at which a set of
phases is left; elimination only adds to both. So G and R are found without a subtraction. They keep
all digits of a phase that is entered once in 1e12 jobs, next to saturation too.

Sums over levels, x R (I − R)⁻¹, lose digits in one of two ways. With A = U + L + D and its
distribution α, y = x R (I − R)⁻¹ solves y A = x R D − x U. This leaves a multiple of α free, which
the flows up and down through the levels fix by y (D − U) 1 = x U 1. The only small number left is
the drift, α (U − D) 1, which is known to the accuracy of α. But where phases change rarely, y is
the small difference of large numbers. Sums over 1, 2, 4, … levels, by squares of R, have none, but
roundings grow by 1/(1 − η), η the spectral radius of R. Both errors are bounded, entry by entry.

References: D. A. Bini, G. Latouche and B. Meini, Numerical Methods for Structured Markov Chains
(2005), Chapter 7; A. S. Alfa, J. Xue and Q. Ye, Math. Comp. 71 (2002).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multiserver.elimination import distribution_of_rates

Matrix = NDArray[np.float64]

CONVERGED = 1e-17
LARGEST_NUMBER_OF_SQUARINGS = 120
# Matrices are halved down to this size; smaller parts of the largest entry do not matter.
SMALL, UNSEEN = 40, 1e-30
# Sums over levels may lose so many roundings, before doubling is tried, of at most so many steps.
FEW_ROUNDINGS, MOST_DOUBLINGS = 100.0, 24


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
    return positive_inverse(within, down.sum(axis=1))


def positive_inverse(within: Matrix, leaving: NDArray[np.float64]) -> Matrix:
    """The inverse (m, m) of the M-matrix of row sums `leaving` (m,) that has −`within` (m, m) off
    its diagonal, by elimination of one half after the other: sums of positive terms."""
    size = len(leaving)
    if size <= SMALL:
        return _by_pivots(within, leaving)
    half = size // 2
    right, left = within[:half, half:], within[half:, :half]
    found = np.empty((size, size))
    first = positive_inverse(within[:half, :half], leaving[:half] + right.sum(axis=1))
    back, ahead = left @ first, first @ right
    second = positive_inverse(
        within[half:, half:] + left @ ahead, leaving[half:] + back @ leaving[:half]
    )
    np.matmul(second, back, out=found[half:, :half])
    np.matmul(ahead, second, out=found[:half, half:])
    found[:half, :half] = first + ahead @ found[half:, :half]
    found[half:, half:] = second
    return found


def _by_pivots(within: Matrix, leaving: NDArray[np.float64]) -> Matrix:
    """The same, one phase after the other."""
    # The last column has the row sums of what is not yet eliminated.
    found = np.column_stack([within, leaving])
    for k in range(len(leaving)):
        row = found[k].copy()
        pivot = row[k + 1 :].sum()
        column = found[:, k] / pivot
        row[k], column[k] = 1.0, 1.0 / pivot
        found[k] = found[:, k] = 0.0
        found += column[:, None] * row
    return found[:, :-1]


def first_passage(inverse: Matrix, down: Matrix) -> Matrix:
    """N⁻¹ D, its rows normalised."""
    passage = np.maximum(inverse @ down, 0.0)
    return passage / passage.sum(axis=1, keepdims=True)


def repeating_part(up: Matrix, stay: Matrix, down: Matrix) -> tuple[Matrix, Matrix]:
    """G and N⁻¹ (each (m, m)) of the repeating part of a positive recurrent process.

    Raises `ArithmeticError` if cyclic reduction does not converge.
    """
    within = centre = stay - np.diag(np.diagonal(stay))
    above, below = up, down
    for _ in range(LARGEST_NUMBER_OF_SQUARINGS):
        inverse = positive_inverse(centre, above.sum(axis=1) + below.sum(axis=1))
        to_below, to_above = inverse @ below, inverse @ above
        detour = above @ to_below
        within = within + detour
        if (detour <= CONVERGED * np.maximum(within, UNSEEN * within.max())).all():
            break
        centre = centre + detour + below @ to_above
        above, below = above @ to_above, below @ to_below
    else:
        raise ArithmeticError("cyclic reduction did not converge")
    inverse = mean_sojourns(within, down)
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
        self._up, self._down, self._powers = up, down, [rate_matrix]
        self._phases, self._drift = phases, drift
        self._arriving = up.sum(axis=1)
        self._net = down.sum(axis=1) - self._arriving
        # A without its likeliest phase is minus an M-matrix; α is added until the flows balance.
        self._rest = np.delete(np.arange(len(phases)), np.argmax(phases))
        rates = (up + stay + down)[self._rest]
        leaving = np.delete(rates, self._rest, axis=1)
        self._sojourns = mean_sojourns(rates[:, self._rest], leaving)

    def __call__(self, start: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """The sums, and a bound on the relative error of each, in roundings."""
        found, lost = self._by_flows(start)
        if (lost <= FEW_ROUNDINGS * found).all():
            return found, FEW_ROUNDINGS
        doubled, roundings = self._by_doubling(start)
        better = roundings * doubled < lost
        lost = np.where(better, roundings * doubled, lost)
        found = np.where(better, doubled, found)
        seen = found > UNSEEN * found.max()
        return found, float((lost[seen] / found[seen]).max())

    def _by_flows(self, start: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """The sums by the solution of y A, and a bound on what differences lose, in roundings."""
        back, onward = (start @ self._powers[0]) @ self._down, start @ self._up
        total, lost = np.zeros_like(start), np.zeros_like(start)
        total[self._rest] = (onward - back)[self._rest] @ self._sojourns
        lost[self._rest] = (onward + back)[self._rest] @ self._sojourns
        arriving = start @ self._arriving
        total -= self._phases * ((arriving - total @ self._net) / self._drift)
        lost -= self._phases * ((arriving + lost @ abs(self._net)) / self._drift)
        # One step of y = (x + y) R: sums of positive terms, which keep small entries; the smallest
        # of `total` may be rounded to below 0.
        return tuple((start + np.maximum(y, 0.0)) @ self._powers[0] for y in (total, lost))

    def _by_doubling(self, start: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """The sums over 1, 2, 4, … levels, without a difference, and their relative error in
        roundings, which is infinite if they do not converge."""
        while (last := self._powers[-1]).max() > CONVERGED * self._powers[0].max():
            if len(self._powers) > MOST_DOUBLINGS:
                return start, np.inf
            self._powers.append(last @ last)
        total = start @ self._powers[0]
        for power in self._powers:
            total = total + total @ power
        return total, 2.0 ** len(self._powers)
