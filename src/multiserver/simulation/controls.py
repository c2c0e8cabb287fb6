"""Means from independent replications, corrected by what is known of the same replications.

Beside the residual D_r = Y_r − m w_r of a mean m = Σ Y_r / Σ w_r (as in `simulation.estimate`) each
replication yields controls C_r ∈ ℝ^q of expectation 0, such as the work that was done less that
which comes on average. Where D and C vary together, D = C·b + ε, the mean of C says how m errs:

    m − b · (Σ C_r / Σ w_r),    b by least squares,

has the variance of ε. If (D_r, C_r) are jointly normal it is unbiased, and given the C_r

    standard error = (R / Σ w_r) s √(1/R + C̄ᵀ S⁻¹ C̄),    S = Σ (C_r − C̄)(C_r − C̄)ᵀ,

with s² = Σ ε_r² / (R − 1 − q), makes Student's t with R − 1 − q degrees of freedom (S. S. Lavenberg
and P. D. Welch, Management Science 27, 1981). Controls that depend linearly on others count for
nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from multiserver.simulation.estimate import Estimate, estimate

# With fewer the quantile of Student's t takes back what the controls give.
FREEDOM = 5


def control(
    totals: ArrayLike,
    weights: ArrayLike,
    controls: ArrayLike,
    *,
    variance: float,
    jobs: int,
    confidence: float = 0.95,
) -> Estimate:
    """Σ totals / Σ weights over R replications, both (R,), corrected by `controls` (R, q).

    The other arguments and what is raised are those of `estimate`; so is the result, without
    controls, if they would leave fewer than `FREEDOM` degrees of freedom. The effective size stays
    that of the mean without controls: it says whether replications are long, not how much is known
    besides. Raises `ValueError` too unless controls are finite, one row a replication.
    """
    plain = estimate(totals, weights, variance=variance, jobs=jobs, confidence=confidence)
    Y, w, C = (np.asarray(column, dtype=float) for column in (totals, weights, controls))
    R = len(Y)
    if C.ndim != 2 or len(C) != R or not np.isfinite(C).all():
        raise ValueError(f"controls must be finite and ({R}, q), found the shape {C.shape}")
    if R - 1 - C.shape[1] < FREEDOM or plain.standard_error == 0:
        return plain
    C = C / np.maximum(np.abs(C).max(axis=0), np.finfo(float).tiny)
    mean, centred = C.mean(axis=0), C - C.mean(axis=0)
    inverse = np.linalg.pinv(centred)
    rank = int(np.linalg.matrix_rank(centred))
    residuals = Y - plain.mean * w
    slope = inverse @ residuals
    left = residuals - centred @ slope
    spread = left @ left / (R - 1 - rank) * (1 / R + np.sum((mean @ inverse) ** 2))
    standard_error = float(R / w.sum() * np.sqrt(spread))
    quantile = float(-stdtrit(R - 1 - rank, (1 - confidence) / 2))
    return replace(
        plain,
        mean=plain.mean - float(R / w.sum() * (mean @ slope)),
        half_width=quantile * standard_error,
        standard_error=standard_error,
        controls=rank,
    )
