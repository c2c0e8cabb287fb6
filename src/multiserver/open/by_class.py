"""Mean response times class by class under FCFS, from the distribution of fronts and levels.

A job is first *undrawn* behind the front, then perhaps blocks the head of the queue, then is in
service. By Little's law, and as the front in which a job is drawn is independent of its class,

    E[T_c] = E[N_q]/λ + B_c + 1/μ_c,    B_c = Σ_u f_u τ_c(u),

which is derived in `front_distribution`. Here the distribution is that of `multiserver_jobs`, level
by level. Let x_q (m,) be the probabilities of settled fronts behind which q jobs are undrawn, and
C = opened, F = further the matrices of `multiserver.fronts`. Jobs are drawn in unsettled fronts at
the rates z = Σ_q y_q, where y_q = x_q C + y_{q+1} F, and so

    z (I − F) = Σ_{q≥1} x_q C − y_1 F.

This goes beyond the papers, which give E[T] over all classes together.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from multiserver.fronts import Fronts, enumerate_fronts, flow_of_draws
from multiserver.model import MultiserverJobSystem
from multiserver.open.front_distribution import Vector, blocked_for
from multiserver.open.multiserver_jobs import FcfsBlocks
from multiserver.open.qbd import StationaryDistribution, solve
from multiserver.phased import UNSAMPLED, PhasedJobs

# Systems whose fronts are cached along curves over the load.
REMEMBERED = 4


def response_times(blocks: FcfsBlocks, arrival_rate: float) -> NDArray[np.float64]:
    """E[T_c] (classes,) in units of time at arrival rate λ.

    Raises `UnstableError` unless λ < λ*.
    """
    return of_distribution(blocks, solve(blocks.at(arrival_rate)))


def of_distribution(
    blocks: FcfsBlocks, distribution: StationaryDistribution
) -> NDArray[np.float64]:
    """The same, given the distribution of these blocks at the arrival rate λ."""
    return waiting_times(blocks, distribution) + 1 / np.array(blocks.system.rates)


def waiting_times(blocks: FcfsBlocks, distribution: StationaryDistribution) -> NDArray[np.float64]:
    """E[W_c] (classes,) without a subtraction, so that short waits keep their digits."""
    arrival_rate = distribution.qbd.arrival_rate
    fronts, times = _fronts_of(blocks.system)
    levels = _Levels(blocks, distribution, fronts)
    found = levels.unsettled + levels.draw_rates() / arrival_rate
    return (levels.undrawn + distribution.mean_above) / arrival_rate + found @ times


@lru_cache(REMEMBERED)
def _fronts_of(system: MultiserverJobSystem) -> tuple[Fronts, NDArray[np.float64]]:
    """The fronts and τ (e, C)."""
    fronts = enumerate_fronts(PhasedJobs.exponential(system))
    return fronts, blocked_for(fronts)


class _Levels:
    """A distribution over fronts and the numbers of jobs undrawn behind them."""

    def __init__(
        self, blocks: FcfsBlocks, distribution: StationaryDistribution, fronts: Fronts
    ) -> None:
        self.fronts = fronts
        settled = zip(map(tuple, fronts.counts.tolist()), fronts.head.tolist(), strict=True)
        place = {front: i for i, front in enumerate(settled)}
        room = {tuple(u): i for i, u in enumerate(fronts.room.tolist())}
        self.unsettled = np.zeros(len(room))
        self.behind = np.zeros(len(place))
        # Without the jobs above level B + 1.
        self.undrawn = 0.0
        inside = fronts.counts.sum(axis=1) + (fronts.head != UNSAMPLED)
        # At most so many jobs are drawn at once.
        self._first = np.zeros((inside.max() + 2, len(place)))
        levels = [*zip(blocks.fronts, distribution.boundary, strict=False)]
        beyond = distribution.boundary[-1]
        for _ in range(2 * int(inside.max()) - distribution.qbd.top + 1):
            beyond = beyond @ distribution.rate_matrix
            levels.append((blocks.fronts[-1], beyond))
        for k, (listed, masses) in enumerate(levels):
            rows = np.array([place.get(front, -1) for front in listed])
            known = np.flatnonzero(rows >= 0)
            rows, mass = rows[known], masses[known]
            q = k - inside[rows]
            near = q < len(self._first)
            np.add.at(self._first, (q[near], rows[near]), mass[near])
            if k <= distribution.qbd.top:
                np.add.at(self.behind, rows[q > 0], mass[q > 0])
                self.undrawn += float(mass @ q)
                for i in np.flatnonzero([front not in place for front in listed]):
                    self.unsettled[room[listed[i][0]]] += masses[i]
        rows = np.array([place[front] for front in blocks.fronts[-1]])
        self.behind[rows] += distribution.above
        self.undrawn += float(distribution.above @ (distribution.qbd.top + 1 - inside[rows]))

    def draw_rates(self) -> Vector:
        """z (e,)."""
        opened, further = self._first @ self.fronts.opened, self.fronts.further.T.tocsr()
        flow = np.zeros(len(self.unsettled))
        for q in range(len(self._first) - 1, 0, -1):
            flow = opened[q] + further @ flow
        return flow_of_draws(self.fronts, self.behind @ self.fronts.opened - further @ flow)
