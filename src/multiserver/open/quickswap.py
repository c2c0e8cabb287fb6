r"""Quickswap, and nonpreemptive Most Servers First: needs 1 and n, exponential durations.

Small jobs need 1 of n servers and arrive at rate λ_1, large ones need all, at rate λ_n; durations
are exponential of rates μ_1 and μ_n. No job is interrupted. Under Quickswap with threshold ℓ < n
large jobs are served until none is left; then small jobs, those that come included, until at most ℓ
are in service; then no job starts until these, the *last*, have left; then large jobs again (Most
Servers First with Quickswap, arXiv 2509.01893). ℓ = 0 is nonpreemptive Most Servers First. There
are two readings: the last ones are waited for *always*, or only *if a large job waits*, and until
one does small jobs go on.

**Cycle.** When no large job is left, m small ones are present. Given m, what follows until this
is so again has independent parts, which are told by transforms. Let z count small jobs that come
while none can start, and let s be what a moment in which large jobs wait costs,

    s(z) = λ_n (1 − η(λ_1 (1 − z))),

with η the transform of the busy period of large jobs. Small jobs go from k to k − 1 present, all of
which are served up to n, in a time whose transform g_k is that of a birth-death chain,

    g_k = k μ_1/(s + λ_1 + k μ_1 − λ_1 g_{k+1}),     g_k = g_n for k ≥ n, with n μ_1 for k μ_1,

and the last d leave in a time whose transform is D_d = Π_{i≤d} iμ_1/(iμ_1 + s + λ_1 (1 − z)). So
small jobs that are present when no large one is left, m', have given k present and e large ones

    E[z^{m'}] = η(λ_1 (1 − z))^e D_{min(k, ℓ)} Π_{ℓ<i≤k} g_i.

*Always*, k = m and e = 0 unless m = 0; then the first job to come tells. *If a large job waits*,
e = 1, and k are present when it comes, to which the birth-death chain has moved in an exponential
time of rate λ_n. The distribution of m is that of a Markov chain, whose rows are found by fast
Fourier transforms on a circle of so many points that what folds back is negligible. E[N_1] and
E[N_n] are the mean areas of a cycle over its mean length; all areas are quadratic in independent
times, and their moments are sums of positive terms.

**Bound.** The share of the time in which large jobs are served is known, λ_n/μ_n, and so is the
mean number of small ones in service, λ_1/μ_1. How far sums over cycles are from these, and what m
weighs near its end, is `imprecision`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.fft import next_fast_len
from scipy.sparse.linalg import LinearOperator

from multiserver.errors import TooLargeError, require_stable
from multiserver.open.birth_and_death import Resolvent

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Reading = Literal["always", "if-large-waits"]

# Small jobs present when no large one is left, at most; what may lie beyond, in parts of the error
# that may be left; the relative error that transforms leave; and what is refused.
MOST, NEGLIGIBLE, ROUNDING, ROUGH = 4096, 1e-3, 1e-11, 1e-6
# By what factor more small jobs are told apart than the tail so far asks for.
SAFELY = 1.1
# Probabilities that are no more than what rounding leaves of none.
NOISE = 2e-15
# Transforms of so many small jobs present are inverted at once.
TOGETHER = 256


@dataclass(frozen=True, slots=True)
class QuickswapMeans:
    """E[N] of small and of large jobs; `small_at_start` (M + 1,), the distribution of m;
    `imprecision`."""

    small_jobs: float
    large_jobs: float
    small_at_start: Vector
    imprecision: float


class _Rates(NamedTuple):
    """n, μ_1, μ_n, λ_1, λ_n and ℓ."""

    servers: int
    small: float
    large: float
    small_flow: float
    large_flow: float
    threshold: int

    def serving(self, most: int) -> Vector:
        """The rates at which small jobs leave while 0, …, `most` are present."""
        return self.small * np.minimum(np.arange(most + 1), self.servers)


def solve(
    servers: int,
    rates: tuple[float, float],
    flows: tuple[float, float],
    threshold: int,
    reading: Reading = "always",
    *,
    enough: float = 1e-9,
) -> QuickswapMeans:
    """The means, for μ = `rates` and λ = `flows`, small before large, to a relative error `enough`.

    Raises `ValueError` unless n > 1 and ℓ is an integer with 0 ≤ ℓ < n, `UnstableError` unless
    ρ < 1, and `TooLargeError` if more than `MOST` small jobs matter when no large one is left.
    """
    if servers < 2 or threshold not in range(servers):
        raise ValueError(
            f"servers must be 2 or more and the threshold an integer from 0 to n - 1,"
            f" found {servers!r} and {threshold!r}"
        )
    load = flows[0] / (servers * rates[0]) + flows[1] / rates[1]
    require_stable(sum(flows), sum(flows) / load)
    system = _Rates(servers, *rates, *flows, threshold)
    with np.errstate(over="ignore", invalid="ignore"):
        swap, *_ = _times(system, servers)
    # Small jobs that come while the large ones are served that came while n small ones left.
    coming = float(swap.square[-1]) ** 0.5 * flows[0] * flows[1] / (rates[1] - flows[1])
    if not coming < MOST / 2:
        raise TooLargeError(
            f"until {threshold} of {servers} small jobs are in service takes {swap.mean[-1]:.0e}"
            f" units of time, in which more than {MOST} others come"
        )
    most, negligible = max(64, 2 * servers), NEGLIGIBLE * enough
    while True:
        starts = _starts(system, reading, most)
        distribution = _distribution(starts, system, most)
        squares = distribution * np.arange(most + 1) ** 2
        beyond = float(abs(squares[7 * most // 8 :]).sum() / max(1.0, squares.sum()))
        if beyond <= negligible or most >= MOST:
            break
        # What is beyond falls by a factor a job in the end.
        growth = SAFELY * math.log(negligible) / math.log(min(beyond, 0.5))
        most = min(MOST, math.ceil(most * min(2.0, growth)))
    if beyond > ROUGH:
        raise TooLargeError(f"more than {MOST} small jobs matter when no large one is left")
    beyond += NOISE * most**2 / max(1.0, float(squares.sum()))
    return _means(system, starts, distribution, beyond)


class _Starts(NamedTuple):
    """What comes next of m small jobs: the odds (M + 1, M + 1) of k small and e = 0 or 1 large
    ones, None for never; and the mean time until then, `before`, and the mean area under small
    jobs."""

    none: sparse.csr_array | None
    one: LinearOperator | sparse.csr_array
    before: Vector
    small_area: Vector


def _starts(system: _Rates, reading: Reading, most: int) -> _Starts:
    k, together = np.arange(most + 1), system.small_flow + system.large_flow
    if reading == "always":
        shape = (most + 1, most + 1)
        odds = np.where(k, 1.0, system.small_flow / together)
        none = sparse.csr_array((odds, (k, np.maximum(k, 1))), shape)
        one = sparse.csr_array(([system.large_flow / together], ([0], [0])), shape)
        return _Starts(none, one, np.where(k, 0.0, 1 / together), np.zeros(most + 1))
    one = Resolvent(system.small_flow, system.serving(most), system.large_flow)
    before = np.full(most + 1, 1 / system.large_flow)
    return _Starts(None, one, before, one @ k / system.large_flow)


def _rows(system: _Rates, most: int, count: int, *, large: bool) -> Matrix:
    """The distributions of m' (`count`, M + 1), given k = 0, 1, … small jobs and a large one or
    none."""
    n, threshold = system.servers, system.threshold
    size = next_fast_len(2 * (most + 1), real=True)
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    delayed = system.small_flow * (1 - z)
    busy = _busy(delayed, system.large_flow, system.large)
    cost = system.large_flow * (1 - busy)
    serving, up = system.serving(n), system.small_flow
    passing = np.empty((n + 1, len(z)), complex)
    passing[n] = _busy(cost, up, serving[n])
    for k in range(n - 1, threshold, -1):
        passing[k] = serving[k] / (cost + up + serving[k] - up * passing[k + 1])
    found = np.empty((count, most + 1))
    transform = busy if large else np.ones(len(z), complex)
    for first in range(0, count, TOGETHER):
        rows = np.empty((min(TOGETHER, count - first), len(z)), complex)
        for k in range(first, first + len(rows)):
            if 0 < k <= threshold:
                transform = transform * serving[k] / (serving[k] + cost + delayed)
            elif k > threshold:
                transform = transform * passing[min(k, n)]
            rows[k - first] = transform
        distribution = np.fft.irfft(rows, size, axis=1)[:, : most + 1]
        found[first : first + len(rows)] = np.where(distribution > NOISE, distribution, 0.0)
    return found


def _busy(s: NDArray[np.complex128], arrivals: float, rate: float) -> NDArray[np.complex128]:
    """The transform of the busy period of a single server; nothing is subtracted near s = 0."""
    total = s + arrivals + rate
    return 2 * rate / (total + np.sqrt(total**2 - 4 * arrivals * rate))


def _distribution(starts: _Starts, system: _Rates, most: int) -> Vector:
    """The distribution of m, from one time that no large job is left to the next."""
    if starts.none is None:
        moves = starts.one @ _rows(system, most, most + 1, large=True)
    else:
        moves = starts.none @ _rows(system, most, most + 1, large=False)
        # A large job comes first only where no small one is present.
        moves[0] += starts.one[[0], [0]] * _rows(system, most, 1, large=True)[0]
    balance = (np.eye(len(moves)) - moves / moves.sum(axis=1, keepdims=True)).T
    balance[0] = 1.0
    return np.linalg.solve(balance, np.eye(1, len(moves))[0])


def _means(system: _Rates, starts: _Starts, distribution: Vector, beyond: float) -> QuickswapMeans:
    """Areas of a cycle over its length."""
    most = len(distribution) - 1
    none = np.zeros(most + 1) if starts.none is None else distribution @ starts.none
    one = distribution @ starts.one
    swap, last, served_area = _times(system, most)
    k = np.arange(most + 1)
    time = swap.mean + last.mean
    square = swap.square + last.square + 2 * swap.mean * last.mean
    small, large, length = distribution @ starts.small_area, 0.0, distribution @ starts.before
    up, flow, mu = system.small_flow, system.large_flow, system.large
    gap = mu - flow
    busy_square = 2 * mu / gap**3 - 1 / gap**2
    large_time = 0.0
    for odds, there in ((none, 0), (one, 1)):
        # Large jobs when the last small ones have left, and small jobs that wait then.
        number = there + flow * time
        squares = there + (2 * there + 1) * flow * time + flow**2 * square
        waiting = up * (there * last.mean + flow * (last.square + swap.mean * last.mean))
        begun = number / gap
        begun_square = number * busy_square + squares / gap**2
        here = served_area + np.minimum(k, system.threshold) / system.small
        here = here + up * last.square / 2 + waiting / gap + up * begun_square / 2
        small += odds @ here
        beside = there * time + flow * square / 2
        large += odds @ (beside + squares / (2 * gap) + number * (mu + flow) / (2 * gap**2))
        large_time += odds @ begun
        length += odds @ (time + begun)
    known = flow / mu
    apart = abs(float(large_time / length) / known - 1)
    return QuickswapMeans(
        float(small / length), float(large / length), distribution, max(apart, beyond, ROUNDING)
    )


class _Time(NamedTuple):
    """The mean of a time, and of its square, given k."""

    mean: Vector
    square: Vector


def _times(system: _Rates, most: int) -> tuple[_Time, _Time, Vector]:
    """The time until at most ℓ small jobs are present, that until these have left, and the area
    under small jobs in the first."""
    n, up, serving = system.servers, system.small_flow, system.serving(most)
    k = np.arange(most + 1)
    gap = serving[n] - up
    mean, square = np.full(most + 1, 1 / gap), np.full(most + 1, 2 * serving[n] / gap**3)
    area = (k - 1) / gap + serving[n] / gap**2
    for i in range(n - 1, system.threshold, -1):
        out, above = up + serving[i], mean[i + 1]
        mean[i] = (1 + up * above) / serving[i]
        both = 2 / out + 2 * up / out * (above + mean[i])
        square[i] = (both + up * (square[i + 1] + 2 * above * mean[i])) / serving[i]
        area[i] = (i + up * area[i + 1]) / serving[i]
    counted = k > system.threshold
    swap = _sums(mean * counted, square * counted)
    left = (k > 0) & ~counted
    leave = np.divide(1.0, serving, out=np.zeros(most + 1), where=left)
    return swap, _sums(leave, 2 * leave**2), np.cumsum(area * counted)


def _sums(means: Vector, squares: Vector) -> _Time:
    """Sums of independent times, one after another."""
    before = np.cumsum(means) - means
    return _Time(np.cumsum(means), np.cumsum(squares + 2 * before * means))
