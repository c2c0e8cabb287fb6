"""Sweeps over a box of numbers of jobs by class, one line of states after another, compiled.

States (N_1, …, N_C), 0 ≤ N_c ≤ L_c, are numbered in lexicographic order. Along a line only N_c
varies; given what enters from other lines, its states are balanced exactly, by elimination from
above (W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33, 1985): nothing is subtracted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]


@njit(cache=True, error_model="numpy")
def balance_lines(
    distribution: Vector,
    sizes: Integers,
    strides: Integers,
    c: int,
    flows: Vector,
    leaving: Vector,
    across: Vector,
    forward: bool,
) -> None:
    """Balance all lines along class c, in place, in their order or backward.

    `sizes` (C,) are L_c + 1, `strides` (C,) the steps in the numbers of states; jobs arrive at the
    rates `flows` (C,) and leave at the rates `leaving` (m, C); `across` (m,) is the rate at which
    a state is left for other lines.
    """
    length, step, classes = sizes[c], strides[c], len(sizes)
    lines = len(distribution) // length
    inward, out = np.empty(length), np.empty(length)
    for line in range(lines):
        place = line if forward else lines - 1 - line
        first = place // step * (step * length) + place % step
        for k in range(length):
            i, total = first + k * step, 0.0
            for b in range(classes):
                if b != c:
                    number = i // strides[b] % sizes[b]
                    if number > 0:
                        total += flows[b] * distribution[i - strides[b]]
                    if number + 1 < sizes[b]:
                        j = i + strides[b]
                        total += leaving[j, b] * distribution[j]
            inward[k] = total
        # The rate at which k and those above it on the line are left for other lines.
        lost = 0.0
        for k in range(length - 1, -1, -1):
            i = first + k * step
            if k == length - 1:
                lost = across[i]
            else:
                above = i + step
                inward[k] += inward[k + 1] * leaving[above, c] / out[k + 1]
                lost = across[i] + flows[c] * lost / out[k + 1]
            out[k] = lost + leaving[i, c]
        before = 0.0
        for k in range(length):
            before = (inward[k] + flows[c] * before) / out[k]
            distribution[first + k * step] = before
