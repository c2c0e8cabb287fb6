"""Means from independent replications, corrected by control variates.

Replication r yields a total Y_r and a weight w_r, as in `simulation.estimate`, and also controls
C_r ∈ ℝ^q of expectation 0, such as the work that was done less that which arrives on average. Where
Y and w vary with C, the mean of C says how their means err. Corrected by least squares they give

    m = (Ȳ − b·C̄) / (w̄ − a·C̄),    Y ≈ Ȳ + b·(C − C̄),  w ≈ w̄ + a·(C − C̄),

which is a ratio of sums with the same weights, c_r = 1/R − C̄ᵀ S⁻¹ (C_r − C̄), where S = Σ (C_r −
C̄)(C_r − C̄)ᵀ (S. S. Lavenberg and P. D. Welch, Management Science 27, 1981). Let ε_r be what the
controls do not explain of the residual Y_r − m w_r. If all were jointly normal, the ε_r would have
one variance. They do not: nonlinear effects are large where the controls are large, and least
squares follows those replications most. So the error is that of the jackknife (one of the remedies
that B. L. Nelson compares, Operations Research 38, 1990). With m_(r) the estimate from all
replications but r, by a least-squares fit of their own,

    standard error = √((R − 1)/R · Σ (m_(r) − m_(·))²),    m_(·) = Σ m_(r)/R.

Whatever the distribution, its square is on average at least (R − 1)/R times the variance of m from
R − 1 replications (B. Efron and C. Stein, Annals of Statistics 9, 1981). No fit has to be repeated.
With the leverage h_r = 1/R + (C_r − C̄)ᵀ S⁻¹ (C_r − C̄), and η_r what the controls do not explain
of w_r,

    m_(r) = m − k_r ε_r / (w̄ − a·C̄ − k_r η_r),    k_r = c_r / (1 − h_r).

For equal weights this is the HC3 of J. G. MacKinnon and H. White (J. Econometrics 29, 1985), and
without controls the error of `simulation.estimate`. Student's t has R − 1 − q degrees of freedom.
If all is normal after all, the error is too large by a factor of about √((R − 1)/(R − 1 − q)), and
95 to 97.5 % of the intervals at 95 % cover. Controls that depend linearly on others do not count.
If replication r alone determines the coefficient of a control, h_r = 1 and no controls are used.
Nor are any used if their means are so far from 0 that Hotelling's T² = R (R − 1) C̄ᵀ S⁻¹ C̄ has a
p-value below `MIN_P_VALUE`: such controls hardly vary, or miss what is rare, and m would be an
extrapolation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, stdtrit

from multiserver.simulation.estimate import Estimate, estimate

# With fewer degrees of freedom the larger quantile of Student's t offsets the gain of the controls.
MIN_DEGREES_OF_FREEDOM = 5
# What controls leave may be due to events so rare (a job that waits where almost none does) that
# few replications have seen any, or none, so that only rounding is left. Its size is then unknown.
# The largest square of 32 normal residuals exceeds 13 times their mean square with a probability of
# 0.0025.
OUTLIER_RATIO, MIN_OUTLIER_SHARE, MAX_OUTLIER_SHARE, ROUNDING = 13, 0.25, 0.8, 1e-12
MIN_P_VALUE = 1e-6
# If 1 − h_r is smaller, what is left of replication r is rounding.
MIN_LEVERAGE_COMPLEMENT = 1e-6
# A gain by this factor may be chance: the squared standard errors of 32 replications have standard
# errors of a quarter.
GAIN_MARGIN = 1.5


def estimate_with_controls(
    totals: ArrayLike,
    weights: ArrayLike,
    controls: ArrayLike,
    *,
    variance: float,
    jobs: int,
    confidence: float = 0.95,
) -> Estimate:
    """Σ totals / Σ weights over R replications, both (R,), corrected by `controls` (R, q).

    The other arguments and the exceptions are those of `estimate`. So is the result, without
    controls, if these would leave fewer than `MIN_DEGREES_OF_FREEDOM`, no positive weight or
    nothing but rounding, if one replication alone determines the coefficient of a control or holds
    a large part of what the controls leave, or if their means are far from 0. The effective size
    stays that of the mean without controls: it says whether replications are long, not how precise
    the corrected mean is. Also raises `ValueError` unless controls are finite, with one row for
    each replication.
    """
    plain = estimate(totals, weights, variance=variance, jobs=jobs, confidence=confidence)
    Y, w, C = (np.asarray(column, dtype=float) for column in (totals, weights, controls))
    R = len(Y)
    if C.ndim != 2 or len(C) != R or not np.isfinite(C).all():
        raise ValueError(f"controls must be finite and ({R}, q), found the shape {C.shape}")
    if C.shape[1] == 0 or R - 1 - C.shape[1] < MIN_DEGREES_OF_FREEDOM or plain.standard_error == 0:
        return plain
    C = C / np.maximum(np.abs(C).max(axis=0), np.finfo(float).tiny)
    mean, centred = C.mean(axis=0), C - C.mean(axis=0)
    inverse, rank = np.linalg.pinv(centred), int(np.linalg.matrix_rank(centred))
    far = mean @ inverse
    c, complement = 1 / R - far, 1 - 1 / R - np.sum(centred * inverse.T, axis=1)
    weight = c @ w
    if weight <= 0 or complement.min() < MIN_LEVERAGE_COMPLEMENT:
        return plain
    if rank and fdtrc(rank, R - rank, R * (R - rank) / rank * float(far @ far)) < MIN_P_VALUE:
        return plain
    corrected = float(c @ Y / weight)
    left, left_weights = (x - x.mean() - centred @ (inverse @ x) for x in (Y - corrected * w, w))
    k, squares = c / complement, left**2
    weights_without = weight - k * left_weights
    share = min(max(OUTLIER_RATIO / R, MIN_OUTLIER_SHARE), MAX_OUTLIER_SHARE)
    if weights_without.min() <= 0 or squares.max() > share * squares.sum():
        return plain
    without = corrected - k * left / weights_without
    standard_error = float(np.sqrt((R - 1) * without.var()))
    if standard_error < ROUNDING * abs(corrected):
        return plain
    quantile = float(-stdtrit(R - 1 - rank, (1 - confidence) / 2))
    return replace(
        plain,
        mean=corrected,
        margin=quantile * standard_error,
        standard_error=standard_error,
        controls=rank,
        gain=(plain.standard_error / standard_error) ** 2,
    )


def conservative_gain(found: Estimate) -> float:
    """The gain less what may be chance, at least 1: for what must not depend on the outcome."""
    return max(found.gain / GAIN_MARGIN, 1.0)
