"""One job at a time, by priority: M/G/1 with levels of priority, of any distributions.

Jobs of level g = 1, 2, … arrive in a Poisson stream of rate λ_g and are served for X_g; those of
smaller g go first, and of one level the oldest. With σ_g = Σ_{h≤g} λ_h E[X_h], σ_G < 1, the delay
until a job of level g is first served is

    V_g = R_g / ((1 − σ_{g−1}) (1 − σ_g)),    R_g = Σ_{h≤g} λ_h E[X_h²]/2,

if jobs of smaller g interrupt the service, which is resumed later; if they do not, R_G takes the
place of R_g. Jobs that interrupt one of mean service x keep it for x σ_{g−1}/(1 − σ_{g−1}) longer.
Together this is E[W], the mean time in the system and not in service (A. Cobham, Oper. Res. 2,
1954; R. G. Miller, Ann. Math. Statist. 31, 1960). Nothing is subtracted but in the slacks 1 − σ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multiserver.errors import require_stable
from multiserver.sizes import Size


def waiting_times(
    levels: Sequence[int],
    distributions: Sequence[Size],
    probabilities: Sequence[float],
    rate: float,
    *,
    preemptive: bool,
) -> tuple[float, ...]:
    """E[W_c] by class at λ = `rate`, for classes with a level of priority each, the lowest first,
    and services of these `distributions`; infinite where a second moment is.

    Raises `UnstableError` unless λ < 1/E[X].
    """
    classes = list(zip(levels, distributions, probabilities, strict=True))
    require_stable(rate, 1 / math.fsum(p * X.mean for _, X, p in classes))
    work, remaining = {}, {}
    for g in sorted(set(levels)):
        before = [(X, p) for h, X, p in classes if h <= g]
        work[g] = rate * math.fsum(p * X.mean for X, p in before)
        remaining[g] = rate * math.fsum(p * X.second_moment for X, p in before) / 2
    higher = dict(zip(work, (0.0, *work.values()), strict=False))
    found = []
    for g, X, _ in classes:
        in_service = remaining[g if preemptive else max(levels)]
        wait = in_service / ((1 - higher[g]) * (1 - work[g]))
        interrupted = X.mean * higher[g] / (1 - higher[g]) if preemptive else 0.0
        found.append(wait + interrupted)
    return tuple(found)
