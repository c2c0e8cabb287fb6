"""The stationary distribution of a finite Markov chain, by elimination of one state after another.

What passes through a state that is eliminated is added to the rates between the others: sums of
positive terms, without a subtraction.

Reference: W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33 (1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A power of two: dividing by it rounds nothing. Ratios of rates up to 1e200 times this are floats.
LARGE = 2.0**300


def distribution_of_rates(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """The stationary distribution (m,) of a chain with the given rates (m, m), whose diagonal is
    ignored.

    Small probabilities are as accurate as large ones, those below 1e-300 may be 0, and transient
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
        while distribution[k] > LARGE:
            distribution /= LARGE
    return distribution / distribution.sum()
