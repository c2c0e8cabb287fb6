"""Waits behind a job that does not fit, under first come, first served (head-of-line blocking).

Let b = ρ n be the mean number of busy servers. A job that needs v > n − b servers finds fewer idle
ones on average. No job starts until enough are released, a time D, and while it is in service, a
time S, fewer than b servers are left for the others. As a fluid, the jobs that come meanwhile wait
for

    A = λ L²/(2 (1 − λ/λ*)),    L = D + u S,    u = 1 − (n − v)/b,

all together, until the queue that they form is gone. D is taken as h R, where R is the remaining
duration of the job in a busy server, E[R^j] = E[S^(j+1)]/((j + 1) E[S]) averaged over these, and
h = 1/N + 1/(N − 1) + … + 1/(N − k + 1), but at most 1, if k of N jobs in service must leave:
h E[R] is the mean of the k-th smallest of N exponential durations.

If such jobs are rare, most of the waiting may be in a few bursts, of which their work tells
nothing: other jobs wait while servers idle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from multiserver.simulation.workload import Workload
from multiserver.sizes import Size


def burst_cumulants(
    workload: Workload, seen: Sequence[Size], fraction: float
) -> NDArray[np.float64]:
    """The second and third cumulant of Σ A per unit of time (2,), as if such jobs came one at a
    time; 0 if all fit on average. `seen` are the distributions of the durations, and `fraction` is
    λ/λ*, below 1."""
    n, b, λ = workload.servers, workload.load * workload.servers, workload.arrival_rate
    p, v = np.array(workload.probabilities), np.array(workload.needs)
    moments = np.array([[S.moment(j) for j in range(8)] for S in seen])
    present = p * moments[:, 1]
    need = present @ v / present.sum()
    N = max(b / need, 1.0)
    remaining = p * v @ moments[:, 1:] / (present @ v) / np.arange(1, 8)
    found = np.zeros(2)
    for c in np.flatnonzero((v > 1) & (v > n - b)):
        k = min((v[c] - (n - b)) / need, N)
        h, u = min(float(digamma(N + 1) - digamma(N - k + 1)), 1.0), 1 - (n - v[c]) / b
        for i, m in enumerate((2, 3)):
            powers = math.fsum(
                math.comb(2 * m, j) * h**j * remaining[j] * u ** (2 * m - j) * moments[c, 2 * m - j]
                for j in range(2 * m + 1)
            )
            found[i] += λ * p[c] * (λ / (2 * (1 - fraction))) ** m * powers
    return found
