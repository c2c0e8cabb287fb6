"""One deterministic duration on k servers, in order of arrival: M/D/k.

Every k-th job is served by the same server, so jobs wait as in a single-server queue in which an
interarrival time is the sum of k exponential times of rate λ. Let D be the duration, a = λ D < k,
and A_i a sum of i k such times. By Spitzer's identity

    E[W] = Σ_{i≥1} E[(i D − A_i)⁺]/i = D Σ_{i≥1} (P(i a, i k) − (k/a) P(i a, i k + 1)),

where P(x, m) is the probability that a Poisson variable of mean x is m or more. Terms fall as
exp(−k i (r − 1 − ln r)), r = a/k, slowly near r = 1. There E[Q] = λ E[W] is found from

    E[Q] = (a² − k (k − 1))/(2 (k − a)) + Σ_{1≤j<k} 1/(1 − z_j),

where z_j = −W(−r e^−r e^(2πi j/k))/r, with Lambert's W, are the zeros of z^k = exp(a (z − 1))
within the unit disk.

References: C. D. Crommelin, Post Office Electrical Engineers' Journal 25 (1932); F. Spitzer, Trans.
Amer. Math. Soc. 82 (1956).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammainc, lambertw

from multiserver.errors import require_stable

# Terms below e^−NEGLIGIBLE_EXPONENT are left out; if more than MOST_TERMS remain, the zeros are
# cheaper.
NEGLIGIBLE_EXPONENT, MOST_TERMS = 46.0, 200_000


def waiting_time(servers: int, duration: float, rate: float) -> float:
    """E[W] of k = `servers`, with a relative error of about 1e-12, or 1e-10 where E[W] is far below
    1e-12 D, as with hundreds of servers at low loads.

    Raises `UnstableError` unless λ < k/D.
    """
    require_stable(rate, servers / duration)
    r = rate * duration / servers
    falls = servers * (r - 1 - math.log(r))
    if MOST_TERMS * falls > NEGLIGIBLE_EXPONENT:
        return duration * by_terms(servers, r, math.ceil(NEGLIGIBLE_EXPONENT / falls))
    return by_zeros(servers, r) / rate


def by_terms(k: int, r: float, terms: int) -> float:
    """E[W]/D by the first `terms` of the sum."""
    m = np.arange(1.0, terms + 1) * k
    return math.fsum((gammainc(m, r * m) - gammainc(m + 1, r * m) / r).tolist())


def by_zeros(k: int, r: float) -> float:
    """E[Q] by the zeros."""
    unit = np.exp(2j * np.pi * np.arange(1, k) / k)
    zeros = -lambertw(-r * math.exp(-r) * unit) / r
    # (a² − k (k − 1))/(2 (k − a)), without the cancellation of a² and k².
    above = 0.5 / (1 - r) - k * (1 + r) / 2
    return above + math.fsum((1 / (1 - zeros)).real.tolist())
