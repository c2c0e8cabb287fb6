"""First come, first served multiserver jobs of phase-type durations, by sweeps over levels.

The chain is that of `age_process`: level q is the number of jobs undrawn behind a front
(`multiserver.fronts`), x_q (m) the distribution over settled fronts, y_0 (e) that over the
unsettled ones of level 0. With M the outflow, A₀ = moves + blocked, C = opened, E = settles and F =
further, and y_q the flows through unsettled fronts in which one of q jobs is drawn next,

    y_q = x_q C + y_{q+1} F,      x_q (M + λ − A₀) = λ x_{q−1} + y_{q+1} E      (q ≥ 1).

All matrices are sparse, a few numbers a front, and stay so: balances are swept up and down the
levels until nothing changes (`iteration`, `gauss_seidel`). A sweep costs a few numbers for each
front on each level, and it takes 30 to 200 of them, the more the more jobs are served at once; too
many where a rare class holds up hundreds of jobs, so that E[Δ(Y_d)] is some dozens.

Sums are of positive numbers, so that rates may be decades apart. `SweptDistribution.imprecision`
tells what is left, by Little's law and by what the last sweeps have changed. Second routes are
`age_process` and `multiserver_jobs`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.fronts import Fronts, enumerate_fronts, interpolated
from multiserver.open.front_distribution import ROUGH, FrontDistribution, Vector, blocked_for
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased

# Fronts that are listed.
MOST_FRONTS = 200_000
# Fewer settled fronts are as cheap in dense matrices, more as cheap interpolated, if they can be.
FEWEST, MOST_SMOOTH = 200, 5_000
# What sweeps promise at best: they end where changes are near rounding, not balances.
LEAST = 1e-11


@dataclass(frozen=True, eq=False)
class SweptDistribution(FrontDistribution):
    """The distribution, level by level: `levels` (Q + 1, m), beyond which it falls by `fall` η; and
    what is `left` of E[N] to further sweeps, relatively."""

    levels: NDArray[np.float64]
    fall: float
    left: float

    @property
    def imprecision(self) -> float:
        """That of `FrontDistribution`, what is left to further sweeps or `LEAST`, whichever is
        most."""
        return max(super().imprecision, self.left, LEAST)

    def tail(self, k: int) -> float:
        """P(N > k)."""
        over = float(self.unsettled[self.fronts.room.sum(axis=1) > k].sum())
        top = len(self.levels) - 1
        for q in range(top):
            over += float(self.levels[q, self.inside + q > k].sum())
        missing = np.maximum(k + 1 - self.inside - top, 0)
        return over + float(self.levels[top] @ self.fall**missing / (1 - self.fall))


@dataclass(frozen=True, eq=False)
class LevelSweeps:
    """A system but for its arrival rate: its fronts, λ* `limit` (jobs per unit of time), and
    E[Δ] + 1, `excess`, of the saturated system, whose distribution is `time` (m,); and
    `blocked_for` of `front_distribution`."""

    fronts: Fronts
    limit: float
    excess: float
    time: Vector
    blocked_for: NDArray[np.float64]

    @property
    def told_apart(self) -> str:
        """How many fronts are told apart, in words."""
        return f"{len(self.fronts.head)} fronts"

    def at(self, arrival_rate: float, *, tails: bool = False) -> SweptDistribution:
        """The stationary distribution at arrival rate λ; with `tails` small probabilities have as
        many digits as large ones, for which more levels are swept more often.

        Raises `UnstableError` unless λ < λ*, `TooLargeError` if the levels that matter have more
        than `iteration.MOST_NUMBERS` numbers, and `NotKnownError` if sweeps do not settle,
        or settle where six digits are not left.
        """
        require_stable(arrival_rate, self.limit)
        from multiserver.open.iteration import settle

        with announced():
            distribution = settle(self, arrival_rate, tails=tails)
        if not distribution.imprecision <= ROUGH:
            raise NotKnownError(
                f"the numbers in service of {self.told_apart} are {distribution.imprecision:.0e}"
                " off; simulate() takes any system"
            )
        return distribution


def prepare(jobs: PhasedJobs) -> LevelSweeps:
    """The fronts of a system, once for all arrival rates.

    Raises `TooLargeError` if they are more than `MOST_FRONTS`.
    """
    if not reaches(jobs):
        raise TooLargeError(
            f"{jobs.servers} servers and needs {jobs.needs} have {sum(count_fronts(jobs)):.0f}"
            f" fronts; {MOST_FRONTS} fit"
        )
    fronts = enumerate_fronts(jobs)
    saturated = phased.of_fronts(fronts)
    excess = saturated.mean_relative_completions + 1
    return LevelSweeps(fronts, saturated.throughput, excess, saturated.time, blocked_for(fronts))


def reaches(jobs: PhasedJobs) -> bool:
    """Whether `prepare` has room, told from counts alone."""
    return sum(count_fronts(jobs)) <= MOST_FRONTS


def pays(jobs: PhasedJobs) -> bool:
    """Whether `prepare` has room and no other method is cheaper."""
    m, _ = count_fronts(jobs)
    return FEWEST < m <= (MOST_SMOOTH if interpolated.applies(jobs) else np.inf) and reaches(jobs)
