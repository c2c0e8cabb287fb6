"""First come, first served multiserver jobs of phase-type durations, by sweeps over levels.

The chain is that of `age_process`: level q is the number of jobs undrawn behind a front
(`multiserver.fronts`), x_q (m) the distribution over settled fronts, y_0 (e) that over the
unsettled ones of level 0. Let M be the outflow, A₀ = moves + blocked, C = opened, E = settles,
F = further, and y_q the flows through unsettled fronts in which one of q jobs is drawn next. Then

    y_q = x_q C + y_{q+1} F,      x_q (M + λ − A₀) = λ x_{q−1} + y_{q+1} E      (q ≥ 1).

All matrices are sparse, with a few entries per front, and stay so: sweeps up and down the levels
balance one state after another until nothing changes (`iteration`, `gauss_seidel`). A sweep costs a
few operations for each front on each level. It takes 30 to 200 sweeps, more if more jobs are served
at once, and too many if a rare class holds up hundreds of jobs, so that E[Δ(Y_d)] is some dozens.

Sums are of positive numbers, so that rates may be decades apart. `SweptDistribution.imprecision`
estimates the remaining error, by Little's law and by the changes in the last sweeps. `age_process`
and `multiserver_jobs` are second routes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import listed
from multiserver.compiling import announced
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.fronts import Fronts, enumerate_fronts, interpolated
from multiserver.open.front_distribution import ROUGH, FrontDistribution, Vector, blocked_for
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased

# At most so many fronts are enumerated.
MOST_FRONTS = 200_000
# With fewer settled fronts dense matrices are as cheap; with more, interpolation is, if possible.
MIN_FRONTS, MAX_INTERPOLABLE = 200, 5_000
# The least error that is claimed: sweeps end when changes, not residuals, are near rounding.
MIN_IMPRECISION = 1e-11


@dataclass(frozen=True, eq=False)
class SweptDistribution(FrontDistribution):
    """The distribution, level by level: `levels` (Q + 1, m), beyond which it falls by the factor
    `fall` η a level; `remaining_change` estimates the relative change of E[N] by further sweeps."""

    levels: NDArray[np.float64]
    fall: float
    remaining_change: float

    @property
    def imprecision(self) -> float:
        """The largest of the imprecision of `FrontDistribution`, `remaining_change` and
        `MIN_IMPRECISION`."""
        return max(super().imprecision, self.remaining_change, MIN_IMPRECISION)

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
    """A system without its arrival rate: its fronts; λ* `limit` (jobs per unit of time); of the
    saturated system E[Δ] + 1, `excess`, and the distribution `time` (m,); and `blocked_for` as in
    `front_distribution`."""

    fronts: Fronts
    limit: float
    excess: float
    time: Vector
    blocked_for: NDArray[np.float64]

    @property
    def fronts_description(self) -> str:
        """How many settled fronts there are, in words."""
        return f"{len(self.fronts.head)} fronts"

    def at(self, arrival_rate: float, *, tails: bool = False) -> SweptDistribution:
        """The stationary distribution at arrival rate λ; with `tails`, small probabilities have as
        many digits as large ones, which takes more levels and more sweeps.

        Raises `UnstableError` unless λ < λ*, `TooLargeError` if the levels that matter have more
        than `iteration.MOST_NUMBERS` numbers, and `NotKnownError` if sweeps do not converge, or
        leave fewer than six digits.
        """
        require_stable(arrival_rate, self.limit)
        from multiserver.open.iteration import iterate

        with announced():
            distribution = iterate(self, arrival_rate, tails=tails)
        if not distribution.imprecision <= ROUGH:
            raise NotKnownError(
                f"the numbers in service of {self.fronts_description} are"
                f" {distribution.imprecision:.0e} off; simulate() takes any system"
            )
        return distribution


def prepare(jobs: PhasedJobs) -> LevelSweeps:
    """The fronts of a system, once for all arrival rates.

    Raises `TooLargeError` if there are more than `MOST_FRONTS`.
    """
    if not is_feasible(jobs):
        raise TooLargeError(
            f"{jobs.servers} servers and needs {listed(jobs.needs)} have"
            f" {sum(count_fronts(jobs)):.0f} fronts; {MOST_FRONTS} fit"
        )
    fronts = enumerate_fronts(jobs)
    saturated = phased.of_fronts(fronts)
    excess = saturated.mean_relative_completions + 1
    return LevelSweeps(fronts, saturated.throughput, excess, saturated.time, blocked_for(fronts))


def is_feasible(jobs: PhasedJobs) -> bool:
    """Whether `prepare` can take the system, decided by numbers of fronts alone."""
    return sum(count_fronts(jobs)) <= MOST_FRONTS


def is_cheapest(jobs: PhasedJobs) -> bool:
    """Whether `prepare` can take the system and no other method is cheaper."""
    m, _ = count_fronts(jobs)
    most = MAX_INTERPOLABLE if interpolated.applies(jobs) else np.inf
    return MIN_FRONTS < m <= most and is_feasible(jobs)
