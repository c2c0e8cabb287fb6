"""The cost of an exact point against the number of servers, by method.

The cost is the count of numbers in a method's matrices, for the response time under FCFS and for
λ*.

| method              | what it gives | matrices                                                   |
|---------------------|---------------|------------------------------------------------------------|
| number of jobs      | E[T]          | dense, over the phases of every level: Σ_k m_k² numbers    |
| all fronts          | E[T]          | dense, over all m settled fronts: m² numbers               |
| interpolated fronts | E[T]          | dense, over the fronts used as interpolation nodes         |
| age of a large job  | E[T]          | at `AT` λ*, a block of its N functions at n numbers of     |
|                     |               | jobs, and 3 N² numbers of equations; needs 1 and n only    |
| saturated           | λ*, E[Δ(Y_d)] | sparse, over all fronts: a few per front, counted as one   |

The front consists of the jobs in service and the class that blocks the head of the queue; the age
of the blocking job is the level (`multiserver.open.age_process`). `within` says whether the method
accepts the system, `most` how many numbers it can hold. Times are in the benchmarks.
"""

from __future__ import annotations

import pandas as pd

from atlas.fields.columns import Truth, Words
from atlas.models.mixes import GrowingBlock
from atlas.models.sampling import Progress
from multiserver.fronts.every import MAX_NUMBERS
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_equation, age_process, one_or_n
from multiserver.open.multiserver_jobs import MAX_BLOCK_ENTRIES
from multiserver.open.phase_count import block_entries
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.policies.one_or_n import MOST_BETWEEN
from multiserver.saturated import one_or_n as saturated
from multiserver.sizes import Exponential

UNITS = {
    "servers": "servers",
    "method": Words("name"),
    "numbers": "1",
    "most": "1",
    "within": Truth("whether the method takes the system"),
}

AT = 0.9
Parameters = GrowingBlock


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per number of servers and method."""
    rows = []
    for servers in progress(parameters.sizes):
        system = parameters.system(servers)
        jobs = PhasedJobs.exponential(system)
        settled, unsettled = count_fronts(jobs)
        nodes = len(age_process.interpolate(jobs).fronts.head)
        entries, dense = MAX_BLOCK_ENTRIES, age_process.MAX_SETTLED_FRONTS**2
        costs = {
            "number of jobs": (block_entries(servers, jobs.needs), float(entries)),
            "all fronts": (settled**2, float(dense)),
            "interpolated fronts": (float(nodes**2), float(dense)),
            **_by_large_age(system),
            "saturated": (settled + unsettled, MAX_NUMBERS / (len(jobs.needs) + 1)),
        }
        rows += [
            (servers, method, numbers, most, numbers <= most)
            for method, (numbers, most) in costs.items()
        ]
    return pd.DataFrame(rows, columns=list(UNITS))


def _by_large_age(system: MultiserverJobSystem) -> dict[str, tuple[float, float]]:
    """The cost by the age of a large job, if the needs are 1 and n."""
    n = system.servers
    if system.needs != (1, n):
        return {}
    (mu_1, mu_n), p = system.rates, system.probabilities
    rate = AT * saturated.one_or_n(n, p[1], mu_1, mu_n).throughput
    functions = len(one_or_n.solve(n, mu_1, Exponential(mu_n), p, rate).coefficients)
    held = age_equation.BLOCK * one_or_n.most_between(n, p)
    equations = 2 * age_equation.OVERSAMPLING * functions**2
    return {"age of a large job": (held + equations, age_equation.BLOCK * MOST_BETWEEN)}
