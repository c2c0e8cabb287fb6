"""How long a run must be for an interval of a mean over time, such as E[N] or P(N > k).

Response times of different jobs hardly depend on each other if few jobs wait, but the numbers of
jobs at two times do as long as the same jobs are in service. With servers for all, the number of
jobs in service has the variance λ E[X] and the covariance λ ∫_t^∞ P(X > u) du at a distance t
(D. R. Cox and V. Isham, *Point Processes*, 1980, Section 5.6), so a replication that lasts for a
time L is worth

    n = L λ E[X] / (2 ∫_0^∞ λ ∫_t^∞ P(X > u) du dt) = L E[X] / E[X²]

independent observations of it, L over twice the mean remaining duration. If jobs wait, it is worth
fewer.

An interval needs `SETTLED_OBSERVATIONS` in a replication. If their number were only found by the
run, it would be the runs with too small an error that seem to have as many. So n is computed before
anything is drawn.
"""

from __future__ import annotations

import math

from multiserver.simulation.estimate import SETTLED_OBSERVATIONS
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.workload import in_own_unit

# Then at most 4 % of runs of 32 replications are found to have fewer than `SETTLED_OBSERVATIONS`:
# χ² with 31 degrees of freedom exceeds 1.5 times its mean with that probability.
FORESEEN_OBSERVATIONS = 1.5 * SETTLED_OBSERVATIONS


def observations_of_service(length: RunLength, c: int | None = None) -> float:
    """n of a replication for jobs of class c, or for all jobs."""
    work = in_own_unit(length.workload.judged)
    pairs = zip(work.probabilities, work.sizes, strict=True)
    chosen = pairs if c is None else [(1.0, work.sizes[c])]
    parts = [(p * X.mean, p * X.second_moment) for p, X in chosen]
    mean, square = (math.fsum(column) for column in zip(*parts, strict=True))
    return length.jobs / work.arrival_rate * mean / square


def caveat_over_time(length: RunLength, c: int | None = None, gain: float = 1.0) -> str:
    """What is wrong with an interval for a mean over time, of class c or of all jobs, in words;
    empty if nothing is. `gain` is the factor by which controls reduced the variance."""
    if found := length.caveat(c, gain):
        return found
    n = observations_of_service(length, c)
    if n < FORESEEN_OBSERVATIONS:
        return (
            f"too short, as jobs stay so long that a replication is worth {n:.2g} independent"
            f" observations of those in service, fewer than {FORESEEN_OBSERVATIONS:g}"
        )
    return ""
