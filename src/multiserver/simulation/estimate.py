"""Means and confidence intervals from independent replications.

Replication r yields a total Y_r and a weight w_r (an area and a length of time, a sum of response
times and a number of jobs); the mean is estimated by the ratio m = Σ Y_r / Σ w_r. To first order
the error of m is the average of the residuals D_r = Y_r − m w_r over the average of the weights, so

    standard error = √(R Σ D_r² / (R − 1)) / Σ w_r,

and (m − exact)/(standard error) is about Student's t with R − 1 degrees of freedom (Asmussen and
Glynn, *Stochastic Simulation*, 2007, Sections III.4 and IV.4).

The *effective size* is the number of independent observations whose average has this standard
error. Many correlated observations may have a small effective size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtr, stdtrit

from multiserver.affine import Affine, in_brackets, with_error
from multiserver.checks import as_float, is_number, require_number
from multiserver.errors import NotSampledError

SETTLED_OBSERVATIONS = 10
# With this many independent observations in each replication, Student's t is nearly exact for
# numbers of jobs, which are skewed: at 45 the mean score is -0.12 and 92.5 % of the intervals
# cover.
FAIR_OBSERVATIONS = 50
# Fewer are never enough, however much the controls explain.
MIN_OBSERVATIONS = 10
# A class with less than this share of the jobs in the system may be wrong by half: the total is
# then wrong by a twentieth.
NEGLIGIBLE_SHARE = 0.1
# A smaller relative standard error is the clock's rounding: the replications are equal.
ROUNDING = 1e-11
_NUMBERS = ("mean", "margin", "standard_error", "replications", "jobs", "effective_size")


@dataclass(frozen=True, slots=True)
class Estimate(Affine):
    """An estimated mean, `mean` ± `half_width` at the requested confidence.

    It scales and shifts by numbers, and `float(estimate)` is its mean. It prints as 12.70 ± 0.68,
    with its half-width; `f"{estimate:.3f}"` sets the number of digits, and `f"{estimate:S}"` is
    12.70(34), with the standard error in brackets. Without an interval that can be trusted it is
    not `settled`, its `half_width` is NaN, and it prints the mean and "(no interval)".

    `standard_error` is that of the mean, from `replications` independent runs of `jobs` jobs in
    all, and `margin` this error times the quantile of Student's t, whether or not it can be
    trusted; `effective_size` is the number of independent observations with the same standard
    error, infinite if the replications do not differ; `controls` is the number of control variates
    that corrected the mean, and `gain` the factor by which they reduced its variance. `caveat` says
    in words what is known against an interval, beside too small an effective size.
    """

    mean: float
    margin: float
    standard_error: float
    replications: int
    jobs: int
    effective_size: float
    controls: int = 0
    gain: float = 1.0
    caveat: str = ""

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            if not is_number(value := getattr(self, name)):
                raise ValueError(f"{name} must be a number, found {value!r}")
            if not isinstance(value, Integral):
                object.__setattr__(self, name, as_float(value))

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the standard error."""
        return self.replications - 1 - self.controls

    @property
    def half_width(self) -> float:
        """Half the length of the interval; NaN unless it is `settled`."""
        return self.margin if self.settled else math.nan

    @property
    def settled(self) -> bool:
        """Whether there is an interval: nothing is known against it. `lacking` says what is."""
        return not self.lacking

    @property
    def long_enough(self) -> bool:
        """Whether each replication is worth at least `SETTLED_OBSERVATIONS` independent
        observations.

        If not, replications are short against the relaxation time of what they measure. Their empty
        start and the bias of a ratio may then affect the mean, and no score is fair.
        """
        return self.effective_size >= SETTLED_OBSERVATIONS * self.replications

    @property
    def lacking(self) -> str:
        """Why there is no interval, in words; empty if it is `settled`."""
        if self.caveat or self.long_enough:
            return self.caveat
        return (
            f"too short, each replication being worth fewer than {SETTLED_OBSERVATIONS} independent"
            " observations"
        )

    def _mapped(self, factor: float, shift: float) -> Estimate:
        return replace(
            self,
            mean=factor * self.mean + shift,
            margin=abs(factor) * self.margin,
            standard_error=abs(factor) * self.standard_error,
        )

    def __float__(self) -> float:
        return self.mean

    def __lt__(self, other: object) -> bool:
        raise TypeError("an estimate has no order: compare float(estimate), its mean, or intervals")

    __le__ = __gt__ = __ge__ = __lt__

    def __format__(self, spec: str) -> str:
        if self.lacking:
            plain = spec.removesuffix("S") or ".5g"
            return f"{self.mean:{plain}} (no interval)"
        if spec == "S":
            return in_brackets(self.mean, self.standard_error)
        return with_error(self.mean, self.half_width, spec)

    def __str__(self) -> str:
        return format(self, "")

    def without_interval(self, caveat: str) -> Estimate:
        """The same estimate without an interval, with the reason; an earlier reason stays."""
        return replace(self, caveat=self.caveat or caveat)

    def covers(self, exact: float) -> bool:
        """Whether there is an interval that contains the exact value. Raises `ValueError` unless it
        is a number."""
        return abs(self.mean - require_number("exact", exact)) <= self.half_width


def estimate(
    totals: ArrayLike,
    weights: ArrayLike,
    *,
    variance: float,
    jobs: int,
    confidence: float = 0.95,
) -> Estimate:
    """Σ totals / Σ weights over R independent replications, both (R,), with its interval.

    `variance` is that of one observation, `jobs` the number of jobs in all replications together.
    Raises `ValueError` unless R ≥ 2, totals and weights are finite and equally many, no weight is
    negative, some weight is positive, and the confidence lies in (0, 1).
    """
    Y, w = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    if Y.ndim != 1 or Y.shape != w.shape or len(Y) < 2:
        raise ValueError(
            "an interval needs totals and weights of at least two replications,"
            f" found shapes {Y.shape} and {w.shape}"
        )
    if not (np.isfinite(Y).all() and np.isfinite(w).all()):
        raise ValueError("totals and weights must be finite, found one that is not")
    if w.min() < 0 or w.sum() <= 0:
        raise ValueError(
            "weights must be non-negative with a positive sum,"
            f" found a least weight {w.min()} and a sum {w.sum()}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie in (0, 1), found {confidence!r}")
    R = len(Y)
    mean = Y.sum() / w.sum()
    residuals = Y - mean * w
    standard_error = float(np.sqrt(R / (R - 1) * (residuals @ residuals)) / w.sum())
    equal = standard_error <= ROUNDING * abs(mean)
    return Estimate(
        mean=float(mean),
        margin=float(-stdtrit(R - 1, (1 - confidence) / 2)) * standard_error,
        standard_error=standard_error,
        replications=R,
        jobs=int(jobs),
        effective_size=math.inf if equal else float(variance) / standard_error**2,
    )


def withhold_interval(estimate: Estimate, caveat: str) -> Estimate:
    """An estimate, without its interval if there is a caveat."""
    return estimate.without_interval(caveat) if caveat else estimate


def seen_too_little(c: int, share: float) -> str:
    """Why no mean of all jobs has an interval if class c, with this share of them, has none."""
    return (
        f"class {c + 1} makes up {share:.0%} of the jobs in the system, and the run has seen too"
        " little of it"
    )


def time_above(time_at_level: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The time of each replication (R,) with more than k jobs, from that with 0, …, K − 1 and with
    at least K (R, K + 1). Raises `ValueError` unless k is in 0 … K − 1."""
    K = time_at_level.shape[1] - 1
    if not 0 <= k < K:
        raise ValueError(f"k must lie in 0 … {K - 1}, found {k!r}")
    return time_at_level[:, k + 1 :].sum(axis=1)


def few_beyond(beyond: float, share: Estimate) -> str:
    """Why a share of the jobs, or a quantile, has no fair interval if a share `beyond` of the jobs
    lies beyond it, in words, or an empty string."""
    if min(beyond, 1 - beyond) * share.jobs < FAIR_OBSERVATIONS * share.replications:
        return f"too short, as a replication has fewer than {FAIR_OBSERVATIONS} jobs beyond it"
    return ""


def require_sampled(c: int, jobs: int, probability: float) -> None:
    """Raises `NotSampledError`, a `ValueError`, if no measured job is of class c; messages count
    classes from 1, as results do."""
    if jobs == 0:
        raise NotSampledError(
            f"no measured job is of class {c + 1}, whose probability is {probability!r}:"
            " simulate more jobs"
        )


def observations(jobs: float, fraction_of_limit: float, mean_jobs: float) -> float:
    """The approximate number of independent values of N in the M = `jobs` jobs of one replication,
    given E[N] and λ/λ*: M (1 − λ/λ*)/(4 E[N]).

    Near saturation N is approximately a reflected Brownian motion. Its relaxation time, in
    arrivals, is 4 E[N]/(1 − λ/λ*), and so is twice the integral of its correlation; M/M/1 has
    (1 + ρ)/2 of that.
    """
    return jobs * max(1 - fraction_of_limit, 0.0) / (4 * mean_jobs)


def is_fair(estimate: Estimate, known: float | None = None) -> bool:
    """Whether replications are long enough for a score, and for an interval that does not mislead.

    Their outcome must not decide this: where replications are worth 7 observations, those that seem
    to be worth 10 are those that found few jobs; their mean score is -1, and 72 % of their
    intervals cover. So if the `observations` are `known`, there must be `FAIR_OBSERVATIONS` of
    them; if not (None, NaN), the estimate must be `settled`. Controls that follow the queue also
    remove the bias of short runs: where they leave a share s of the variance, `FAIR_OBSERVATIONS`
    √s are enough, if at least `MIN_OBSERVATIONS` (at 14 and s = 1/27,000 mean scores are within 0.1
    of 0; at 23 and s from 1/3 to 1/100, 0 to 0.3).
    """
    if estimate.caveat:
        return False
    if known is None or math.isnan(known):
        return estimate.settled
    return known >= max(MIN_OBSERVATIONS, FAIR_OBSERVATIONS / math.sqrt(estimate.gain))


def fair_half_width(estimate: Estimate, known: float | None = None) -> float:
    """The half-width of an estimate that `is_fair`, otherwise NaN: a short run starts from an empty
    system, underestimates the mean, and does not show by how much."""
    return estimate.margin if is_fair(estimate, known) else math.nan


def score(estimate: Estimate, exact: float, known: float | None = None) -> float:
    """`z_score` of an estimate that `is_fair`, otherwise NaN."""
    return z_score(estimate, exact) if is_fair(estimate, known) else math.nan


def z_score(estimate: Estimate, exact: float) -> float:
    """How far the estimate lies above the exact value, on the scale of a standard normal.

    It is the z with Φ(z) = P(t ≤ (mean − exact)/(standard error)), where t is Student's with the
    degrees of freedom of the estimate; infinite beyond 37, where the probability underflows. If the
    standard error is 0, it is 0 if the mean is exact and infinite otherwise. Raises `ValueError`
    unless the first is an `Estimate` and the second a number.
    """
    if not isinstance(estimate, Estimate) or not is_number(exact):
        raise ValueError(
            "z_score takes an estimate, as `simulate` returns it, and then the exact number, found"
            f" {estimate!r} and {exact!r}"
        )
    error = estimate.mean - as_float(exact)
    if estimate.standard_error == 0:
        return math.copysign(math.inf, error) if error else 0.0
    # Both tails are computed on the left, where a small probability keeps its digits.
    t = abs(error) / estimate.standard_error
    return math.copysign(float(-ndtri(stdtr(estimate.freedom, -t))), error)
