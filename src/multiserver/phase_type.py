"""Phase-type distributions with any initial distribution and any rates.

A job starts in phase i with probability α_i, moves from phase i to phase j at rate T_ij and
completes from phase i at rate t_i = −Σ_j T_ij ≥ 0, so that P(S > x) = α exp(T x) 1 and
E[S^k] = k! α (−T)^−k 1. Exponential, Erlang, hyperexponential and Coxian distributions are
phase-type; every distribution on the positive half line is a limit of them (M. F. Neuts,
Matrix-Geometric Solutions in Stochastic Models, 1981, Chapter 2).

`PhaseType` is a size like those of `multiserver.sizes`; `coxian` makes one whose phases are passed
in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import (
    LARGEST,
    LARGEST_FACTORIAL,
    SUM_TOLERANCE,
    as_float,
    is_number,
    members,
    require_integer,
    require_number,
)

# An exit rate below this fraction of a row's diagonal is rounding of a row that sums to 0.
ROUNDING = 1e-13
# The number of cached moments.
MOMENT_CACHE_SIZE = 32


@dataclass(frozen=True, slots=True)
class PhaseType:
    """The time to absorption from `initial` α (m probabilities) under the `generator` T (m rows of
    m rates).

    Raises `ValueError` unless α sums to 1, T has a negative diagonal within [1e-100, 1e100], no
    negative number off it and no positive row sum, and absorption is reached from every phase.

    >>> from multiserver.phase_type import PhaseType
    >>> PhaseType(initial=(1.0, 0.0), generator=((-2.0, 2.0), (0.0, -4.0))).mean
    0.75
    """

    initial: tuple[float, ...]
    generator: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        initial = _numbers("initial must be a list of", self.initial)
        if (rows := members(self.generator)) is None:
            raise ValueError(f"generator must be a list of rows, found {self.generator!r}")
        rows = tuple(_numbers("a row of the generator must be", row) for row in rows)
        m = len(initial)
        if m == 0 or len(rows) != m or any(len(row) != m for row in rows):
            raise ValueError(
                f"generator must be {m} rows of {m} numbers, one a phase of `initial`,"
                f" found rows of {[len(row) for row in rows]}"
            )
        total = math.fsum(initial)
        if not (min(initial) >= 0 and abs(total - 1) <= SUM_TOLERANCE):
            raise ValueError(f"initial must be probabilities that sum to 1, found {initial!r}")
        for i, row in enumerate(rows):
            outside = [rate for j, rate in enumerate(row) if j != i]
            if not (-math.inf < row[i] < 0 and min(outside, default=0.0) >= 0):
                raise ValueError(
                    "a row of the generator must be negative on the diagonal and nowhere else,"
                    f" found {row!r}"
                )
            if not 1 / LARGEST <= -row[i] <= LARGEST:
                raise ValueError(f"rates must lie in [1e-100, 1e100], found {-row[i]!r}")
            if not math.fsum(row) <= ROUNDING * -row[i]:
                raise ValueError(f"a row of the generator must sum to 0 or less, found {row!r}")
        object.__setattr__(self, "initial", tuple(p / total for p in initial))
        object.__setattr__(self, "generator", rows)
        if not self._ends():
            raise ValueError("a job must complete from every phase in the end; one never does")

    @property
    def mean(self) -> float:
        """E[S]."""
        return self.moment(1)

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return self.moment(2)

    @property
    def variance(self) -> float:
        """E[S²] − E[S]²."""
        mean = self.mean
        return self.second_moment - mean * mean

    @property
    def largest_remaining(self) -> float:
        """An upper bound on rem_max: the largest mean remaining time over the phases."""
        _, rates = self.phases()
        return float(_reward_until_absorption(rates, np.ones(len(rates))).max())

    def phases(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """α (m,) and T (m, m) of the phases that can be entered."""
        initial, rates = np.array(self.initial), np.array(self.generator)
        entered = _reachable(initial > 0, rates > 0)
        return initial[entered], rates[np.ix_(entered, entered)]

    def scaled(self, factor: float) -> PhaseType:
        """The distribution of `factor` times S. Raises `ValueError` unless it is a number."""
        factor = require_number("factor", factor)
        rows = tuple(tuple(rate / factor for rate in row) for row in self.generator)
        return PhaseType(self.initial, rows)

    def moment(self, k: int) -> float:
        """E[S^k] = k! α (−T)^{−k} 1. Raises `ValueError` unless k is a non-negative integer of
        at most 170, beyond which k! is no float."""
        if require_integer("k", k, least=0) > LARGEST_FACTORIAL:
            raise ValueError(f"k must be at most {LARGEST_FACTORIAL}, found {k!r}")
        return _moment(self, int(k))

    def _ends(self) -> bool:
        ends = np.array([exit_rate(row, i) > 0 for i, row in enumerate(self.generator)])
        return bool(_reachable(ends, np.array(self.generator).T > 0).all())


def _numbers(expected: str, given: object) -> tuple[float, ...]:
    """The numbers in a list as floats. Raises `ValueError`, with what is `expected`, for others."""
    found = members(given)
    if found is None or not all(map(is_number, found)):
        raise ValueError(f"{expected} numbers, found {given!r}")
    return tuple(map(as_float, found))


def _reachable(first: NDArray[np.bool_], leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which phases (m,) can be reached from the `first`, themselves included, along `leads`
    (m, m)."""
    found, pending = first.copy(), np.flatnonzero(first).tolist()
    while pending:
        after = np.flatnonzero(leads[pending.pop()] & ~found)
        found[after] = True
        pending += after.tolist()
    return found


# Cached: moments are used repeatedly, and a distribution may have a thousand phases.
@lru_cache(MOMENT_CACHE_SIZE)
def _moment(distribution: PhaseType, k: int) -> float:
    """E[S^k]."""
    initial, rates = distribution.phases()
    power = np.ones(len(rates))
    for _ in range(k):
        power = _reward_until_absorption(rates, power)
    return math.factorial(k) * float(initial @ power)


def _reward_until_absorption(
    rates: NDArray[np.float64], reward: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(−T)^−1 g for T = `rates` (m, m): the mean reward until absorption from each phase (m,), at
    the rate g_i ≥ 0 of `reward` in phase i. Phases are eliminated one by one without a subtraction:
    jobs that move many times before they complete keep the digits of their exit rates."""
    ends = np.array([exit_rate(row, i) for i, row in enumerate(rates.tolist())])
    rates, total, leaving = rates.copy(), reward.copy(), np.zeros(len(rates))
    for k in range(len(rates) - 1, -1, -1):
        leaving[k] = rates[k, :k].sum() + ends[k]
        into = np.flatnonzero(rates[:k, k])
        share = rates[into, k] / leaving[k]
        rates[into, :k] += np.outer(share, rates[k, :k])
        ends[into] += share * ends[k]
        total[into] += share * total[k]
    for k in range(len(rates)):
        total[k] = (total[k] + rates[k, :k] @ total[:k]) / leaving[k]
    return total


def exit_rate(row: Sequence[float], phase: int) -> float:
    """t_i of a row of T: minus its sum, or 0 if that is only rounding."""
    found = -math.fsum(row)
    return found if found > ROUNDING * -row[phase] else 0.0


def coxian(rates: Sequence[float], further: Sequence[float]) -> PhaseType:
    """Phases in order, left at `rates` (m,). After phase i the next phase follows with probability
    `further[i]` (m − 1,); otherwise the job completes.

    Raises `ValueError` unless all rates are positive and all of `further` are probabilities.

    >>> coxian(rates=(2.0, 1.0), further=(0.5,)).mean
    1.0
    """
    rates = _numbers("rates must be a list of", rates)
    further = _numbers("further must be a list of", further)
    m = len(rates)
    if len(further) != m - 1 or not all(0 <= q <= 1 for q in further):
        raise ValueError(
            f"further must be {m - 1} probabilities, one a phase but the last; found {further!r}"
        )
    rows = np.diag([-rate for rate in rates])
    for i, q in enumerate(further):
        rows[i, i + 1] = rates[i] * q
    return PhaseType((1.0,) + (0.0,) * (m - 1), tuple(map(tuple, rows.tolist())))
