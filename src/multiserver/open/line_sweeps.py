"""Sweeps over a box of numbers of jobs by class, one line of states after another, compiled.

States (N_1, …, N_C), 0 ≤ N_c ≤ L_c, are numbered in lexicographic order. Along a line only N_c
varies; given what enters from other lines, its states are balanced exactly, by elimination from
above (W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33, 1985): nothing is subtracted.
The rates at which states that are eliminated are left do not depend on the distribution and are
computed once, by `rates_out`; a sweep then divides nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]


def rates_out(sizes: Integers, c: int, flow: float, leaving: Vector, across: Vector) -> Vector:
    """The rate (m,) at which each state and those above it on its line along class c are left for
    the states below and for other lines, if jobs of this class arrive at the rate `flow`.

    `leaving` (m,) are the rates at which they depart; `across` (m,) is the rate at which each state
    is left for other lines.
    """
    down = np.moveaxis(leaving.reshape(sizes), c, 0)
    lost = np.moveaxis(across.reshape(sizes), c, 0).copy()
    for k in range(len(lost) - 2, -1, -1):
        lost[k] += flow * (lost[k + 1] / (lost[k + 1] + down[k + 1]))
    return np.moveaxis(lost + down, 0, c).ravel()


@njit(cache=True, error_model="numpy")
def balance_lines(
    distribution: Vector,
    sizes: Integers,
    strides: Integers,
    c: int,
    flows: Vector,
    leaving: Vector,
    falls: Vector,
    times: Vector,
    forward: bool,
) -> None:
    """Balance all lines along class c, in place, in their order or backward.

    `sizes` (C,) are L_c + 1, `strides` (C,) the steps in the numbers of states; jobs arrive at the
    rates `flows` (C,) and leave at the rates `leaving` (m, C). For `out` of
    `rates_out`, `times` (m,) are 1/out, and `falls` (m,) are leaving_c/out, the probabilities that
    the state below comes next.
    """
    length, step, classes = sizes[c], strides[c], len(sizes)
    lines = len(distribution) // length
    inward = np.empty(length)
    for line in range(lines):
        place = line if forward else lines - 1 - line
        first = place // step * (step * length) + place % step
        for k in range(length):
            inward[k] = 0.0
        for b in range(classes):
            if b == c:
                continue
            # N_b is the same all along the line.
            number = first // strides[b] % sizes[b]
            if number > 0:
                for k in range(length):
                    inward[k] += flows[b] * distribution[first + k * step - strides[b]]
            if number + 1 < sizes[b]:
                for k in range(length):
                    j = first + k * step + strides[b]
                    inward[k] += leaving[j, b] * distribution[j]
        for k in range(length - 1, 0, -1):
            inward[k - 1] += inward[k] * falls[first + k * step]
        before = 0.0
        for k in range(length):
            i = first + k * step
            before = (inward[k] + flows[c] * before) * times[i]
            distribution[i] = before
