"""How long a run must be for an interval of a quantile, or of P(T > t) or P(N > k).

*Bursts.* In heavy traffic the jobs beyond a level come in bursts: the queue is beyond it for about
as long as it takes to forget where it was, and then for long not at all. In units of time in which
it is a Brownian motion with drift −1 and variance 2, reflected at 0 (J. M. Harrison, *Brownian
Motion and Stochastic Flow Systems*, 1985), the level a that it exceeds in a share p of the time is
−ln p. The time beyond a in a long time L has the generating function exp(ψ(θ) L), where

    h″ − h′ + θ 1{x > a} h = ψ(θ) h,    h′(0) = 0,

is solved by exponentials on either side of a, and equal slopes at a are an equation for
ψ = ε_1 θ + ε_2 θ² + ε_3 θ³ + …. The skewness is 6 ε_3/((2 ε_2)^{3/2} √L), which for small p is
that of p L bursts, 3.75/√(p L). The unit of time is taken as E[B²]/(2 E[B])/(C (1 − ρ)²), B being
the work of a job and C the capacity. For M/M/1 the skewness is then by 3 % (at load 0.9) to 19 %
(0.5) larger than that of the time with more than k jobs, and right for the number of jobs that wait
longer than t, which chance spreads a little more. Of simulated skewnesses above 1/2, those of
M/M/10 and M/M/100 were exceeded by 2 to 32 %, of M/G/1 and M/G/4 with c² = 10 by 12 to 22 %, and
with Erlang durations (c² = 1/4) they were up to 26 % larger. For p above 1/2 it is smaller than
that of the mean, and not looked at.

Jobs that hardly wait have tails without bursts, which are those of their durations. If the jobs
beyond the level vary between replications as `SCATTERED` independent ones, they are in no bursts.
This is said of `KNOWN_SPREAD` replications or more. Of fewer it is not known how they vary, and
those that vary little by chance would be chosen.

*The share beyond.* Of a quantile it is known. That beyond t or k must not be taken from the jobs
that the interval rests on: near the least share that is enough, the runs with an interval would be
those that found many. It is taken from the second half of the warm-up. That need not be exact: what
matters is that it does not depend on what is measured.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.estimate import FAIR_OBSERVATIONS, Estimate, few_beyond, time_above
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength
from multiserver.simulation.workload import in_own_unit

# If the jobs beyond a level vary between replications as this many independent ones, they come in
# no bursts: those of a skewness of `MAX_SKEWNESS` vary as 1.6.
SCATTERED = 12
# χ² with 15 degrees of freedom, the measure of how replications vary, is less than a third of its
# mean with a probability of 1 %.
KNOWN_SPREAD = 16
# Jobs that must be expected beyond a level in the warm-ups of all replications, if these are to
# decide. They are then seldom fewer than half or more than twice as many as expected.
FEWEST_BEFORE = 10


def skewness_beyond(length: RunLength, share: float) -> float:
    """The skewness of the time that a replication spends beyond the level that is exceeded in a
    share p of the time; 0 for p ≥ 1/2."""
    if not 0 < share < 0.5:
        return 0.0
    rate, f = in_own_unit(length.workload.judged).arrival_rate, length.fraction
    L = length.jobs / rate * 4 * f / length.relaxation
    return _unit_skewness(share) / math.sqrt(L)


def tail_caveat(length: RunLength, known: float, beyond: Estimate) -> str:
    """Why an interval that rests on the jobs beyond a level is not fair, in words, or an empty
    string. `beyond` is the share of the jobs beyond it that was found, and `known` this share from
    elsewhere."""
    if few := few_beyond(known, beyond):
        return few
    skewness = skewness_beyond(length, known)
    if skewness <= MAX_SKEWNESS:
        return ""
    found, R = min(beyond.mean, 0.5), beyond.replications
    if R >= KNOWN_SPREAD and beyond.effective_size * found / (1 - found) >= SCATTERED * R:
        return ""
    return (
        "too short, as jobs beyond it come in bursts, which are so few in a replication that shares"
        f" of replications have a skewness of {skewness:.3g}, more than {MAX_SKEWNESS}"
    )


def decided_by(before: float, jobs_before: float, beyond: Estimate) -> float:
    """The share beyond a level by which `tail_caveat` decides: that `before` the measured jobs, of
    `jobs_before` jobs, or, if these are too few, that of the measured ones."""
    expected = jobs_before * FAIR_OBSERVATIONS * beyond.replications / max(beyond.jobs, 1)
    return before if expected >= FEWEST_BEFORE else beyond.mean


def level_caveat(length: RunLength, k: int, before: NDArray[np.float64], beyond: Estimate) -> str:
    """`tail_caveat` of P(N > k), from the time at each level `before` the measured time
    (R, K + 1)."""
    above, time = time_above(before, k).sum(), before.sum()
    seen = above / time if time > 0 else 0.0
    known = decided_by(seen, time * length.workload.arrival_rate, beyond)
    return tail_caveat(length, known, beyond)


def _unit_skewness(p: float) -> float:
    """6 ε_3/(2 ε_2)^{3/2} for L = 1.

    Below a, h = 1 + ε u_1 + ε² u_2 + ε³ u_3 + … with u_k″ − u_k′ = u_{k−1}, u_k(0) = u_k′(0) = 0,
    and above a h′/h = (1 − √(1 + 4 (ε − θ)))/2.
    """
    a, q, e = -math.log(p), 1 - p, 1 / p
    u_1, slope_1 = e - 1 - a, e - 1
    u_2, slope_2 = (a - 3) * e + 3 + 2 * a + a * a / 2, (a - 2) * e + 2 + a
    slope_3 = e * (a * a / 2 - 3 * a + 3 * q + 2 * (1 - p * (1 + a)))
    slope_3 += e * (1 - p * (1 + a + a * a / 2))
    g_2 = slope_2 - slope_1 * u_1
    g_3 = slope_3 - slope_2 * u_1 + slope_1 * (u_1**2 - u_2)
    ε_2 = p * (q**2 - g_2 * p**2)
    ε_3 = p * (2 * q**3 - 2 * (q + g_2 * p) * ε_2 - g_3 * p**3)
    return 6 * ε_3 / (2 * ε_2) ** 1.5
