"""λ/λ* by which the length of a run is judged where λ* is not known.

The load does not say how near a queue is to its limit if servers idle, and where the run itself
decided, those that found few jobs seemed long enough. So a short run of the same policy, which
shares no random number with it, finds the mean number Q of jobs that wait, and λ/λ* is taken as the
fraction of the limit at which as many wait in the M/G/1 of `run_length`. An error of this fraction
does not depend on what the run finds: it withholds intervals, or gives them, without selecting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scipy.optimize import brentq

from multiserver.errors import UnstableError
from multiserver.simulation.replications import Responses
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.saturated import LIKELY, jobs_of_each
from multiserver.simulation.workload import Workload

# λ/λ* is not told from 1 if it is larger.
NEAREST = 1 - 1e-6


def run_and_judge(
    simulate: Callable[..., Responses],
    workload: Workload,
    *,
    stable_below: float | None,
    **runs: Any,
) -> Responses:
    """A run whose length is judged by the likely λ/λ*, if λ*, `stable_below`, is not known.

    `simulate` takes the workload and the arguments of `replications.replicate`, of which `runs` are
    all that it needs. Raises as it does.
    """
    found = simulate(workload, stable_below=stable_below, **runs)
    if stable_below is not None:
        return found
    jobs, stream = runs["jobs"] * runs["replications"], (runs["seed"], runs["key"])
    fraction = max(likely_fraction(simulate, workload, jobs, *stream), found.length.fraction)
    return replace(found, length=replace(found.length, fraction=fraction))


def likely_fraction(
    simulate: Callable[..., Responses],
    workload: Workload,
    jobs: int,
    seed: int,
    key: tuple[int, ...],
) -> float:
    """λ/λ* by which a run of `jobs` jobs is judged, at least the load; 1 if the jobs grow."""
    each = jobs_of_each(jobs)
    try:
        found = simulate(workload, jobs=each, replications=2, seed=seed, key=(*key, LIKELY))
    except UnstableError:
        return 1.0
    return fraction_by_wait(
        found.length, found.mean_response_time.mean - found.length.mean_duration()
    )


def fraction_by_wait(length: RunLength, wait: float) -> float:
    """λ/λ* of the M/G/1 of `length` in which jobs wait for `wait` on average, in the unit of time
    of its workload; at least the load, and 1 if it is not told from 1."""
    work = length.workload
    load, waiting = work.load, work.arrival_rate * wait

    def excess(fraction: float) -> float:
        return replace(length, fraction=fraction).queued - waiting

    if load >= NEAREST or excess(NEAREST) <= 0:
        return 1.0
    return load if excess(load) >= 0 else float(brentq(excess, load, NEAREST))
