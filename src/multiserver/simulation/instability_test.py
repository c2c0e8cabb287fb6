"""A test that distinguishes growing queues from stable ones.

The jobs in the system are counted at `MARKS` + 1 equally spaced jobs of each replication; the gain
from one mark to the next is a *step*. If a queue starts empty, gains alone show nothing: a stable
queue grows towards its mean, and a queue with λ = λ* grows for ever, as the modulus of a Brownian
motion. But a long queue drifts at λ − λ* only. So only steps from *high* marks count: those where
the queue exceeds its lowest mark by `HIGH_MARK_FACTOR` times the root mean square of all steps, so
that the servers do not run out of jobs during the step. An excursion to high marks that has ended
has gained nothing, as it ends below its first mark; if λ = λ*, the excursions that go on gain on
average what the others lost. So the sum of these steps over a replication has a mean of at most 0
if the queue is stable, and of λ − λ* times their duration if not.

The tests are Student's t over the replications (over equal parts of them, if there are fewer than
`MIN_PARTS`), with two levels:

* The queue is unstable if the steps from high marks sum to more than 0, by an amount that has a
  probability of at most `FALSE_ALARM` if the queue is stable and the sums are about normal.
* The run is in doubt if the steps from high marks, or the whole gain from the first mark to the
  last, sum to more than 0, or if less capacity is at work than ρ n, each by an amount that has a
  probability of at most `DOUBT` in a run that is in its steady state from the first mark on. The
  queue may then be unstable, or the run too short to have forgotten its empty start or to have met
  all the work that arrives on average. Either way its means are too small, and have no intervals.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import stdtr

from multiserver.errors import UnstableError
from multiserver.simulation.workload import Workload

MARKS = 64
HIGH_MARK_FACTOR = 3.0
# Most jobs in service have left after this many mean remaining durations. A step must be as long:
# otherwise a queue may be long only because it happens to be growing.
REMAINING_DURATIONS = 3.0
MIN_STEPS = 4
MIN_PARTS = 16
FALSE_ALARM = 1e-6
DOUBT = 1e-3


def refuse_overload(workload: Workload) -> None:
    """Raises `UnstableError` if ρ = λ E[S]/n ≥ 1: no policy is stable."""
    if workload.load >= 1:
        raise UnstableError(
            f"jobs arrive at rate {workload.arrival_rate:.6g}, a load of {workload.load:.6g};"
            " no queue is stable at 1 or more",
            arrival_rate=workload.arrival_rate,
            limit=workload.arrival_rate / workload.load,
        )


def check_growth(
    arrival_rate: float,
    present: NDArray[np.int64],
    jobs: float,
    remaining: float,
    *,
    missing: NDArray[np.float64] | None = None,
    in_order: bool = False,
    stable_below: float | None = None,
) -> str:
    """The reason why a run has no intervals, in words, or an empty string.

    `present` (R, M + 1) are the jobs in the system at the marks of R settled replications of `jobs`
    jobs; `remaining` is how many jobs arrive while a job found in service remains. `missing` (R,)
    is ρ n less the capacity at work. `in_order` says that jobs leave an unstable queue at rate λ*,
    as under FCFS, and `stable_below` is λ*, if it is known. Raises `UnstableError` if the queue
    certainly grows and λ is not known to be below λ*: a stable queue that fills for longer than the
    run grows too.
    """
    R, M = len(present), present.shape[1] - 1
    if R < 2 or M < 2:
        return ""
    parts = min(-(-MIN_PARTS // R), M)
    gains, high = _from_high_marks(present, math.ceil(REMAINING_DURATIONS * remaining * M / jobs))
    chance = _chance(_parts(gains, parts))
    if chance < FALSE_ALARM and not arrival_rate < (stable_below or 0.0):
        growth = float(gains[high].mean()) * gains.shape[1] / jobs * arrival_rate
        raise UnstableError(
            f"jobs arrive at rate {arrival_rate!r} and about {growth:.3g} more a unit of time than"
            f" complete: {R} replications of {jobs:.0f} jobs end with {present[:, -1].mean():.0f}"
            f" jobs in the system on average. A stable queue grows so with a probability of"
            f" {FALSE_ALARM:g} at most"
            + (f"; its limit is about {arrival_rate - growth:.4g}" if in_order else ""),
            arrival_rate=arrival_rate,
            limit=arrival_rate - growth if in_order else math.nan,
        )
    if min(chance, _chance(_parts(np.diff(present, axis=1), parts))) < DOUBT:
        return (
            "the jobs in the system grew during the run: it is too short to have forgotten its"
            " empty start, or the queue is unstable"
        )
    if missing is not None and _chance(missing) < DOUBT:
        return (
            f"less capacity than ρ n was at work, by {missing.mean():.2g}: the run is too short to"
            " have met all the work that comes on average, or the queue is unstable"
        )
    return ""


def _from_high_marks(
    present: NDArray[np.int64], stride: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The gains of steps of `stride` marks, 0 unless they start at high marks, and which of them
    do."""
    steps = np.diff(present[:, ::stride], axis=1).astype(float)
    level = HIGH_MARK_FACTOR * max(math.sqrt(float(np.mean(steps**2))) if steps.size else 0.0, 1.0)
    high = present[:, :-1:stride][:, : steps.shape[1]] - present.min() >= level
    high &= steps.shape[1] >= MIN_STEPS
    return np.where(high, steps, 0.0), high


def _parts(steps: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    """Sums of the steps over `parts` equal parts of each replication."""
    return np.concatenate([p.sum(axis=1) for p in np.array_split(steps, parts, axis=1)])


def _chance(gains: NDArray[np.float64]) -> float:
    """The probability of a mean at least as large, if the expectation is 0."""
    mean, spread = (gains.mean(), gains.std(ddof=1)) if len(gains) > 1 else (0.0, 0.0)
    if mean <= 0:
        return 1.0
    t = mean * math.sqrt(len(gains)) / max(spread, 1e-9 * mean)
    return float(stdtr(len(gains) - 1, -t))


def settled_marks(present: NDArray[np.int64], early: float) -> NDArray[np.int64]:
    """The marks after the first share `early` of the measured time, during which servers still
    fill."""
    return present[:, math.ceil(min(early, 1.0) * (present.shape[1] - 1)) :]


@njit(cache=True)
def mark(marks, marked, arrivals, warm_up, jobs, everyone):
    """Record in `marks`, from job `warm_up` to job `jobs`, how many jobs job number `arrivals`
    finds.

    Returns how many are `marked` by then.
    """
    steps = len(marks) - 1
    while marked <= steps and arrivals >= warm_up + marked * (jobs - warm_up) // steps:
        marks[marked] = everyone
        marked += 1
    return marked
