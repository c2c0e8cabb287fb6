"""The distribution of an open queue, by sweeps over as many of its levels as matter.

A sweep up and down (`gauss_seidel`) follows whole runs of arrivals and whole runs of draws. Sweeps
are slow to move mass between levels. So after each one the levels are scaled into balance. Let t_qi
be the rate, for x_q as it is, at which more than i jobs are drawn at once on level q. The scales c
solve

    c_q λ|x_q| = Σ_{r>q} c_r t_{r,r−q−1},

from the top level down (aggregation and disaggregation: J. R. Koury, D. F. McAllister and W. J.
Stewart, SIAM J. Algebraic Discrete Methods 5, 1984). The next point is mixed from the last ones
(`anderson`). A level's shape, x_q over its mass, follows the masses of the levels below, so that
full scaling may overshoot for ever. It is damped, to c^(1/2), c^(1/4), …, while the change has not
halved in `PATIENCE` sweeps.

From level Q on the distribution falls by one factor, x_{q+1} = η x_q, where λ|x_Q| = Σ_i η^{i+1}
t_Qi. Q is doubled until the shapes of x_Q and x_{Q−1} are so near each other that this changes
nothing: `CLOSED` bounds their distance times the share of the mass above level 0 that lies beyond
Q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import gammaln

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.fronts import fronts_of_draws
from multiserver.open.anderson import Mixing
from multiserver.open.fcfs_levels import SweptDistribution
from multiserver.open.front_distribution import Vector
from multiserver.open.gauss_seidel import Chain, Columns, balancing_factors, draw, sweep
from multiserver.phased import UNSAMPLED

if TYPE_CHECKING:
    from multiserver.open.fcfs_levels import LevelSweeps

# At most so many entries of a distribution, and of the rates of draws.
MOST_NUMBERS = 2e7
MIN_LEVELS, DEPTH, MOST_SWEEPS = 16, 5, 400
PATIENCE = 20
# Mixing restarts when a change is so many times the last one.
WORSE = 3.0
# Draws of many jobs at once are left out of scales below this part of the highest rate of any.
NEGLIGIBLE_DRAWS = 1e-18
# At convergence: the change of a distribution, relative to P(N > 0), and the bound above on shapes.
CONVERGED, CLOSED = 1e-13, 1e-13
# For tails also: the distance of shapes, or the error that it leaves, and the relative change of
# the mass in settled fronts.
ALIKE, FARTHEST, TAILS = 1e-12, 1e-20, 1e-12
# The least share by which a sweep is assumed to shrink changes: less may be rounding.
ROUNDING = 1e-3
# 1 − η is about (1 − λ/λ*)/(E[Δ] + 1); shapes that are far off may give much less.
SLOWEST = 0.25


class _Beyond(NamedTuple):
    """How a distribution falls beyond Q: `fall` η; the `distance` of the last two shapes; and
    `open`, the error that it leaves."""

    fall: float
    distance: float
    open: float


class Sweeps:
    """The iteration at one arrival rate λ, over distributions (e + (Q + 1) m,)."""

    def __init__(self, process: LevelSweeps, rate: float) -> None:
        self.process, self.rate = process, rate
        fronts = process.fronts
        settled, rising = _order(fronts.counts, fronts.head), _order(fronts.room)[::-1]
        self.order = settled
        self._e, self._m = len(fronts.room), len(fronts.head)
        self._empty = int(np.argmin(fronts.room.sum(axis=1)))
        among = np.zeros(self._e, dtype=bool)
        among[fronts_of_draws(fronts)] = True
        places = rising[among[rising]]
        within = (fronts.moves + fronts.blocked)[settled][:, settled]
        opened, settles = fronts.opened[settled], fronts.settles[:, settled]
        out = within.sum(axis=1) + opened.sum(axis=1)
        emptying = fronts.emptier.sum(axis=1)
        arriving = fronts.settles.sum(axis=1) + fronts.further.sum(axis=1)
        level_0 = [[fronts.emptier + rate * fronts.further, rate * settles], [opened, within]]
        of_level_0 = np.arange(self._e, self._e + self._m)
        further = fronts.further[places][:, places]
        self.chain = Chain(
            arrivals=rate,
            within=Columns.of(within),
            opened=Columns.of(opened[:, places]),
            settles=Columns.of(settles[places]),
            further=Columns.of(further),
            level_0=Columns.of(sparse.block_array(level_0)),
            out_0=np.concatenate([emptying + rate * arriving, out + rate]),
            out=out,
            falling=np.concatenate([of_level_0, rising[::-1]]),
            rising=np.concatenate([rising, of_level_0]),
            drawn=places,
        )
        self._draws = _draws(opened[:, places], further)
        gap = 1 - rate / process.limit
        self.highest_fall = 1 - SLOWEST * gap / max(process.excess, 1.0)

    def first(self) -> tuple[Vector, float]:
        """An initial distribution, level 0 as with infinitely many servers and the others as in
        saturation, and its η."""
        jobs, room = self.process.fronts.jobs, self.process.fronts.room
        leaving = np.diag(jobs.exits + jobs.moves.sum(axis=1)) - jobs.moves
        entering = np.array(jobs.probabilities)[jobs.owner] * jobs.start
        present = np.linalg.solve(leaving.T, self.rate * entering)
        logs = room @ np.log(present) - gammaln(room + 1).sum(axis=1)
        base = np.exp(logs - logs.max())
        fall = self.rate / self.process.limit
        time = self.process.time[self.order]
        levels = (1 - fall) * np.outer(fall ** np.arange(MIN_LEVELS + 1), time / time.sum())
        return np.concatenate([base / base.sum(), levels.ravel()]), fall

    def levels(self, distribution: Vector) -> NDArray[np.float64]:
        """x_0, …, x_Q, a view."""
        return distribution[self._e :].reshape(-1, self._m)

    def busy(self, distribution: Vector) -> float:
        """P(N > 0), summed without a subtraction, as it may be small."""
        return float(distribution[: self._empty].sum() + distribution[self._empty + 1 :].sum())

    def changes(self, before: Vector, after: Vector) -> tuple[float, float]:
        """The change, relative to P(N > 0), and that in settled fronts, relative to their mass."""
        moved, behind = abs(after - before), after[self._e :].sum()
        among = float(moved[self._e :].sum() / behind) if behind > 0 else 0.0
        return float(moved.sum()) / self.busy(after), among

    def step(self, distribution: Vector, fall: float, trust: float) -> tuple[Vector, _Beyond]:
        """A sweep, then the levels scaled by c^`trust`: into balance, or part of the way."""
        distribution = distribution.copy()
        levels = self.levels(distribution)
        flows = np.zeros((len(levels), len(self.chain.drawn)))
        sweep(distribution, flows, fall, self.chain)
        mass, draws = levels.sum(axis=1), levels @ self._draws
        fall = self._fall(mass[-1], draws[-1])
        shapes = levels[-2:] / np.where(mass[-2:] > 0, mass[-2:], 1.0)[:, None]
        distance = abs(shapes[1] - shapes[0]).sum()
        scales = balancing_factors(mass, draws, self.rate, fall) ** trust
        distribution[: self._e] *= scales[0]
        levels *= scales[:, None]
        mass *= scales
        beyond = mass[-1] / (1 - fall)
        distribution /= distribution.sum() + fall * beyond
        waiting = mass[1:-1].sum() + beyond
        left_open = float(distance * beyond / waiting) if waiting > 0 else 0.0
        return distribution, _Beyond(fall, float(distance), left_open)

    def draw_rates(self, distribution: Vector, fall: float) -> Vector:
        """z (e,), the rates of draws in each unsettled front while others wait."""
        levels = self.levels(distribution)
        flows = np.zeros((len(levels), len(self.chain.drawn)))
        for q in range(len(levels) - 1, 0, -1):
            draw(levels, flows, q, fall, self.chain)
        found = np.zeros(self._e)
        found[self.chain.drawn] = flows[1:].sum(axis=0) + flows[-1] * (fall / (1 - fall))
        return found

    def _fall(self, mass: float, draws: Vector) -> float:
        """η, given |x_Q| and t_Q."""
        powers = np.arange(1, len(draws) + 1)

        def surplus(fall: float) -> float:
            return float(draws @ fall**powers) - self.rate * mass

        if surplus(self.highest_fall) <= 0:
            return self.highest_fall
        return float(brentq(surplus, 0.0, self.highest_fall, xtol=1e-16, rtol=1e-15))

    def extended(self, distribution: Vector, fall: float) -> Vector:
        """The distribution on twice as many levels."""
        levels = self.levels(distribution)
        more = np.outer(fall ** np.arange(1, len(levels)), levels[-1])
        if len(distribution) + more.size > MOST_NUMBERS:
            raise TooLargeError(
                f"{self._m} fronts on {2 * len(levels)} levels, and {self._e} where nobody waits:"
                f" more than {MOST_NUMBERS:.0e} numbers"
            )
        return np.concatenate([distribution, more.ravel()])


def iterate(process: LevelSweeps, arrival_rate: float, *, tails: bool = False) -> SweptDistribution:
    """The distribution at λ: steps, and further levels, until neither changes anything; with
    `tails`, not even small probabilities.

    Raises as `LevelSweeps.at` does.
    """
    sweeps = Sweeps(process, arrival_rate)
    distribution, fall = sweeps.first()
    mixing, trust, changes = Mixing(DEPTH), 1.0, [np.inf]
    for _ in range(MOST_SWEEPS):
        after, beyond = sweeps.step(distribution, fall, trust)
        fall = beyond.fall
        change, behind = sweeps.changes(distribution, after)
        changes.append(change)
        converged = change <= CONVERGED and (not tails or behind <= TAILS)
        closed = beyond.open == 0 or (beyond.open <= CLOSED and beyond.fall < sweeps.highest_fall)
        ends = not tails or beyond.distance <= ALIKE or beyond.open <= FARTHEST
        if closed and ends and converged:
            return _distribution(
                sweeps, after, fall, _remaining_change(sweeps, distribution, after, changes)
            )
        near = beyond.open > CLOSED and change < beyond.open / 10
        if near or (converged and not ends):
            distribution, mixing, changes = sweeps.extended(after, fall), Mixing(DEPTH), [np.inf]
            continue
        if tails and change <= CONVERGED:
            # Mixing would spoil small probabilities with the rounding of larger ones.
            distribution = after
            continue
        slow = len(changes) > PATIENCE and change > changes[0] / 2
        if slow or change > WORSE * changes[-2]:
            mixing = Mixing(DEPTH)
        if len(changes) > PATIENCE:
            trust, changes = trust / 2 if slow else trust, changes[-1:]
        mixed = mixing.next(distribution, after)
        distribution = np.where(mixed > 0, mixed, after)
    if closed and change <= CONVERGED:
        # Only small probabilities still change; `behind` says by how much.
        return _distribution(sweeps, distribution, fall, behind)
    raise NotKnownError(
        f"after {MOST_SWEEPS} sweeps over {len(sweeps.levels(distribution)) - 1} levels a"
        f" distribution of {sweeps.process.fronts_description} still changes by {changes[-1]:.0e};"
        " simulate() takes any system"
    )


def _remaining_change(
    sweeps: Sweeps, before: Vector, distribution: Vector, changes: list[float]
) -> float:
    """The relative change of E[N] by all further sweeps, if changes go on shrinking as in the last
    ones: the sum of a geometric series."""
    steps = min(len(changes) - 2, PATIENCE)
    shrinks = (changes[-1] / changes[-1 - steps]) ** (1 / steps) if steps > 0 else 0.5
    room, fronts = sweeps.process.fronts.room.sum(axis=1), sweeps.process.fronts
    inside = (fronts.counts.sum(axis=1) + (fronts.head != UNSAMPLED))[sweeps.order]
    q = np.arange(len(sweeps.levels(distribution)))[:, None]
    jobs = np.concatenate([room, (inside + q).ravel()])
    return float(
        jobs @ abs(distribution - before) / (jobs @ distribution) / max(1 - shrinks, ROUNDING)
    )


def _distribution(
    sweeps: Sweeps, distribution: Vector, fall: float, remaining_change: float
) -> SweptDistribution:
    fronts = sweeps.process.fronts
    levels = np.empty_like(sweeps.levels(distribution))
    levels[:, sweeps.order] = sweeps.levels(distribution)
    top = len(levels) - 1
    mass = levels.sum(axis=1)
    undrawn = np.arange(top) @ mass[:-1] + mass[-1] * (top + fall / (1 - fall)) / (1 - fall)
    return SweptDistribution(
        fronts=fronts,
        arrival_rate=sweeps.rate,
        unsettled=distribution[: len(fronts.room)],
        settled=levels[0],
        above=levels[1:-1].sum(axis=0) + levels[-1] / (1 - fall),
        undrawn=float(undrawn),
        draw_rates=sweeps.draw_rates(distribution, fall),
        blocked_for=sweeps.process.blocked_for,
        levels=levels,
        fall=fall,
        remaining_change=remaining_change,
    )


def _order(counts: NDArray[np.int64], head: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """An order in which completions and later phases lead to later states; states of a known head
    come first."""
    keys = [*(-counts.T), -counts.sum(axis=1)]
    return np.lexsort(keys if head is None else [*keys, head == UNSAMPLED])


def _draws(opened: sparse.csr_array, further: sparse.csr_array) -> NDArray[np.float64]:
    """t (m, J): the rates at which more than i jobs are drawn at once, if so many are undrawn."""
    chance = np.ones(further.shape[0])
    rates: list[Vector] = [opened @ chance]
    while (chance := further @ chance).any():
        rate = opened @ chance
        if rate.max() < NEGLIGIBLE_DRAWS * rates[0].max():
            break
        rates.append(rate)
        if len(rates) * opened.shape[0] > MOST_NUMBERS:
            raise TooLargeError(
                f"{opened.shape[0]} fronts in which {len(rates)} jobs or more are drawn at once:"
                f" more than {MOST_NUMBERS:.0e} numbers"
            )
    return np.stack(rates, axis=1)
