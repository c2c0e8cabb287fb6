"""The bounded Pareto distribution, used for durations that vary over decades."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from multiserver.checks import require_integer
from multiserver.sizes.non_phase_type import not_phase_type
from multiserver.sizes.parameters import positive

# A Gauss-Legendre rule for narrow or steep distributions, and the exponent at which it is cut off.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
DECAYED = 45.0


@dataclass(frozen=True, slots=True)
class BoundedPareto:
    """P(S > x) = ((low/x)^shape − (low/high)^shape)/(1 − (low/high)^shape) for low ≤ x ≤ high.

    ln(S/low) is exponential with rate `shape`, conditioned to be at most ln(high/low). All moments
    are finite. Raises `ValueError` unless the parameters are within range and low < high.

    >>> from multiserver.sizes import BoundedPareto
    >>> round(BoundedPareto(shape=1.5, low=1.0, high=1000.0).mean, 12)
    2.90522354143
    """

    shape: float
    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("shape", "low", "high"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        if not self.low < self.high:
            raise ValueError(f"low must be below high, found {self.low!r} and {self.high!r}")

    @property
    def mean(self) -> float:
        """E[S]."""
        return self.low * (1 + self._excess(1))

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return self.moment(2)

    @property
    def variance(self) -> float:
        """E[S²] − E[S]², from moments of S/low − 1, small if the distribution is narrow."""
        return self.low**2 * (self._excess(2) - self._excess(1) ** 2)

    def moment(self, k: int) -> float:
        """E[S^k] = low^k ∫ e^{(k − shape) t} dt / ∫ e^{−shape t} dt over 0 ≤ t ≤ ln(high/low)."""
        k, span = require_integer("k", k, least=0), self._span
        return self.low**k * (_integral(k - self.shape, span) / _integral(-self.shape, span))

    @property
    def largest_remaining(self) -> float:
        """rem_max, attained at age 0 or at an age between `low` and `high`."""
        from scipy.optimize import minimize_scalar

        span = self._span

        def left(t: float) -> float:
            older = BoundedPareto(self.shape, self.low * math.exp(t), self.high)
            return older.low * older._excess(1)

        *ages, last = np.linspace(0, span, 101).tolist()
        most = max(range(len(ages)), key=[left(t) for t in ages].__getitem__)
        around = ages[max(most - 1, 0)], [*ages, last][most + 1]
        found = minimize_scalar(lambda t: -left(t), bounds=around, method="bounded")
        return max(self.mean, left(ages[most]), -float(found.fun))

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)

    @property
    def _span(self) -> float:
        """ln(high/low), with all digits if the two are close."""
        return math.log1p((self.high - self.low) / self.low)

    def _excess(self, k: int) -> float:
        """E[(S/low − 1)^k] for k = 1 or 2; by quadrature where the closed form would cancel."""
        span = self._span
        if self.shape <= 5 and span >= 1:
            first = _integral(1 - self.shape, span) / _integral(-self.shape, span)
            if k == 1:
                return first - 1
            second = _integral(2 - self.shape, span) / _integral(-self.shape, span)
            return second - 2 * first + 1
        # The integrand of E[(S/low)^k] decays like e^−(shape − k) t.
        end = min(span, DECAYED / (self.shape - k)) if self.shape > k else span
        t = end * (NODES + 1) / 2
        weights = end / 2 * WEIGHTS * np.exp(-self.shape * t)
        return float(weights @ np.expm1(t) ** k / weights.sum())


def _integral(rate: float, span: float) -> float:
    """∫ e^{rate t} dt over 0 ≤ t ≤ span."""
    return math.expm1(rate * span) / rate if rate else span
