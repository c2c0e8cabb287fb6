"""One deterministic duration on k servers, in order of arrival: M/D/k.

Every k-th job is served by the same server, so jobs wait as in a single-server queue in which an
interarrival time is the sum of k exponential times of rate λ. Let D be the duration, a = λ D < k,
and A_i a sum of i k such times. By Spitzer's identity

    E[W] = Σ_{i≥1} E[(i D − A_i)⁺]/i = D Σ_{i≥1} (P(i a, i k) − (k/a) P(i a, i k + 1)),

where P(x, m) is the probability that a Poisson variable of mean x is m or more. Terms fall as
exp(−k i (r − 1 − ln r)), r = a/k. Where they fall fast, the two parts of a term nearly cancel; the
i-th is also a sum of positive ones, with m = i k and π_j(x) the probability of j,

    P(r m, m) − P(r m, m + 1)/r = Σ_{j≥m} π_j(r m) (j + 1 − m)/(j + 1).

They fall slowly near r = 1. There E[Q] = λ E[W] is found from

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
# cheaper. Where the exponent falls by more than FAST from one to the next, the two parts of a term
# lose digits.
NEGLIGIBLE_EXPONENT, MOST_TERMS, FAST = 46.0, 200_000, 1.0


def waiting_time(servers: int, duration: float, rate: float) -> float:
    """E[W] of k = `servers`, with a relative error of about 1e-12, however small it is.

    Raises `UnstableError` unless λ < k/D.
    """
    require_stable(rate, servers / duration)
    r = rate * duration / servers
    falls = servers * decay(r)
    if falls > FAST:
        multiples = range(1, math.ceil(NEGLIGIBLE_EXPONENT / falls) + 1)
        return duration * math.fsum(positive_term(i * servers, r) for i in multiples)
    if MOST_TERMS * falls > NEGLIGIBLE_EXPONENT:
        return duration * by_terms(servers, r, math.ceil(NEGLIGIBLE_EXPONENT / falls))
    return by_zeros(servers, r) / rate


def decay(r: float) -> float:
    """r − 1 − ln r, with all its digits near r = 1: with s = (r − 1)/(r + 1), ln r = 2 artanh s."""
    if r < 0.5:
        return r - 1 - math.log(r)
    s = (r - 1) / (r + 1)
    return s * (r - 1 - 2 * math.fsum(s ** (2 * j) / (2 * j + 1) for j in range(1, 20)))


def positive_term(m: int, r: float) -> float:
    """P(r m, m) − P(r m, m + 1)/r, as a sum of positive terms."""
    # ln m! by Stirling's series: m ln m − m cancels within π_m.
    stirling = 1 / (12 * m) - 1 / (360 * m**3) + 1 / (1260 * m**5)
    exact = math.lgamma(m + 1) - m * math.log(m) + m
    above = 0.5 * math.log(2 * math.pi * m) + stirling if m > 100 else exact
    last = math.ceil((NEGLIGIBLE_EXPONENT + 10) / -math.log(r)) + 2
    j = m + np.arange(1.0, last)
    later = np.cumprod(r * m / j) @ ((j + 1 - m) / (j + 1))
    return math.exp(-m * decay(r) - above) * (1 / (m + 1) + float(later))


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
