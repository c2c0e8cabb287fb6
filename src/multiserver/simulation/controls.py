"""Means from independent replications, corrected by what is known of the same replications.

Replication r yields a total Y_r and a weight w_r, as in `simulation.estimate`, and besides controls
C_r ∈ ℝ^q of expectation 0, such as the work that was done less that which comes on average. Where Y
and w vary with C, the mean of C says how their means err; corrected by least squares they give

    m = (Ȳ − b·C̄) / (w̄ − a·C̄),    Y ≈ Ȳ + b·(C − C̄),  w ≈ w̄ + a·(C − C̄),

which is a ratio of sums weighted alike, c_r = 1/R − C̄ᵀ S⁻¹ (C_r − C̄), S = Σ (C_r − C̄)(C_r − C̄)ᵀ
(S. S. Lavenberg and P. D. Welch, Management Science 27, 1981). Were all jointly normal, then ε_r,
what controls do not explain of the residuals Y_r − m w_r, would have one variance. It has not: what
is not linear is large where controls are large, and those replications least squares follows most.
So the error is that of the jackknife (one of the remedies that B. L. Nelson compares, Operations
Research 38, 1990): m_(r) is what all replications but r yield, by their own least squares, and

    standard error = √((R − 1)/R · Σ (m_(r) − m_(·))²),    m_(·) = Σ m_(r)/R.

Whatever the distribution, its square is on average at least (R − 1)/R times the variance of m from
R − 1 replications (B. Efron and C. Stein, Annals of Statistics 9, 1981). With the leverage h_r =
1/R + (C_r − C̄)ᵀ S⁻¹ (C_r − C̄), and η_r what controls do not explain of w_r, no fit is done again:

    m_(r) = m − k_r ε_r / (w̄ − a·C̄ − k_r η_r),    k_r = c_r / (1 − h_r);

for equal weights this is the HC3 of J. G. MacKinnon and H. White (J. Econometrics 29, 1985), and
without controls the error of `simulation.estimate`. Student's t has R − 1 − q degrees of freedom.
If all is normal after all, the error is too large by about √((R − 1)/(R − 1 − q)): of intervals at
95 % hold 95 to 97.5 %. Controls that depend linearly on others count for nothing; where only
replication r determines what one does, h_r = 1, and none is used. Nor is any if their means lie so
far from 0 that Hotelling's T² = R (R − 1) C̄ᵀ S⁻¹ C̄ is exceeded with a probability of `STRANGE`:
they vary too little, or miss what is rare, and m would be extrapolated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, stdtrit

from multiserver.simulation.estimate import Estimate, estimate

# With fewer the quantile of Student's t takes back what the controls give.
FREEDOM = 5
# What controls leave may be so rare (a job that waits where next to none does) that it was seen in
# few replications, or in none, where rounding is left: then nobody knows how much it is. Of 32
# normal residuals one has more than 13 times the mean square with a probability of 0.0025.
OUTLYING, LEAST, MOST, ROUNDING = 13, 0.25, 0.8, 1e-12
STRANGE = 1e-6
# With less of 1 − h_r what is left of replication r is rounding.
ALONE = 1e-6


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
    controls, if they would leave fewer than `FREEDOM` degrees of freedom or no weight, if one
    replication determines alone what a control does or holds much of what controls leave, or if
    their means are far from 0. The
    effective size stays that of the mean without controls: it says whether replications are long,
    not how much is known besides. Raises `ValueError` too unless controls are finite, one row a
    replication.
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
    far = mean @ inverse
    c, alone = 1 / R - far, 1 - 1 / R - np.sum(centred * inverse.T, axis=1)
    weight = c @ w
    if weight <= 0 or alone.min() < ALONE:
        return plain
    if rank and fdtrc(rank, R - rank, R * (R - rank) / rank * float(far @ far)) < STRANGE:
        return plain
    corrected = float(c @ Y / weight)
    left, left_weights = (x - x.mean() - centred @ (inverse @ x) for x in (Y - corrected * w, w))
    k, squares = c / alone, left**2
    weights_without = weight - k * left_weights
    share = min(max(OUTLYING / R, LEAST), MOST)
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
        half_width=quantile * standard_error,
        standard_error=standard_error,
        controls=rank,
        gain=(plain.standard_error / standard_error) ** 2,
    )
