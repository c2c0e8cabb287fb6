"""Two distributions that are fitted to logs of durations, lognormal and Weibull; neither is
phase-type.

Their moments are E[S^k] = median^k exp(k² σ²/2) and scale^k Γ(1 + k/shape). The share of E[S^k]
from sizes up to x is Φ(z − k σ) for the lognormal, with z = ln(x/median)/σ, and
P(1 + k/shape, (x/scale)^shape) for the Weibull, with P the regularised incomplete gamma function.
All moments are finite, but a run of J jobs shows little of the high ones: `seen` is the
distribution up to the size that one of J jobs exceeds on average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

from multiserver.checks import require_integer
from multiserver.sizes.non_phase_type import not_phase_type
from multiserver.sizes.parameters import positive

# Outside these limits, where c² = 9e6 and 2e5, E[S⁶], on which the judgement of simulations
# rests, is of no use.
MOST_SIGMA, LEAST_SHAPE = 4.0, 0.1
# ln Γ(1 + 2x) − 2 ln Γ(1 + x) = Σ ζ(j) (−x)^j (2^j − 2)/j over j ≥ 2, for 2x < 1. For x ≤
# SERIES_LIMIT the error is about 0.2^SERIES_TERMS.
SERIES_LIMIT, SERIES_TERMS = 0.1, 26


@dataclass(frozen=True, slots=True)
class Truncated:
    """A lognormal or Weibull distribution, conditioned on S being at most the size that one of
    `jobs` exceeds on average."""

    distribution: Lognormal | Weibull
    jobs: float

    def moment(self, k: int) -> float:
        """E[S^k]."""
        part = self.distribution.share_below(k, self.jobs) / (1 - 1 / (1 + self.jobs))
        return self.distribution.moment(k) * part


@dataclass(frozen=True, slots=True)
class Lognormal:
    """ln S is normal, of mean ln(`median`) and standard deviation `sigma`.

    c² = exp(σ²) − 1. Raises `ValueError` unless both are within range and sigma is at most 4.

    >>> import multiserver as ms
    >>> distribution = ms.Lognormal.of(mean=2.0, scv=8.0)
    >>> round(distribution.mean, 12), round(distribution.variance / distribution.mean**2, 12)
    (2.0, 8.0)
    """

    median: float
    sigma: float

    def __post_init__(self) -> None:
        for name in ("median", "sigma"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        if self.sigma > MOST_SIGMA:
            raise ValueError(f"sigma must be at most {MOST_SIGMA:g}, found {self.sigma!r}")

    @classmethod
    def of(cls, *, mean: float, scv: float) -> Lognormal:
        """The lognormal with a given mean and squared coefficient of variation c²."""
        variance = math.log1p(positive("scv", scv))
        return cls(positive("mean", mean) * math.exp(-variance / 2), math.sqrt(variance))

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
        """E[S]² (exp(σ²) − 1)."""
        return self.mean**2 * math.expm1(self.sigma**2)

    def moment(self, k: int) -> float:
        """E[S^k]."""
        k = require_integer("k", k, least=0)
        return self.median**k * math.exp(k * k * self.sigma**2 / 2)

    @property
    def largest_remaining(self) -> float:
        """rem_max, infinite: E[S − x | S > x] → ∞ as x → ∞."""
        return math.inf

    def seen(self, jobs: float) -> Truncated:
        """The distribution up to the size that one of `jobs` exceeds on average."""
        return Truncated(self, jobs)

    def share_below(self, k: int, jobs: float) -> float:
        """The share of E[S^k] from sizes up to that which one of `jobs` exceeds on average."""
        from scipy.special import ndtr, ndtri

        return float(ndtr(-ndtri(1 / (1 + jobs)) - k * self.sigma))

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)


@dataclass(frozen=True, slots=True)
class Weibull:
    """P(S > x) = exp(−(x/scale)^shape); exponential for shape 1.

    Raises `ValueError` unless both are within range and the shape is at least 0.1.

    >>> import multiserver as ms
    >>> ms.Weibull(shape=0.5, scale=1.0).mean
    2.0
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        for name in ("shape", "scale"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        if self.shape < LEAST_SHAPE:
            raise ValueError(f"shape must be at least {LEAST_SHAPE:g}, found {self.shape!r}")

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
        x = 1 / self.shape
        if x > SERIES_LIMIT:
            apart = math.lgamma(1 + 2 * x) - 2 * math.lgamma(1 + x)
        else:
            # The two terms above nearly cancel; the series of their difference does not.
            from scipy.special import zeta

            terms = range(2, SERIES_TERMS)
            apart = math.fsum(zeta(j) * (-x) ** j * (2**j - 2) / j for j in terms)
        return self.mean**2 * math.expm1(apart)

    def moment(self, k: int) -> float:
        """E[S^k]."""
        k = require_integer("k", k, least=0)
        return self.scale**k * math.gamma(1 + k / self.shape)

    @property
    def largest_remaining(self) -> float:
        """rem_max: infinite for a shape below 1. Otherwise the mean, as E[S − x | S > x] does not
        increase."""
        return math.inf if self.shape < 1 else self.mean

    def seen(self, jobs: float) -> Truncated | Weibull:
        """The distribution up to the size that one of `jobs` exceeds on average; all of it if the
        tail is no heavier than exponential."""
        return Truncated(self, jobs) if self.shape < 1 else self

    def share_below(self, k: int, jobs: float) -> float:
        """The share of E[S^k] from sizes up to that which one of `jobs` exceeds on average."""
        from scipy.special import gammainc

        return float(gammainc(1 + k / self.shape, math.log1p(jobs)))

    def phases(self) -> NoReturn:
        """Raises `ValueError`: the distribution is not phase-type."""
        raise not_phase_type(self)
