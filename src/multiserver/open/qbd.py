"""Quasi-birth-death processes whose level is the number of jobs in the system.

Level k holds m_k phases. Jobs arrive at rate λ in every phase and leave one at a time. Beyond level
B all levels are alike, so that π_{k+1} = π_k R for k ≥ B, π_k the stationary distribution on level
k. The sums X_i = Σ_{j≥0} C(j, i) π_{B+1+j} give the moments of N, the number of jobs; with X_{−1} =
π_B they are X_i = X_{i−1} R (I − R)⁻¹. The levels 0 … B are eliminated from above: with G_k the
distribution of the phase in which level k − 1 is first entered from level k,

    N_k = −(L_k + U_k G_{k+1}),   G_k = N_k⁻¹ D_k,   π_k = π_{k−1} U_{k−1} N_k⁻¹.

Every N_k is a diagonally dominant M-matrix whose row sums, D_k 1, are known exactly: small
probabilities keep their digits. By Little's law E[T] = E[N]/λ.

With α the stationary distribution of the phases in the repeating part, the process is positive
recurrent if and only if its *drift* α (U − D) 1 is negative (Neuts). If an arrival leaves the phase
as it is, U = λ I, α does not depend on λ and the condition reads λ < λ* = α D 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.elimination import distribution_of_rates
from multiserver.errors import UnstableError
from multiserver.open.solve import (
    FEW_ROUNDINGS,
    SumOverLevels,
    distribution_of_phases,
    first_passage,
    masses_of_powers,
    mean_sojourns,
    repeating_part,
)

Vector = NDArray[np.float64]

# The relative tolerance of arrival rates, which may be rounded or summed. A drift below the second
# number is rounding, not stability.
RATE_TOLERANCE = 1e-9
SMALLEST_DRIFT = 1e-14
# Unnormalised probabilities that sum to more are rescaled, before they overflow.
LARGE = 1e100


@dataclass(frozen=True, slots=True)
class Level:
    """Rates out of the m_k phases of level k (dense float64 arrays, 1/unit of time).

    `up` (m_k, m_{k+1}); `stay` (m_k, m_k), whose diagonal is ignored; `down` (m_k, m_{k−1});
    `in_service` (m_k,) jobs in service in each phase.
    """

    up: NDArray[np.float64]
    stay: NDArray[np.float64]
    down: NDArray[np.float64]
    in_service: Vector


@dataclass(frozen=True, slots=True)
class QuasiBirthDeath:
    """The process: arrival rate λ (jobs per unit of time), levels 0 … B, and all levels above.

    `boundary[k]` describes level k for k = 0 … B, B ≥ 1 (level 0 has `down` of shape (m_0, 0));
    `repeating` describes every level above B. Level B has the repeating level's phases, `up` and
    `stay`, and its own `down`.

    Raises `ValueError` if shapes do not fit together, if a rate is negative or not finite, if jobs
    do not arrive at rate λ in every phase, or if level B differs from the repeating level.
    """

    arrival_rate: float
    boundary: tuple[Level, ...]
    repeating: Level

    def __post_init__(self) -> None:
        object.__setattr__(self, "boundary", tuple(self.boundary))
        if not 0 < self.arrival_rate < math.inf:
            raise ValueError(
                f"arrival_rate must be a positive finite number, found {self.arrival_rate!r}"
            )
        if len(self.boundary) < 2:
            raise ValueError(f"levels 0 and 1 must be given, found {len(self.boundary)} levels")
        levels = [*self.boundary, self.repeating]
        sizes = [len(level.in_service) for level in levels]
        for k, (level, below, m, above) in enumerate(
            zip(levels, [0, *sizes], sizes, [*sizes[1:], sizes[-1]], strict=False)
        ):
            found = level.up.shape, level.stay.shape, level.down.shape, level.in_service.shape
            expected = (m, above), (m, m), (m, below), (m,)
            if found != expected:
                raise ValueError(
                    f"level {k} must have up, stay, down, in_service of shapes {expected},"
                    f" found {found}"
                )
        last = self.boundary[-1]
        for name in ("up", "stay"):
            mine, theirs = getattr(last, name), getattr(self.repeating, name)
            if mine is not theirs and not np.array_equal(mine, theirs):
                raise ValueError(f"level {self.top} must have the repeating level's {name}")
        values = np.concatenate(
            [x.ravel() for level in levels for x in (level.up, level.stay, level.down)]
            + [level.in_service for level in levels]
        )
        if not (values.min() >= 0 and values.max() < math.inf):
            raise ValueError("rates and jobs in service must be finite numbers, 0 or more")
        arrivals = np.concatenate([level.up.sum(axis=1) for level in levels])
        if abs(arrivals - self.arrival_rate).max() > RATE_TOLERANCE * self.arrival_rate:
            raise ValueError(
                f"jobs must arrive at rate {self.arrival_rate!r} in every phase,"
                f" found rates from {arrivals.min()!r} to {arrivals.max()!r}"
            )

    @property
    def top(self) -> int:
        """B, the last level with a description of its own."""
        return len(self.boundary) - 1


@dataclass(frozen=True, slots=True)
class StationaryDistribution:
    """The stationary distribution of a process and the moments of N, the number of jobs in the
    system.

    `boundary[k]` (m_k,) is π_k for k = 0 … B, `above` (m,) is Σ_{k>B} π_k, `rate_matrix` (m, m) is
    R. `mean_jobs` E[N], `variance` Var N, `mean_in_service` and `mean_waiting` (those not in
    service) count jobs, `mean_above` those above level B + 1, Σ_j j P(N = B + 1 + j); `drift` is
    the rate up minus the rate down in the repeating part (jobs per unit of time, negative);
    `roundings` bounds the relative errors of sums over levels, in roundings.
    """

    qbd: QuasiBirthDeath
    boundary: tuple[Vector, ...]
    above: Vector
    rate_matrix: NDArray[np.float64]
    drift: float
    mean_jobs: float
    variance: float
    mean_in_service: float
    mean_waiting: float
    mean_above: float
    roundings: float

    @property
    def mean_response_time(self) -> float:
        """E[T] = E[N]/λ."""
        return self.mean_jobs / self.qbd.arrival_rate

    @property
    def mean_waiting_time(self) -> float:
        """The mean time that a job spends in the system but not in service."""
        return self.mean_waiting / self.qbd.arrival_rate

    @property
    def throughput_limit(self) -> float:
        """α D 1, which is λ*, the same at every λ, if an arrival leaves the phase as it is."""
        return self.qbd.arrival_rate - self.drift

    @property
    def imprecision(self) -> float:
        """The relative error by rounding, within a factor of about ten: λ* − λ has few digits if it
        is small, and sums over levels if phases change rarely and the level grows long meanwhile;
        all else keeps its digits."""
        lost = self.roundings if self.roundings > FEW_ROUNDINGS else 1.0
        return float(np.finfo(float).eps) * max(lost, -self.throughput_limit / self.drift)

    @property
    def decay_rate(self) -> float:
        """η, the spectral radius of R: P(N = k + 1)/P(N = k) → η."""
        return float(abs(np.linalg.eigvals(self.rate_matrix)).max())

    def phase_distribution(self, level: int) -> Vector:
        """π_k (m_k,) on level k ≥ 0: probabilities that sum to P(N = k)."""
        if level < 0:
            raise ValueError(f"level must be 0 or more, found {level!r}")
        top = self.qbd.top
        if level <= top:
            return self.boundary[level]
        return self.boundary[top] @ np.linalg.matrix_power(self.rate_matrix, level - top)

    def level_probability(self, levels: ArrayLike) -> Vector | float:
        """P(N = k) for an integer k or an array of them (0 for k < 0)."""
        below = np.array([distribution.sum() for distribution in self.boundary])
        return self._by_level(levels, below, self.boundary[-1])

    def tail(self, levels: ArrayLike) -> Vector | float:
        """P(N > k) for an integer k or an array of them (1 for k < 0)."""
        masses = np.array([distribution.sum() for distribution in self.boundary])
        over = self.above.sum() + np.append(np.cumsum(masses[:0:-1])[::-1], 0.0)
        return self._by_level(levels, over, self.above, before=1.0)

    def _by_level(
        self, levels: ArrayLike, known: Vector, start: Vector, before: float = 0.0
    ) -> Vector | float:
        """`before` for k < 0, `known[k]` for k ≤ B and start R^(k−B) 1 above."""
        levels = np.asarray(levels)
        if levels.dtype.kind not in "iu":
            raise ValueError(f"levels must be integers, found {levels.dtype}")
        distinct, place = np.unique(levels, return_inverse=True)
        top = self.qbd.top
        value = np.where(distinct < 0, before, known[np.clip(distinct, 0, top)])
        higher = distinct > top
        value[higher] = masses_of_powers(start, self.rate_matrix, distinct[higher] - top)
        result = value[place].reshape(levels.shape)
        return result if levels.ndim else float(result)


def solve(qbd: QuasiBirthDeath) -> StationaryDistribution:
    """The stationary distribution of a process.

    Raises `UnstableError` if the drift of the repeating part is not negative, `ValueError` if its
    phases fall into several closed classes.
    """
    up, stay, down = qbd.repeating.up, qbd.repeating.stay, qbd.repeating.down
    phases = distribution_of_phases(up + stay + down)
    drift = _negative_drift(qbd, phases)
    passage, inverse = repeating_part(up, stay, down)
    rate_matrix = up @ inverse

    inverses = []
    for level in qbd.boundary[:0:-1]:
        inverses.append(mean_sojourns(level.stay + level.up @ passage, level.down))
        passage = first_passage(inverses[-1], level.down)
    ground = qbd.boundary[0]
    distributions = [distribution_of_rates(ground.stay + ground.up @ passage)]
    for level, inverse in zip(qbd.boundary, reversed(inverses), strict=False):
        distributions.append(distributions[-1] @ level.up @ inverse)
        # With 1000 servers an empty system may have a probability of e^−1000.
        if (mass := distributions[-1].sum()) > LARGE:
            distributions = [distribution / mass for distribution in distributions]

    sum_above = SumOverLevels(up, stay, down, rate_matrix, phases, drift)
    above, roundings = sum_above(distributions[-1])
    mass = math.fsum([*(distribution.sum() for distribution in distributions), above.sum()])
    distributions = tuple(distribution / mass for distribution in distributions)
    above /= mass
    once, more = sum_above(above)
    first, second = once.sum(), sum_above(once)[0].sum()

    beyond = len(distributions)
    mean_jobs = (
        sum(k * distribution.sum() for k, distribution in enumerate(distributions))
        + beyond * above.sum()
        + first
    )
    served = [level.in_service for level in qbd.boundary]
    waiting = sum(
        distribution @ (k - s)
        for k, (distribution, s) in enumerate(zip(distributions, served, strict=True))
    )
    busy = sum(distribution @ s for distribution, s in zip(distributions, served, strict=True))
    busy += above @ qbd.repeating.in_service
    offset = beyond - mean_jobs
    spread = sum(
        (k - mean_jobs) ** 2 * distribution.sum() for k, distribution in enumerate(distributions)
    )
    return StationaryDistribution(
        qbd=qbd,
        boundary=distributions,
        above=above,
        rate_matrix=rate_matrix,
        drift=drift,
        mean_jobs=float(mean_jobs),
        variance=float(spread + offset**2 * above.sum() + (2 * offset + 1) * first + 2 * second),
        mean_in_service=float(busy),
        mean_waiting=float(waiting + above @ (beyond - qbd.repeating.in_service) + first),
        mean_above=float(first),
        roundings=max(roundings, more),
    )


def _negative_drift(qbd: QuasiBirthDeath, phases: Vector) -> float:
    """α (U − D) 1; raises `UnstableError` unless it is negative."""
    up, leaving = qbd.repeating.up, float(phases @ qbd.repeating.down.sum(axis=1))
    drift = qbd.arrival_rate - leaving
    if drift >= -SMALLEST_DRIFT * leaving:
        phase_stays = np.count_nonzero(up) == np.count_nonzero(np.diagonal(up))
        bound = "λ* =" if phase_stays else "the rate at which they can leave,"
        raise UnstableError(
            f"jobs arrive at rate {qbd.arrival_rate!r}, which must be below {bound} {leaving!r}",
            arrival_rate=qbd.arrival_rate,
            limit=leaving if phase_stays else math.nan,
        )
    return drift
