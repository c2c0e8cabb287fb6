"""Means and confidence intervals from independent replications.

Replication r yields a total Y_r and a weight w_r (an area and a length of time, a sum of response
times and a number of jobs); the mean is estimated by the ratio m = Σ Y_r / Σ w_r. Linearised around
its limit, m errs by the average of the residuals D_r = Y_r − m w_r over that of the weights, so

    standard error = √(R Σ D_r² / (R − 1)) / Σ w_r,

and (m − exact)/(standard error) is about Student's t with R − 1 degrees of freedom (Asmussen and
Glynn, *Stochastic Simulation*, 2007, Sections III.4 and IV.4).

The *effective size* is the number of independent observations whose average has this standard
error. It shows how little many correlated observations may say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtr, stdtrit

from multiserver.affine import Affine, in_brackets, with_error
from multiserver.errors import NotSampledError

SETTLED = 10
# So many independent observations in each replication make Student's t nearly exact for numbers of
# jobs, which are skewed: at 45 the mean score is -0.12 and 92.5 % of the intervals hold.
FAIR = 50
# Fewer are never enough, however much controls explain.
FEWEST = 10


@dataclass(frozen=True, slots=True)
class Estimate(Affine):
    """An estimated mean, `mean` ± `half_width` at the confidence asked for.

    It scales and shifts by numbers, `float(estimate)` is its mean, and it prints as 12.70 ± 0.68
    with its half-width; `f"{estimate:.3f}"` says with how many digits, `f"{estimate:S}"` is
    12.70(34), in brackets the standard error. Without an interval to be trusted both say so.

    `standard_error` is that of the mean, from `replications` independent runs of `jobs` jobs in
    all; `effective_size` the number of independent observations that would do as well, infinite if
    the replications do not differ; `controls` the number of control variates that corrected it,
    and `gain` how many times smaller they made its variance. `caveat` says in words why there is no
    interval, `half_width` being NaN then; it is empty where nothing is known against one.
    """

    mean: float
    half_width: float
    standard_error: float
    replications: int
    jobs: int
    effective_size: float
    controls: int = 0
    gain: float = 1.0
    caveat: str = ""

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the standard error."""
        return self.replications - 1 - self.controls

    @property
    def settled(self) -> bool:
        """Whether each replication is worth at least `SETTLED` independent observations.

        A replication that is not is short against the relaxation of what it measures: what is left
        of its start and the bias of a ratio may then be felt in the mean, and no score is fair.
        """
        return self.effective_size >= SETTLED * self.replications

    @property
    def lacking(self) -> str:
        """Why the interval is not to be trusted, in words; empty if it `is_fair`."""
        if self.caveat or self.settled:
            return self.caveat
        return (
            f"too short, each replication being worth fewer than {SETTLED} independent observations"
        )

    def mapped(self, factor: float, shift: float) -> Estimate:
        """factor · self + shift."""
        return replace(
            self,
            mean=factor * self.mean + shift,
            half_width=abs(factor) * self.half_width,
            standard_error=abs(factor) * self.standard_error,
        )

    def __float__(self) -> float:
        return self.mean

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
        """The same estimate without an interval, and why; the first reason stays."""
        return replace(self, half_width=math.nan, caveat=self.caveat or caveat)

    def covers(self, exact: float) -> bool:
        """Whether the interval holds the exact value."""
        return abs(self.mean - exact) <= self.half_width


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
    return Estimate(
        mean=float(mean),
        half_width=float(-stdtrit(R - 1, (1 - confidence) / 2)) * standard_error,
        standard_error=standard_error,
        replications=R,
        jobs=int(jobs),
        effective_size=float(variance) / standard_error**2 if standard_error > 0 else math.inf,
    )


def held_back(estimate: Estimate, caveat: str) -> Estimate:
    """An estimate, without its interval if there is a caveat."""
    return estimate.without_interval(caveat) if caveat else estimate


def few_beyond(share: Estimate) -> str:
    """Why the interval of a share of the jobs is not fair, in words, or nothing."""
    if min(share.mean, 1 - share.mean) * share.jobs < FAIR * share.replications:
        return f"too short, as a replication has fewer than {FAIR} jobs beyond it"
    return ""


def require_some(c: int, jobs: int, probability: float) -> None:
    """Raises `NotSampledError`, a `ValueError`, if no measured job is of class c."""
    if jobs == 0:
        raise NotSampledError(
            f"no measured job is of class {c}, whose probability is {probability!r}:"
            " simulate more jobs"
        )


def observations(jobs: float, fraction_of_limit: float, mean_jobs: float) -> float:
    """About how many independent values of N are in `jobs` jobs of one replication, E[N] and λ/λ*
    being known: M (1 − λ/λ*)/(4 E[N]).

    Near saturation N is about a reflected Brownian motion, which relaxes while 4 E[N]/(1 − λ/λ*)
    jobs arrive, and twice the integral of its correlation is as long; M/M/1 has (1 + ρ)/2 of that.
    """
    return jobs * max(1 - fraction_of_limit, 0.0) / (4 * mean_jobs)


def is_fair(estimate: Estimate, known: float | None = None) -> bool:
    """Whether replications are long enough for a score, and for an interval that does not mislead.

    Which ones are must not be seen from their outcome: where replications are worth 7 observations,
    those that seem to be worth 10 are those that found few jobs; their mean score is -1, and 72 %
    of their intervals hold. So where `observations` are `known` they must be `FAIR`; where nothing
    is (None, NaN), the estimate must be `settled`. Controls that follow the queue take the bias of
    short runs with them: where they leave a share s of the variance, `FAIR` √s are enough (at
    14 and s = 1/27,000 mean scores are within 0.1 of 0; at 23 and s from 1/3 to 1/100, 0 to 0.3).
    """
    if estimate.caveat:
        return False
    if known is None or math.isnan(known):
        return estimate.settled
    return known >= max(FEWEST, FAIR / math.sqrt(estimate.gain))


def fair_half_width(estimate: Estimate, known: float | None = None) -> float:
    """The half-width of an estimate that `is_fair`, NaN of another: a short run starts from an
    empty system, falls short of the mean, and does not see by how much."""
    return estimate.half_width if is_fair(estimate, known) else math.nan


def score(estimate: Estimate, exact: float, known: float | None = None) -> float:
    """`z_score` of an estimate that `is_fair`, NaN of another."""
    return z_score(estimate, exact) if is_fair(estimate, known) else math.nan


def z_score(estimate: Estimate, exact: float) -> float:
    """How far the estimate lies above the exact value, on the scale of a standard normal.

    It is the z with Φ(z) = P(t ≤ (mean − exact)/(standard error)), t being Student's with as many
    degrees of freedom as the estimate; infinite beyond 37, where the probability underflows.
    Without a standard error it is 0 if the mean is exact and infinite otherwise.
    """
    error = estimate.mean - exact
    if estimate.standard_error == 0:
        return math.copysign(math.inf, error) if error else 0.0
    # Either tail is taken from the left, where a small probability keeps its digits.
    t = abs(error) / estimate.standard_error
    return math.copysign(float(-ndtri(stdtr(estimate.freedom, -t))), error)
