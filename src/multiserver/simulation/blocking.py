"""Waits behind a job that does not fit, under first come, first served (head-of-line blocking).

A job that needs v of n servers and finds fewer idle holds back all that come after it: no job
starts before enough servers are released, a time D later, and while it is in service, a time S,
fewer are left for the others. So it delays all jobs by about

    L = D + u S,    u = max(0, 1 − (n − v)/(ρ n)).

If such jobs are rare, most of the waiting may be in a few bursts, of which their work tells
nothing: other jobs wait while servers idle. As a fluid, the delay V is the work in an M/G/1 queue
with these L as requirements, in which the capacity that is left is 1 − λ/λ*.

For D, jobs in service are those of M/G/∞: of class c there are Poisson many, and after a time t

    a_c(t) = λ p_c E[S_c] P(R_c > t),    E[R_c^j] = E[S_c^(j+1)]/((j + 1) E[S_c]),

are left on average. R_c is taken as the mixture of two exponentials of its first three moments. One
job of a class that needs more than n − v is enough. The servers that the smaller ones hold have the
mean m = Σ v_c a_c and the variance z m = Σ v_c² a_c, and are taken as z times a Poisson variable of
mean m/z. With the regularised incomplete gamma function P(a, x),

    P(D > t) = 1 − exp(−Σ a_c) (1 − P(1 + (n − v)/z, m/z)),    Σ over the classes of v_c > n − v.

Where bursts do not overlap, simulated means of needs 1 and n have the standard deviation that
follows, to a few per cent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from multiserver.simulation.workload import Workload
from multiserver.sizes import Lognormal, Pareto, Size, Weibull

# Times at which P(D > t) is evaluated, in equal ratios, in units of the shortest and of the longest
# mean remaining duration.
POINTS, SHORTEST, LONGEST = 400, 1e-3, 1e2
ROUNDING, TINY = 1e-9, 1e-300


def delays(workload: Workload, seen: Sequence[Size]) -> tuple[float, list[float]]:
    """The rate of jobs that need several servers, and E[L^k] from k = 0 to 6. `seen` are the
    distributions of the durations."""
    n, λ, load = workload.servers, workload.arrival_rate, workload.load
    p, v = (np.array(column, dtype=float) for column in (workload.probabilities, workload.needs))
    moments = np.array([[S.moment(j) for j in range(7)] for S in seen])
    t, left = _still_in_service(workload, moments)
    share, found = p[v > 1].sum(), np.zeros(7)
    for need in np.unique(v[v > 1]):
        u = max(0.0, 1 - (n - need) / (load * n))
        tail = _drain_tail(n, need, v, left)
        D = [1.0] + [float(np.trapezoid(j * t**j * tail, np.log(t))) for j in range(1, 7)]
        S = p[v == need] @ moments[v == need]
        for k in range(7):
            found[k] += sum(math.comb(k, j) * D[k - j] * u**j * S[j] for j in range(k + 1))
    return λ * share, (found / max(share, TINY)).tolist()


def mean_drain_times(workload: Workload, seen: Sequence[Size]) -> list[float]:
    """E[D] of a job of each class, at the load of the workload."""
    n, v = workload.servers, np.array(workload.needs, dtype=float)
    moments = np.array([[S.moment(j) for j in range(5)] for S in seen])
    t, left = _still_in_service(workload, moments)
    means = {
        need: float(np.trapezoid(t * _drain_tail(n, need, v, left), np.log(t)))
        for need in set(workload.needs)
    }
    return [means[need] for need in workload.needs]


def cut_off(workload: Workload, jobs: float) -> list[Size]:
    """The distributions of the durations, cut off at what one replication of `jobs` jobs shows."""
    return [
        X.seen(p * jobs) if isinstance(X, Pareto | Lognormal | Weibull) else X
        for p, X in zip(workload.probabilities, workload.sizes, strict=True)
    ]


def _still_in_service(workload: Workload, moments: NDArray) -> tuple[NDArray, NDArray]:
    """Times t (T,), and the a_c(t) jobs (C, T) that are in service at 0 and still at t, from
    the moments E[S_c^k] (C, 5 or more)."""
    residual = moments[:, 2:5] / (2, 3, 4) / moments[:, 1:2]
    t = np.geomspace(SHORTEST * residual[:, 0].min(), LONGEST * residual[:, 0].max(), POINTS)
    present = workload.arrival_rate * np.array(workload.probabilities) * moments[:, 1]
    return t, present[:, None] * remaining(residual, t)


def _drain_tail(n: int, need: int, v: NDArray, left: NDArray) -> NDArray:
    """P(D > t) (T,) of a job of this need."""
    small = v <= n - need
    m, square = (v[small] ** k @ left[small] for k in (1, 2))
    z = np.maximum(square / np.maximum(m, TINY), 1.0)
    fits = gammaincc(1 + (n - need) / z, m / z)
    return 1 - np.exp(-left[~small].sum(axis=0)) * fits


def remaining(moments: NDArray, t: NDArray) -> NDArray:
    """P(R_c > t) (C, T) of durations with these three `moments` (C, 3)."""
    mixtures = [exponential_mixture(*row) for row in moments.tolist()]
    return np.array([sum(q * np.exp(-t / mean) for q, mean in mixture) for mixture in mixtures])


def exponential_mixture(first: float, second: float, third: float) -> list[tuple[float, float]]:
    """Probabilities and means of two exponentials whose mixture has these moments; one exponential
    of the first moment where there is no such mixture."""
    second, third = second / 2, third / 6
    # Their means are the roots of x² − total x + product.
    total, product = 2 * first, first**2
    if second > first**2:
        total = (third - first * second) / (second - first**2)
        product = total * first - second
    root = math.sqrt(max(total**2 - 4 * product, 0.0))
    if not (product > 0 and root > ROUNDING * total):
        return [(1.0, first)]
    long, short = (total + root) / 2, (total - root) / 2
    weight = (first - short) / root
    return [(weight, long), (1 - weight, short)]
