"""Sweeps over numbers of jobs by class: the balance of one line of states after another, compiled.

States are rows (N_1, …, N_C) in lexicographic order. `above` (m, C) has the place of the state with
one more job of a class, `below` (m, C) that with one job less, −1 where it is not among the m. Jobs
of class c come to state i at the rate `rising[i, c]` and leave it at `leaving[i, c]`. Along a line
only the number of one class varies; given what enters from other lines, its states are
balanced at once, by elimination from above (W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper.
Res. 33, 1985): nothing is subtracted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Indices = NDArray[np.int32]
# A probability, and a rate, that are negligible in any mean.
NEGLIGIBLE = 1e-60
# A line whose probabilities would become so large is left as it is.
MAX_PROBABILITY = 1e60
# A coarser chain changes a probability by this factor at most in a cycle.
LARGEST_CORRECTION = 100.0


@njit(cache=True, error_model="numpy")
def inflow(
    distribution: Vector,
    i: int,
    but: int,
    above: Indices,
    below: Indices,
    rising: Vector,
    leaving: Vector,
):
    """The rate into state i by arrivals and departures of all classes `but` one (−1: of all)."""
    total = 0.0
    for c in range(above.shape[1]):
        if c != but:
            j = below[i, c]
            if j >= 0:
                total += rising[j, c] * distribution[j]
            j = above[i, c]
            if j >= 0:
                total += leaving[j, c] * distribution[j]
    return total


@njit(cache=True, error_model="numpy")
def sweep(distribution: Vector, above: Indices, below: Indices, rising: Vector, leaving: Vector):
    """Balance all lines, class by class, in place; the result sums to 1."""
    m = len(distribution)
    line, inward, out = np.empty(m, np.int32), np.empty(m), np.empty(m)
    for c in range(above.shape[1]):
        for first in range(m):
            if below[first, c] < 0:
                balance_line(
                    distribution, first, c, above, below, rising, leaving, line, inward, out
                )
        # An aggregate that is hardly ever left may grow by many orders of magnitude at a time.
        distribution /= distribution.sum()


@njit(cache=True, error_model="numpy")
def balance_line(
    distribution: Vector,
    first: int,
    c: int,
    above: Indices,
    below: Indices,
    rising: Vector,
    leaving: Vector,
    line: Indices,
    inward: Vector,
    out: Vector,
):
    """Balance the states from `first` on along class c; the last three are work arrays."""
    length, i = 0, first
    while i >= 0:
        line[length] = i
        inward[length] = inflow(distribution, i, c, above, below, rising, leaving)
        length += 1
        i = above[i, c]
    # The rate at which a state and those above it on the line are left for other lines.
    lost = 0.0
    for k in range(length - 1, -1, -1):
        i = line[k]
        across = 0.0
        for b in range(above.shape[1]):
            if b != c:
                across += rising[i, b] + leaving[i, b]
        if k == length - 1:
            lost = across
        else:
            # Rates out of an aggregate may underflow; their ratios to the sum may not.
            down = lost_above = 0.0
            if out[k + 1] > NEGLIGIBLE:
                down, lost_above = leaving[line[k + 1], c] / out[k + 1], lost / out[k + 1]
            inward[k] += inward[k + 1] * down
            lost = across + rising[i, c] * lost_above
        out[k] = lost + leaving[i, c]
    before = 0.0
    for k in range(length):
        if k:
            before *= rising[line[k - 1], c]
        # A line without a way out, as with a single class, keeps its first value.
        before = (inward[k] + before) / out[k] if out[k] > NEGLIGIBLE else distribution[line[k]]
        inward[k] = before
        # Rates of aggregates that are far from balance may drive all mass to one end of a line.
        if not before < MAX_PROBABILITY:
            return
    for k in range(length):
        distribution[line[k]] = inward[k]


@njit(cache=True, error_model="numpy")
def balance_residuals(
    distribution: Vector, above: Indices, below: Indices, rising: Vector, leaving: Vector
) -> Vector:
    """The residuals of the balance equations (m,): inflow less outflow of each state."""
    found = np.empty(len(distribution))
    for i in range(len(distribution)):
        out = rising[i].sum() + leaving[i].sum()
        found[i] = inflow(distribution, i, -1, above, below, rising, leaving)
        found[i] -= distribution[i] * out
    return found


@njit(cache=True, error_model="numpy")
def aggregate(
    distribution: Vector,
    parent: Indices,
    above: Indices,
    below: Indices,
    rising: Vector,
    leaving: Vector,
    mass: Vector,
    rising_together: Vector,
    leaving_together: Vector,
) -> None:
    """Set the last three to the mass (M,) of the states with the same `parent`, and to the rates
    (M, C) of arrivals and departures that lead from one parent to another."""
    mass[:], rising_together[:], leaving_together[:] = 0.0, 0.0, 0.0
    for i in range(len(distribution)):
        # Far out, probabilities underflow; then the rates of an aggregate would be lost.
        distribution[i] = max(distribution[i], NEGLIGIBLE)
        a = parent[i]
        mass[a] += distribution[i]
        for c in range(above.shape[1]):
            j = above[i, c]
            if j >= 0 and parent[j] != a:
                rising_together[a, c] += distribution[i] * rising[i, c]
            j = below[i, c]
            if j >= 0 and parent[j] != a:
                leaving_together[a, c] += distribution[i] * leaving[i, c]
    for a in range(len(mass)):
        for c in range(above.shape[1]):
            rising_together[a, c] /= mass[a]
            leaving_together[a, c] /= mass[a]


@njit(cache=True, error_model="numpy")
def share_out(distribution: Vector, parent: Indices, before: Vector, after: Vector) -> None:
    """Scale the states, in place, as the mass of their parent changed from `before` to `after`, but
    by no more than `LARGEST_CORRECTION`."""
    for i in range(len(distribution)):
        # Far out, coarser chains find too much and too little mass in turn, by many orders of
        # magnitude; states would be added where there is none.
        factor = after[parent[i]] / before[parent[i]]
        distribution[i] *= max(min(factor, LARGEST_CORRECTION), 1 / LARGEST_CORRECTION)
