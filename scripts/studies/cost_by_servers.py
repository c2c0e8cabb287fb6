"""What an exact point costs each method against the number of servers, in numbers that its
matrices hold: for the response time under FCFS, and for λ*.

| method         | what it gives | matrices                                                      |
|----------------|---------------|---------------------------------------------------------------|
| number of jobs | E[T]          | dense, of the phases of every level: Σ_k m_k² numbers         |
| all fronts     | E[T]          | dense, of all m settled fronts: m² numbers                    |
| some fronts    | E[T]          | the same of those that are likely, or that are interpolated   |
| saturated      | λ*, E[Δ(Y_d)] | sparse, of all fronts: a few numbers a front, counted as one  |

The front is what is in service, with the class that blocks the head of the queue, whose age is the
level (`multiserver.open.head_age`). `within` says whether the method takes the system, `most` how
many numbers it takes. They are counted, not timed: times are in the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from models.growing_systems import GrowingBlock, with_phases
from multiserver.open import head_age, multiserver_jobs
from multiserver.open.phase_count import block_entries
from multiserver.phased import count_fronts

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
        jobs = with_phases(parameters.system(servers))
        settled, unsettled = count_fronts(jobs)
        dense = float(head_age.LARGEST) ** 2
        found = {
            "number of jobs": (
                block_entries(servers, jobs.needs),
                float(multiserver_jobs.LARGEST),
            ),
            "all fronts": (settled**2, dense),
            "some fronts": (float(len(head_age.prepare(jobs).fronts.head)) ** 2, dense),
            "saturated": (settled + unsettled, float(head_age.MOST_LISTED)),
        }
        rows += [
            (servers, method, numbers, most, numbers <= most)
            for method, (numbers, most) in found.items()
        ]
    return pd.DataFrame(rows, columns=list(UNITS))
