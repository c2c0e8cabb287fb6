"""The product form of the saturated system with two classes.

Needs n1 < n2 ≤ n, rates μ1, μ2, probabilities p1, p2. A state is [h, a, b]: a and b jobs of
class 1 and 2 are in service, and h = 1 if a class 2 job blocks the head of the queue while a
class 1 job would fit. One state s1(a) exists for each a = 0 … ⌊n/n1⌋, and one state s2(b) with
h = 0 for each b = 0 … ⌊n/n2⌋. With

    f1([h, a, b]) = a μ1 / (a μ1 + b μ2),    f2 = 1 − f1,

the distribution embedded at completions is (`two-class-stability`, Theorem 4.1)

    π[h, a, b] = C p1^a p2^(b+h) ∏_{i=1..a} 1/f1(s1(i)) ∏_{j=1..b} 1/f2(s2(j)),

the distribution in time is λ* π[h, a, b] / (a μ1 + b μ2), and λ* is the throughput that makes it
sum to 1 (Theorem 4.2).

The products span thousands of orders of magnitude, so they are formed as increments of log π from
s1(a − 1) to s1(a), summed outwards from the most likely state: summed from a = 0, the states that
carry the mass would inherit the rounding of a partial sum as large as log π itself. The sums are
trees, in which a million equal steps round twenty times rather than a million. Relative errors
stay below 1e-12 for n up to 1e6 and μ2/μ1 from 1e-12 to 1e12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.checks import require_room
from multiserver.model import MultiserverJobSystem

# At this many states the distribution takes 9 s and 1 GB.
MOST_STATES = 10_000_000
# Entries of a (points × states) table held at once; 16 MiB of float64.
BLOCK = 1 << 21


@dataclass(frozen=True, slots=True)
class TwoClassStates:
    """The states s1(0) … s1(⌊n/n1⌋), as columns of length K = ⌊n/n1⌋ + 1.

    `blocking` is h, `class_1` is a, `class_2` is b, `idle` is n − a n1 − b n2; `filling` holds at
    index j the number of class 1 jobs in s2(j), for j = 0 … ⌊n/n2⌋.
    """

    blocking: NDArray[np.int64]
    class_1: NDArray[np.int64]
    class_2: NDArray[np.int64]
    idle: NDArray[np.int64]
    filling: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TwoClassDistribution:
    """Both stationary distributions over `states`, and what follows from them.

    `embedded` is π, `time` the distribution in time (each of shape (K,), summing to 1),
    `throughput` λ* in jobs per unit of time, `wastage` E[N_idle] in servers, `utilisation` 1 −
    E[N_idle]/n.
    """

    states: TwoClassStates
    embedded: NDArray[np.float64]
    time: NDArray[np.float64]
    throughput: float
    wastage: float
    utilisation: float


@dataclass(frozen=True, slots=True)
class TwoClassSweep:
    """λ*, E[N_idle] and 1 − E[N_idle]/n over a sweep, each of the sweep's broadcast shape."""

    throughput: NDArray[np.float64]
    wastage: NDArray[np.float64]
    utilisation: NDArray[np.float64]


def states(servers: int, needs: Sequence[int]) -> TwoClassStates:
    """The saturated states of n servers and needs (n1, n2), in the order of a.

    Raises `TooLargeError` if there are more than `MOST_STATES`.
    """
    n, (n1, n2) = int(servers), validate_needs(servers, needs)
    require_room("states", n // n1, MOST_STATES)
    a = np.arange(n // n1 + 1)
    b = (n - a * n1) // n2
    idle = n - a * n1 - b * n2
    filling = (n - np.arange(n // n2 + 1) * n2) // n1
    return TwoClassStates((idle >= n1).astype(np.int64), a, b, idle, filling)


def distribution(system: MultiserverJobSystem) -> TwoClassDistribution:
    """Both stationary distributions of a system with two classes of distinct needs, listed smaller
    first.

    Raises `ValueError` for any other system, and `TooLargeError` as `states`.
    """
    if len(system.classes) != 2:
        raise ValueError(f"the product form is for two classes, found {len(system.classes)}")
    s = states(system.servers, system.needs)
    mu1, mu2 = system.rates
    p1, p2 = system.probabilities
    # The larger probability may have lost all digits of its distance to 1.
    log_p1 = np.log(p1) if p1 < 0.5 else np.log1p(-p2)
    log_p2 = np.log(p2) if p2 < 0.5 else np.log1p(-p1)
    weights = np.exp(_log_embedded(s, np.array([mu2 / mu1]), log_p1[None], log_p2[None]))[0]
    sojourns = weights / (s.class_1 * mu1 + s.class_2 * mu2)
    time = sojourns / sojourns.sum()
    wastage = float(time @ s.idle)
    return TwoClassDistribution(
        states=s,
        embedded=weights / weights.sum(),
        time=time,
        throughput=float(weights.sum() / sojourns.sum()),
        wastage=wastage,
        utilisation=1 - wastage / system.servers,
    )


def sweep(
    servers: int,
    needs: Sequence[int],
    rates: Sequence[ArrayLike],
    probability_2: ArrayLike,
) -> TwoClassSweep:
    """λ* and wastage over arrays of rates and of p2, which broadcast against each other.

    `rates` is (μ1, μ2), each positive and finite; p2 lies in [0, 1], where the two ends mean jobs
    of one class only. Costs O(points × n/n1) in blocks of bounded memory. Raises `ValueError`
    outside these ranges, and `TooLargeError` as `states`.
    """
    s = states(servers, needs)
    mu1, mu2, p2 = np.broadcast_arrays(*(np.asarray(x, float) for x in (*rates, probability_2)))
    for name, rate in (("mu1", mu1), ("mu2", mu2)):
        if not np.all(np.isfinite(rate) & (rate > 0)):
            raise ValueError(f"{name} must be positive and finite throughout the sweep")
    if not np.all(np.isfinite(mu2 / mu1) & (mu2 / mu1 > 0)):
        raise ValueError("mu2/mu1 must be a positive number within floating-point range")
    if not np.all((p2 >= 0) & (p2 <= 1)):
        raise ValueError("probability_2 must lie in [0, 1] throughout the sweep")
    points = np.stack([mu1.ravel(), mu2.ravel(), p2.ravel()], axis=1)
    size = max(1, BLOCK // s.class_1.size)
    blocks = [_solve_block(s, points[i : i + size]) for i in range(0, len(points), size)]
    throughput, wastage = (
        np.concatenate(column).reshape(p2.shape)
        for column in zip(*blocks or [(np.empty(0), np.empty(0))], strict=True)
    )
    return TwoClassSweep(throughput, wastage, 1 - wastage / servers)


def validate_needs(servers: int, needs: Sequence[int]) -> tuple[int, int]:
    """(n1, n2) as plain integers. Raises `ValueError` unless 1 ≤ n1 < n2 ≤ n."""
    n1, n2 = needs
    whole = all(isinstance(x, Integral) for x in (servers, n1, n2))
    if not whole or not 1 <= n1 < n2 <= servers:
        raise ValueError(
            f"needs must be whole numbers with 1 ≤ n1 < n2 ≤ n = {servers}, found {n1} and {n2}"
        )
    return int(n1), int(n2)


def _solve_block(
    s: TwoClassStates, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """λ* and wastage at rows (μ1, μ2, p2) of `points`."""
    mu1, mu2, p2 = points.T
    inner = np.where((p2 == 0) | (p2 == 1), 0.5, p2)
    weights = np.exp(_log_embedded(s, mu2 / mu1, np.log1p(-inner), np.log(inner)))
    # At the ends of [0, 1] one class is absent and the chain sits in a single state.
    weights[p2 == 0] = np.eye(1, s.class_1.size, s.class_1.size - 1)
    weights[p2 == 1] = np.eye(1, s.class_1.size, 0)
    sojourns = weights / (mu1[:, None] * s.class_1 + mu2[:, None] * s.class_2)
    total = sojourns.sum(axis=-1)
    return weights.sum(axis=-1) / total, (sojourns * s.idle).sum(axis=-1) / total


def _log_embedded(
    s: TwoClassStates,
    ratio: NDArray[np.float64],
    log_p1: NDArray[np.float64],
    log_p2: NDArray[np.float64],
) -> NDArray[np.float64]:
    """log π up to a constant, 0 at its mode; shape (points, K), ratio being μ2/μ1."""
    r, lp1, lp2 = ratio[:, None], log_p1[:, None], log_p2[:, None]
    a, b = s.class_1[1:], s.class_2[1:]
    steps = lp1 + lp2 * np.diff(s.class_2 + s.blocking) + np.log1p(b * r / a)
    # n1 < n2, so that b falls by at most one a step and 1/f2(s2(b)) leaves the product with it.
    falls = np.flatnonzero(np.diff(s.class_2))
    j = s.class_2[falls]
    steps[:, falls] -= np.log1p(s.filling[j] / (j * r))
    return _sum_outwards(steps)


def _sum_outwards(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Partial sums of `steps` along the last axis, each row measured from its largest one."""
    rough = np.zeros((len(steps), steps.shape[1] + 1))
    np.cumsum(steps, axis=1, out=rough[:, 1:])
    mode = np.argmax(rough, axis=1)[:, None]
    above = np.arange(steps.shape[1]) >= mode
    sums = np.zeros_like(rough)
    sums[:, 1:] = _scan(np.where(above, steps, 0.0))
    sums[:, :-1] -= _scan(np.where(above, 0.0, steps)[:, ::-1])[:, ::-1]
    return sums


def _scan(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cumulative sums along the last axis, by a tree: errors grow as log of the length."""
    if x.shape[1] < 16:
        return np.cumsum(x, axis=1)
    odd = _scan(x[:, :-1:2] + x[:, 1::2])
    sums = np.empty_like(x)
    sums[:, 0] = x[:, 0]
    sums[:, 1::2] = odd
    sums[:, 2::2] = odd[:, : (x.shape[1] - 1) // 2] + x[:, 2::2]
    return sums
