"""Means from independent replications, corrected by what is known of the same replications.

Replication r yields a total Y_r and a weight w_r, as in `simulation.estimate`, and besides controls
C_r ∈ ℝ^q of expectation 0, such as the work that was done less that which comes on average. Where Y
and w vary with C, the mean of C says how their means err; corrected by least squares they give

    m = (Ȳ − b·C̄) / (w̄ − a·C̄),    Y ≈ Ȳ + b·(C − C̄),  w ≈ w̄ + a·(C − C̄),

whose variance is that of ε_r, what the controls do not explain of the residuals Y_r − m w_r. If all
are jointly normal, then given the C_r

    standard error = s √(1/R + C̄ᵀ S⁻¹ C̄) / (w̄ − a·C̄),    S = Σ (C_r − C̄)(C_r − C̄)ᵀ,

with s² = Σ ε_r² / (R − 1 − q) makes Student's t with R − 1 − q degrees of freedom (S. S. Lavenberg
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
# What controls leave may be so rare (a job that waits where next to none does) that it was seen in
# few replications, or in none, where rounding is left: then nobody knows how much it is. Of 32
# normal residuals one has more than 13 times the mean square with a probability of 0.0025.
OUTLYING, LEAST, MOST, ROUNDING = 13, 0.25, 0.8, 1e-12


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
    controls, if they would leave fewer than `FREEDOM` degrees of freedom or no weight, or if much
    of what they leave is in one replication. The effective size stays that of the mean without
    controls: it says whether replications are long, not how much is known besides. Raises
    `ValueError` too unless controls are finite, one row a replication.
    """
    plain = estimate(totals, weights, variance=variance, jobs=jobs, confidence=confidence)
    Y, w, C = (np.asarray(column, dtype=float) for column in (totals, weights, controls))
    R = len(Y)
    if C.ndim != 2 or len(C) != R or not np.isfinite(C).all():
        raise ValueError(f"controls must be finite and ({R}, q), found the shape {C.shape}")
    if C.shape[1] == 0 or R - 1 - C.shape[1] < FREEDOM or plain.standard_error == 0:
        return plain
    C = C / np.maximum(np.abs(C).max(axis=0), np.finfo(float).tiny)
    mean, centred = C.mean(axis=0), C - C.mean(axis=0)
    inverse, rank = np.linalg.pinv(centred), int(np.linalg.matrix_rank(centred))
    weight = w.mean() - mean @ inverse @ w
    if weight <= 0:
        return plain
    corrected = float((Y.mean() - mean @ inverse @ Y) / weight)
    residuals = Y - corrected * w
    left = residuals - residuals.mean() - centred @ (inverse @ residuals)
    s = np.sqrt(left @ left / (R - 1 - rank))
    standard_error = float(s * np.sqrt(1 / R + np.sum((mean @ inverse) ** 2)) / weight)
    squares = left**2
    share = min(max(OUTLYING / R, LEAST), MOST)
    if squares.max() > share * squares.sum() or standard_error < ROUNDING * abs(corrected):
        return plain
    quantile = float(-stdtrit(R - 1 - rank, (1 - confidence) / 2))
    return replace(
        plain,
        mean=corrected,
        half_width=quantile * standard_error,
        standard_error=standard_error,
        controls=rank,
        gain=(plain.standard_error / standard_error) ** 2,
    )
