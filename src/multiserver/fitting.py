"""Phase-type durations from moments.

With mean m and squared coefficient of variation c² = Var S/m²:

==============  ===============================================================================
c² = 1          the exponential
c² > 1          two exponential branches, of *balanced means* (p_1/μ_1 = p_2/μ_2), or the Cox-2
                of three moments
c² < 1          a mixture of Erlang k − 1 and Erlang k of one rate, 1/k ≤ c² < 1/(k − 1)
==============  ===============================================================================

These are the recipes of H. C. Tijms, Stochastic Models (1994), Appendix B. Three moments determine
two exponential branches if c² > 1 and m_3 m_1 > (3/2) m_2²: the branch means x_i are the roots of a
quadratic equation, from the moments n! Σ p_i x_i^n (W. Whitt, Oper. Res. 30, 1982, Section 3).
Outside that range the same equations give a Cox-2 if its probabilities are between 0 and 1.

`fit_distribution` matches as many moments as it can of a distribution that is not phase-type. Exact
methods are then exact for the fit. The distance from the original distribution depends on all its
moments; a simulation shows it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from multiserver.checks import as_float
from multiserver.phase_type import PhaseType, coxian
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    Size,
    Weibull,
)

# Within this, c² counts as 1 or as 1/k.
RELATIVE_TOLERANCE = 1e-12
MOST_PHASES = 1000


def fit_two_moments(mean: float, scv: float) -> Size:
    """A phase-type duration of mean m and squared coefficient of variation c²; see above.

    Raises `ValueError` unless both are positive and finite and c² ≥ 1/1000.

    >>> fit_two_moments(mean=2.0, scv=0.25)
    Erlang(stages=4, rate=2.0)
    >>> distribution = fit_two_moments(mean=2.0, scv=4.0)
    >>> round(distribution.mean, 12), round(distribution.variance / distribution.mean**2, 12)
    (2.0, 4.0)
    """
    for name, value in (("mean", mean), ("scv", scv)):
        if not 0 < as_float(value) < math.inf:
            raise ValueError(f"{name} must be a positive finite number, found {value!r}")
    mean, scv = as_float(mean), as_float(scv)
    if abs(scv - 1) <= RELATIVE_TOLERANCE:
        return Exponential(1 / mean)
    if scv > 1:
        # p (1 − p) = 1/(2 (c² + 1)): the smaller root, computed without cancellation.
        product = 0.5 / (scv + 1)
        p = 2 * product / (1 + math.sqrt((scv - 1) / (scv + 1)))
        return Hyperexponential((2 * (1 - p) / mean, 2 * p / mean), (1 - p, p))
    if scv * MOST_PHASES < 1 - RELATIVE_TOLERANCE:
        raise ValueError(f"scv must be 1/{MOST_PHASES} or more, found {scv!r}")
    k = math.ceil(1 / scv * (1 - RELATIVE_TOLERANCE))
    if abs(k * scv - 1) <= RELATIVE_TOLERANCE:
        return Erlang(k, k / mean)
    # A job skips one of the k stages with probability p.
    p = (k * scv - math.sqrt(k * (1 + scv) - k * k * scv)) / (1 + scv)
    rate = (k - p) / mean
    rows = [[0.0] * k for _ in range(k)]
    for i in range(k):
        rows[i][i] = -rate
        if i + 1 < k:
            rows[i][i + 1] = rate
    initial = (1 - p, p) + (0.0,) * (k - 2)
    return PhaseType(initial, tuple(map(tuple, rows)))


def fit_distribution(distribution: Size) -> Size:
    """A phase-type duration with the first three moments of a distribution if two phases can match
    them, or else with the first two. A phase-type distribution is returned unchanged.

    Raises `ValueError` unless it is a distribution, whose variance is finite and at least 1/1000 of
    the squared mean.

    >>> from multiserver.sizes import BoundedPareto, Deterministic
    >>> S = BoundedPareto(shape=1.5, low=1.0, high=1000.0)
    >>> fit = fit_distribution(S)
    >>> round(fit.mean / S.mean, 12), round(fit.second_moment / S.second_moment, 12)
    (1.0, 1.0)
    """
    if not isinstance(distribution, Size):
        raise ValueError(
            f"distribution must be one, such as ms.Pareto(shape=3, scale=1), found {distribution!r}"
        )
    match distribution:
        case Deterministic():
            raise ValueError(
                "a deterministic distribution has no variance to fit; Erlang(k, k/value) comes near"
            )
        case Bimodal():
            atoms = zip(distribution.values, distribution.probabilities, strict=True)
            third = math.fsum(p * v**3 for v, p in atoms)
        case Pareto():
            k = distribution.shape
            third = distribution.scale**3 * k / (k - 3) if k > 3 else math.inf
        case BoundedPareto() | Lognormal() | Weibull():
            third = distribution.moment(3)
        case _:
            return distribution
    try:
        return fit_three_moments(distribution.mean, distribution.second_moment, third)
    except ValueError:
        return fit_two_moments(distribution.mean, distribution.variance / distribution.mean**2)


def fit_three_moments(first: float, second: float, third: float) -> Size:
    """Two phases with the given E[S], E[S²] and E[S³]: two branches, or else a Cox-2.

    The moments of the fit have a relative error of about 1e-15; that of E[S³] may be 1e-12 for two
    phases of equal rate, or that all jobs pass. Within 1e-12 of those of an exponential, moments
    count as such.

    Raises `ValueError` if no two phases have these moments.

    >>> distribution = fit_three_moments(1.0, 3.0, 15.0)
    >>> round(distribution.mean, 12), round(distribution.second_moment, 12)
    (1.0, 3.0)
    """
    bad = ValueError(
        f"no two phases have E[S] = {first!r}, E[S²] = {second!r} and E[S³] = {third!r};"
        " fit_two_moments fits the first two"
    )
    first, second, third = map(as_float, (first, second, third))
    if not all(0 < moment < math.inf for moment in (first, second, third)):
        raise bad
    # Fractions: near c² = 1 a rare, slow branch carries the third moment, and cancellation in
    # floats would lose its probability.
    m1, m2, m3 = Fraction(first), Fraction(second) / 2, Fraction(third) / 6
    variance = m2 - m1**2
    if abs(variance) <= RELATIVE_TOLERANCE * m2 and abs(m3 - m1**3) <= RELATIVE_TOLERANCE * m3:
        return Exponential(1 / first)
    if not variance:
        raise bad
    # Two points x_i = m_1 + y_i of weights p_i have Σ p_i y_i^n = 0, variance, skew for n = 1, 2, 3
    # if the y_i are the roots of y² − (skew/variance) y − variance.
    half = (m3 - 3 * m1 * m2 + 2 * m1**3) / variance / 2
    apart = half**2 + variance
    if apart <= 0:
        # For two phases of equal rate it is 0 up to rounding. A probability and that rate match
        # the first two moments exactly, and the third must be theirs.
        equal = math.copysign(math.sqrt(-variance), half)
        if 2 * abs(variance * (half - Fraction(equal))) > RELATIVE_TOLERANCE * m3:
            raise bad
        low = high = equal
        fast = slow = first + equal
    else:
        outer = float(half) + math.copysign(math.sqrt(apart), half)
        low, high = sorted((outer, -float(variance) / outer))
        slow = first + high
        fast = float((m1 * m3 - m2**2) / variance) / slow if slow > 0 else 0.0
    if not fast > 0:
        raise bad
    if low < 0 < high:
        p = -low / (high - low)
        return Hyperexponential((1 / fast, 1 / slow), (1 - p, p))
    # The Laplace transform is that of a first phase of mean `fast`, which the other may follow.
    further = -low / slow
    if not 0 <= further <= 1 + RELATIVE_TOLERANCE:
        raise bad
    if further >= 1:
        # Two phases, one after the other, have two moments; the third must be theirs.
        further, slow = 1.0, first / 2 + math.sqrt(max(m1**2 / 4 + variance, 0))
        fast = -float(variance) / slow
    return coxian((1 / fast, 1 / slow), (further,))
