"""The work in a single server, who waits for n of them, and what is left of the waits if jobs share
one: formulas that `run_length` needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln

from multiserver.simulation.workload import Workload


def cumulants(arrival_rate: float, moments: Sequence[float], capacity: float) -> list[float]:
    """ψ_1, ψ_2 and ψ_3 of M/G/1, with `moments` E[B^k] from k = 0 to 6."""
    found, polynomials = [], [np.ones(1)]
    for k in (1, 2, 3):
        # A h_k = Σ_j ψ_j h_{k−j} − v h_{k−1}, without the term ψ_k.
        right = np.zeros(2 * k)
        right[1 : 2 * k] -= polynomials[-1]
        for j, ψ in enumerate(found, start=1):
            right[: 2 * (k - j) + 1] += ψ * polynomials[k - j]
        h = np.zeros(2 * k + 1)
        for i in range(2 * k - 1, 0, -1):
            jumps = arrival_rate * math.fsum(
                h[j] * math.comb(j, i) * moments[j - i] for j in range(i + 2, 2 * k + 1)
            )
            h[i + 1] = (jumps - right[i]) / ((i + 1) * (capacity - arrival_rate * moments[1]))
        found.append(arrival_rate * float(h @ moments[: 2 * k + 1]) - float(right[0]))
        polynomials.append(h)
    return found


def erlang_c(servers: float, traffic: float) -> float:
    """P(wait) in M/M/n for any real n ≥ 1 and a traffic below n."""
    # Erlang's B for real n: a^n e^{−a}/Γ(n + 1, a).
    log = servers * math.log(traffic) - traffic - gammaln(servers + 1)
    lost = math.exp(log) / gammaincc(servers + 1, traffic)
    return lost / (1 - traffic / servers * (1 - lost))


def part_that_waits(workload: Workload, fraction: float) -> float:
    """P(wait) relative to that of a single server, which is the `fraction` of the limit."""
    rows = zip(workload.probabilities, workload.needs, workload.sizes, strict=True)
    parts = [(p * v * X.mean, p * v * v * X.mean) for p, v, X in rows]
    mean, square = (math.fsum(column) for column in zip(*parts, strict=True))
    servers = workload.servers / (square / mean)
    return min(erlang_c(servers, fraction * servers) / fraction, 1.0)


def skewness_of(second: float, third: float, constant: float) -> float:
    """γ from the second and third cumulant; `constant` where there is no variance, or so little
    that its power is 0 as a float."""
    power = second**1.5 if second > 0 else 0.0
    return third / power if power > 0 else constant


def left_by_sharing(sharing: int, fraction: float, moments: Sequence[float]) -> NDArray[np.float64]:
    """The factors by which the second and third cumulants of the delays in an M/G/1 shrink (2,),
    if up to `sharing` = k jobs share its server; `moments` are E[S^j], j = 0, 1, 2, ….

    An approximation. Of the jobs that find the server busy, a share ρ^(k−1) finds k jobs or more
    and waits, for all the work V that it finds. The others share the server with V/E[R] jobs, of
    mean remaining duration E[R] = E[S²]/(2 E[S]), and are delayed by V E[S]/E[R].
    """
    waiting = fraction ** (sharing - 1)
    shorter = 2 * moments[1] ** 2 / moments[2]
    return waiting + (1 - waiting) * shorter ** np.array([2, 3])
