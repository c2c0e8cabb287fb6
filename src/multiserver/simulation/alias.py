"""Alias tables: one random word decides among many outcomes, in constant time.

Walker's method spreads the outcomes over K = 2^b columns of equal mass, each shared by at most two
of them (Vose, *A linear algorithm for generating random numbers with a given distribution*, 1991).
The low b bits of a uniform 64-bit word u choose the column, and its first outcome is taken if u <
T, its second otherwise. Given the column, the other 64 − b bits of u are uniform, and T is a
multiple of K: so u < T says that those bits are below T/K, and one word serves for both choices
without bias.

Masses are integers that sum to 2^62, so each outcome's share of all words is its mass times 2^-62
exactly. Each mass is the given p rounded down, by less than 2^-62. The likeliest outcome takes what
is left over: at most the number of outcomes times 2^-62, and the floating-point error by which the
given probabilities miss 1. Outcomes with probabilities below 2^-62 are never drawn.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

MASS_BITS = 62
LEAST_PROBABILITY = 2.0**-MASS_BITS


def alias_tables(
    probabilities: NDArray[np.float64], outcomes: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], int]:
    """A table for each of the X rows of probabilities, (X, W), and the number b of column bits.

    `outcomes` (W,) are numbers below 2^32. The tables are words of shape (X, 2^b, 2): the threshold
    T of a column, and its two outcomes, the first in the low half. Each row must sum to 1.
    """
    columns = int(_outcomes_of_rows(probabilities).max())
    bits = max(1, (columns - 1).bit_length())
    return _fill(probabilities, outcomes.astype(np.uint64), bits), bits


@njit(cache=True)
def _outcomes_of_rows(probabilities):
    """The number of outcomes in each row that have a mass."""
    found = np.zeros(probabilities.shape[0], dtype=np.int64)
    for x in range(probabilities.shape[0]):
        for p in probabilities[x]:
            found[x] += p >= LEAST_PROBABILITY
    return found


@njit(cache=True)
def _fill(probabilities, outcomes, bits):
    rows, width = probabilities.shape
    columns = 1 << bits
    capacity = np.int64(1) << (MASS_BITS - bits)
    # A word of column c is f K + c; four of the 2^(64 − b) values of f make up a unit of mass.
    scale = np.uint64(bits + 64 - MASS_BITS)
    half = np.uint64(32)
    tables = np.empty((rows, columns, 2), dtype=np.uint64)
    mass = np.empty(columns, dtype=np.int64)
    outcome = np.empty(columns, dtype=np.uint64)
    needy = np.empty(columns, dtype=np.int64)
    ample = np.empty(columns, dtype=np.int64)
    for x in range(rows):
        found, likeliest, left = 0, 0, np.int64(1) << MASS_BITS
        for j in range(width):
            p = probabilities[x, j]
            if p >= LEAST_PROBABILITY:
                mass[found] = np.int64(p * 2.0**MASS_BITS)
                outcome[found] = outcomes[j]
                left -= mass[found]
                if mass[found] > mass[likeliest]:
                    likeliest = found
                found += 1
        mass[likeliest] += left
        mass[found:] = 0
        outcome[found:] = outcome[likeliest]
        needies, amples = 0, 0
        for c in range(columns):
            if mass[c] < capacity:
                needy[needies] = c
                needies += 1
            else:
                ample[amples] = c
                amples += 1
        # Masses are exact integers: whenever a column lacks some, another has more than enough.
        while needies > 0:
            needies -= 1
            c, donor = needy[needies], ample[amples - 1]
            tables[x, c, 0] = np.uint64(mass[c]) << scale
            tables[x, c, 1] = outcome[c] | outcome[donor] << half
            mass[donor] -= capacity - mass[c]
            if mass[donor] < capacity:
                amples -= 1
                needy[needies] = donor
                needies += 1
        for i in range(amples):
            c = ample[i]
            tables[x, c, 0] = 0
            tables[x, c, 1] = outcome[c] | outcome[c] << half
    return tables
