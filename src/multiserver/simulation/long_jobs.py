"""Waits while long jobs hold servers, as in a random environment.

Long jobs come and go so slowly that the short ones see them as a random environment: while L of
them are in service, each with z servers, n − zL are left. If long jobs are rare, nearly all waiting
may be in the few periods in which so many meet that the short ones exceed what is left. A single
server of the whole capacity does not show this; there a single long job delays all others.

Long jobs are numbers of M/M/s with the offered traffic a and s = n/z, of mean duration τ. Short
jobs of class c hold v_c servers for a time of the mean remaining duration r_c, a_c of them on
average. With the work V of short jobs that is present beyond that for which servers are left
(negative if servers idle), this is a diffusion in a random environment (S. Halfin and W. Whitt,
Oper. Res. 29, 1981, without it),

    dV = (d(L) − min(V, 0)/r) dt + σ dB,    d(L) = z min(L, s) − n + Σ v_c a_c,
    σ² = 2 Σ v_c² a_c r_c,    r = Σ v_c² a_c r_c / Σ v_c² a_c,

and max(V, 0)/(ρ n) the delay of a job that arrives. Where jobs of some short classes do not fit
beside the long ones, d(L) is at least the work v_c a_c of these classes; all d(L) are then reduced
by one number, so that their mean remains that of λ*. On a grid for V it is a Markov chain of (V, L)
with a generator A. With x = max(V, 0)/(ρ n) and the stationary mean E, the cumulants of ∫ x dt over
a long time t are ψ_1 t, 2 ψ_2 t and 6 ψ_3 t, as in `run_length`:

    ψ_1 = E[x],  A h_1 = ψ_1 − x,  ψ_2 = E[x h_1],  A h_2 = ψ_1 h_1 + ψ_2 − x h_1,  ψ_3 = E[x h_2],

for h_1 and h_2 of mean 0. Classes with different long durations count as one of the same mean and
variance of the number of servers held.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh_tridiagonal
from scipy.linalg.lapack import dgbtrf, dgbtrs
from scipy.optimize import brentq

from multiserver.simulation.blocking import exponential_mixture
from multiserver.simulation.workload import Workload
from multiserver.sizes import Size

# Jobs are long if they stay at least this many times as long as others.
LONGER = 4
# More long jobs at once are replaced by fewer that hold more servers each, with the same variance:
# the skewness changes by a few hundredths.
MOST_LONG = 20
# The grid of V grows by this ratio, up to steps of this size, to this largest value; the last two
# in units of the rate at which its distribution decays.
GROWTH, LARGEST_STEP, LARGEST = 1.2, 0.2, 25
# Points of the grid below 0, where servers idle.
BELOW = 50
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Environment:
    """`offered` long jobs on average, with `each` servers for the mean `duration`. Without them
    `left` of the `servers` are more than short jobs hold on average; `noise` σ² and `memory` r of
    the work of short jobs, and their `loads` v_c a_c by need, if they may not fit."""

    servers: float
    offered: float
    each: float
    duration: float
    left: float
    noise: float
    memory: float
    loads: tuple[tuple[float, float], ...] = ()

    @property
    def blocks(self) -> bool:
        """Whether a long job leaves too few servers for some of the short ones."""
        return any(need > self.servers - self.each + ROUNDING for need, _ in self.loads)

    def rates(self) -> tuple[NDArray, NDArray, NDArray]:
        """For L = 0, 1, …: the rates at which long jobs come and leave, and the drift of V > 0."""
        offered, each, more = self.offered, self.each, 0.0
        if offered > MOST_LONG:
            more = each * math.sqrt(offered * MOST_LONG) - each * offered
            each, offered = each * math.sqrt(offered / MOST_LONG), MOST_LONG
        present = np.arange(math.ceil(offered + 12 * math.sqrt(offered) + 14))
        served = np.minimum(present, max((self.servers + more) / each, 1.0))
        join = np.full(len(present), offered / self.duration)
        join[-1] = 0.0
        leave = served / self.duration
        held = each * served - more
        plain = held - self.left
        free = self.servers - held + ROUNDING
        stuck = sum((load * (need > free) for need, load in self.loads), np.zeros(len(free)))
        drift = np.where(stuck > 0, np.maximum(plain, stuck), plain)
        # λ* says what is left on average.
        weights = np.cumprod(np.append(1.0, join[:-1] / leave[1:]))
        drift -= weights @ (drift - plain) / weights.sum()
        return join, leave, drift

    def decay(self, join: NDArray, leave: NDArray, drift: NDArray) -> float:
        """θ, where P(V > x) is about exp(−θ x): E[exp(θ V)] neither grows nor falls."""
        beside = np.sqrt(join[:-1] * leave[1:])

        def growth(θ: float) -> float:
            diagonal = θ * drift - join - leave
            last = len(drift) - 1
            top = eigvalsh_tridiagonal(diagonal, beside, select="i", select_range=(last, last))
            return float(top[0]) + self.noise * θ**2 / 2

        scale = 1 / ((drift.max() - drift[0]) * self.duration)
        while growth(scale) < 0:
            scale *= 2
        least = scale
        while growth(least) > 0:
            least /= 2
        return float(brentq(growth, least, max(scale, 2 * least)))


def environments(
    workload: Workload, seen: Sequence[Size], capacity: float, overtake: bool = True
) -> Iterator[Environment]:
    """For each duration that is long against the shorter ones, the jobs that stay as long or longer
    as the environment of the others; `capacity` is the number of servers in use at λ*. Where jobs
    may `overtake`, those that do not fit are looked at by need."""
    a, v, r = _phases(workload, seen)
    last = r.min()
    for cut in sorted(set(r.tolist())):
        if cut < LONGER * last:
            continue
        last, long = cut, r >= cut
        square, slow = v**2 * a, float((v**2 * a * r)[~long].sum())
        variance = float(square[long].sum())
        each = variance / float((v * a)[long].sum())
        needs = sorted(set(v[~long].tolist())) if overtake else []
        yield Environment(
            workload.servers,
            offered=variance / each**2,
            each=each,
            duration=float((square * r)[long].sum()) / variance,
            left=capacity - float((v * a)[~long].sum()),
            noise=2 * slow,
            memory=slow / float(square[~long].sum()),
            loads=tuple((need, float((v * a)[~long & (v == need)].sum())) for need in needs),
        )


@lru_cache(maxsize=256)
def cumulants(environment: Environment) -> tuple[float, float]:
    """2 ψ_2 and 6 ψ_3 of ∫ max(V, 0) dt, of the dimension of work² · time and work³ · time²."""
    join, leave, drift = environment.rates()
    if drift.max() - drift.min() <= ROUNDING * abs(drift[0]):
        return 0.0, 0.0
    V, chain = _chain(environment, join, leave, drift)
    π, x = chain.distribution, np.maximum(V, 0)
    ψ_1 = π @ x
    h_1 = chain.solution(ψ_1 - x)
    ψ_2 = π @ (x * h_1)
    h_2 = chain.solution(ψ_1 * h_1 + ψ_2 - x * h_1)
    return 2 * float(ψ_2), 6 * float(π @ (x * h_2))


class BandedChain:
    """A Markov chain on a grid, whose states are numbered row by row: the rates (M, K) at which it
    goes to the next and to the former row, and to the next and to the former column."""

    def __init__(self, rise: NDArray, fall: NDArray, join: NDArray, leave: NDArray) -> None:
        self._wide = K = rise.shape[1]
        moves = {K: rise, -K: fall, 1: join, -1: leave}
        band = np.zeros((3 * K + 1, rise.size))
        band[2 * K] = -sum(rates.ravel() for rates in moves.values())
        for step, rates in moves.items():
            band[2 * K - step, max(step, 0) : min(step, 0) or None] = rates.ravel()[
                max(-step, 0) : min(-step, 0) or None
            ]
        # The balance equations without the first state, whose function value is 0.
        self._factors, self._pivots, _ = dgbtrf(band[:, 1:], K, K)
        first = np.zeros(rise.size - 1)
        first[[0, K - 1]] = join[0, 0], rise[0, 0]
        weights = np.append(1.0, self._solve(-first, transposed=True))
        self.distribution = weights / weights.sum()

    def solution(self, right: NDArray) -> NDArray:
        """The function h of mean 0 that the generator takes to `right`, which has mean 0."""
        h = np.append(0.0, self._solve(right[1:]))
        return h - self.distribution @ h

    def _solve(self, right: NDArray, *, transposed: bool = False) -> NDArray:
        K = self._wide
        return dgbtrs(self._factors, K, K, right, self._pivots, trans=int(transposed))[0]


def _phases(workload: Workload, seen: Sequence[Size]) -> NDArray:
    """The offered number a, the need v and the mean remaining duration r of the jobs of each
    exponential branch of each class (3, ·)."""
    rows = []
    for p, v, S in zip(workload.probabilities, workload.needs, seen, strict=True):
        mean, *higher = (S.moment(k) for k in (1, 2, 3, 4))
        remaining = [moment / (k * mean) for k, moment in enumerate(higher, start=2)]
        offered = workload.arrival_rate * p * mean
        rows += [(offered * q, v, r) for q, r in exponential_mixture(*remaining) if q > 0]
    return np.array(rows).T


def _chain(
    environment: Environment, join: NDArray, leave: NDArray, drift: NDArray
) -> tuple[NDArray, BandedChain]:
    """V of each state, and the chain of V (rows) and L (columns)."""
    V = _grid(environment, drift, environment.decay(join, leave, drift))
    drift = drift - np.minimum(V, 0)[:, None] / environment.memory
    # Upwind differences for the drift, so that all rates are positive.
    gap, noise = np.diff(V)[:, None], environment.noise
    width = np.concatenate([2 * gap[:1], gap[1:] + gap[:-1], 2 * gap[-1:]])
    rise, fall = np.zeros((2, *drift.shape))
    rise[:-1] = (np.maximum(drift, 0)[:-1] + noise / width[:-1]) / gap
    fall[1:] = (np.maximum(-drift, 0)[1:] + noise / width[1:]) / gap
    moves = (np.tile(rates, (len(V), 1)) for rates in (join, leave))
    return np.repeat(V, len(join)), BandedChain(rise, fall, *moves)


def _grid(environment: Environment, drift: NDArray, decay: float) -> NDArray:
    """Values of V from where nearly all servers idle to where hardly any mass lies beyond."""
    e, left = environment, -float(drift[0])
    least = min(0.03 * float(np.diff(drift).max()) * e.duration, 0.2 * e.noise / left)
    idle = e.memory * left + 6 * math.sqrt(e.noise * e.memory / 2)
    above = [least]
    while above[-1] < LARGEST / decay:
        above.append(above[-1] + min((GROWTH - 1) * above[-1], LARGEST_STEP / decay))
    below = np.geomspace(least, max(idle, 2 * least), BELOW)
    return np.concatenate([-below[::-1], [0.0], above])
