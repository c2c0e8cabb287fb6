"""What an exact point costs each method against the number of servers, in numbers that its
matrices hold: for the response time under FCFS, and for λ*.

| method         | what it gives | matrices                                                        |
|----------------|---------------|-----------------------------------------------------------------|
| number of jobs | E[T]          | dense, of the phases of every level: Σ_k m_k² numbers           |
| head of queue  | E[T]          | dense, of the m settled fronts that matter: m² numbers          |
| saturated      | λ*, E[Δ(Y_d)] | sparse, of all settled fronts: about as many numbers as fronts  |

`within` says whether the method takes the system, `most` how many numbers it takes. They are
counted, not timed: times are in the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from models.growing_systems import GrowingBlock
from multiserver.errors import TooLargeError
from multiserver.open import head_age, multiserver_jobs
from multiserver.open.phase_count import block_entries
from multiserver.phased import PhasedJobs, count_fronts

UNITS = {
    "servers": "servers",
    "method": "name",
    "numbers": "1",
    "most": "1",
    "within": "whether the method takes the system",
}


class Parameters(GrowingBlock):
    """What to compute."""


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a number of servers and method."""
    rows = []
    for servers in progress(parameters.sizes):
        jobs = parameters.jobs(servers)
        settled, unsettled = count_fronts(jobs)
        found = {
            "number of jobs": (
                block_entries(servers, jobs.needs),
                float(multiserver_jobs.LARGEST),
            ),
            "head of queue": (_fronts_that_matter(jobs) ** 2, float(head_age.LARGEST) ** 2),
            "saturated": (settled + unsettled, float(head_age.MOST_LISTED)),
        }
        rows += [
            (servers, method, numbers, most, numbers <= most)
            for method, (numbers, most) in found.items()
        ]
    return pd.DataFrame(rows, columns=list(UNITS))


def _fronts_that_matter(jobs: PhasedJobs) -> float:
    """m, of which all matter where the solver refuses the system."""
    try:
        return float(len(head_age.prepare(jobs).fronts.head))
    except TooLargeError:
        return count_fronts(jobs)[0]
