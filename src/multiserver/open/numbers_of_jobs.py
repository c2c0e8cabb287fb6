"""The number of jobs in the system, needs 1 and n, from the distribution of the age of a large job.

Time and symbols are those of `one_or_n`. Let x_j be the probability that j jobs have arrived behind
a large job when it completes. With probability q p^m, m < j, the first m of them are small and the
next is large: then m small jobs drain, with j − m − 1 jobs behind the large one that waits. If all
are small, the stopped chain (`small_jobs`) starts with ξ_j = p^j x_j, and leaves some number m to
drain with no job behind. Between two completions of large jobs, let τ_m be the mean time of the
chain at m, b_{m,i} the mean time with m small jobs draining and i jobs behind, and l_i (k,) the
mean times, by phase of S, with a large job in service and i behind. With σ_m = min(m, n),

    (λ + σ_m) b_{m,i} = λ b_{m,i−1} + σ_{m+1} b_{m+1,i} + q p^m x_{m+1+i} + [i = 0] λq τ_m,
    l_i (λ − T) = λ l_{i−1} + α (σ_1 b_{1,i} + q x_{1+i} + [i = 0] λq τ_0).

There N is m, m + 1 + i and 1 + i, and the times multiplied by λq are probabilities. All terms are
positive. Above n, with y_m = ξ_m + h y_{m+1} the first entries into m, (λq + λp (1 − h) + n) τ_m =
λp τ_{m−1} + y_m. The cost is proportional to the number of pairs (m, i): i runs to K, the largest
number of jobs that is asked for, and m until nothing is left.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import NotKnownError
from multiserver.open.age_equation import ScaledSystem, Solution
from multiserver.open.small_jobs import StoppedChain
from multiserver.recurrences import lfilter

Vector = NDArray[np.float64]

# The probability that is left above the largest m, and the largest number of steps.
NEGLIGIBLE_TAIL, MAX_STEPS = 1e-17, 2e8


def numbers_of_jobs(system: ScaledSystem, found: Solution, most: int) -> Vector:
    """P(N = k) for k = 0 … `most`, with an absolute error of about 1e-12 in all; rounding may make
    the smallest negative.

    Raises `NotKnownError` if that takes too many steps.
    """
    n, p, q, rate = system.n, system.p, system.q, system.rate
    chain = StoppedChain(n, rate * p, rate * q)
    above = chain.stop + chain.flow * chain.falls_short + n
    slowest = max(p / (1 + found.basis.rates[0] / rate), chain.flow / above)
    top = n + math.ceil(math.log(NEGLIGIBLE_TAIL) / math.log(slowest))
    steps = top * most + len(found.coefficients) * (top + most)
    if steps > MAX_STEPS:
        raise NotKnownError(
            f"P(N > {most}) of needs 1 and n takes {steps:.0e} steps; {MAX_STEPS:.0e} fit"
        )
    behind = found.coefficients @ np.array(
        list(found.basis.poisson_integrals(rate, 1.0, top + most + 2))
    )
    times = _chain(chain, behind[: top + 1] * p ** np.arange(top + 1), above)

    distribution = np.zeros(most + 1)
    distribution[: top + 1] += times[: most + 1]
    drained = np.zeros(most + 1)
    for m in range(top, -1, -1):
        entering = min(m + 1, n) * drained + q * p**m * behind[m + 1 : m + most + 2]
        entering[0] += chain.stop * times[m]
        if m == 0:
            break
        out = rate + min(m, n)
        drained = lfilter([1 / out], [1.0, -rate / out], entering)
        distribution[m + 1 :] += drained[: max(most - m, 0)]
    step = np.linalg.inv(rate * np.eye(len(system.alpha)) - system.phases)
    serving = np.zeros(len(system.alpha))
    for i in range(most):
        serving = (rate * serving + system.alpha * entering[i]) @ step
        distribution[i + 1] += serving.sum()
    return chain.stop * distribution


def _chain(chain: StoppedChain, entering: Vector, above: float) -> Vector:
    """τ_m for as many m as ξ, `entering`, has entries."""
    n, h = chain.servers, 1 - chain.falls_short
    first = lfilter([1.0], [1.0, -h], entering[: n - 1 : -1])[::-1]
    below = entering[:n].copy()
    below[-1] += h * first[0]
    times = chain.times(below[None])[0]
    first[0] += chain.flow * times[-1]
    return np.concatenate([times, lfilter([1 / above], [1.0, -chain.flow / above], first)])
