"""The jobs of a log at their own times, and jobs drawn from it.

Of J jobs in the order in which they were submitted, at a_1 ≤ … ≤ a_J, with needs v_i, durations X_i
and requests R_i ≥ X_i, the log has

    the arrival rate  λ = (J − 1)/(a_J − a_1)   and on n servers the load  ρ = λ E[S]/n,  S = v X.

*Resampled* jobs come in a Poisson process of this rate, each one of the J, drawn independently of
all others: need, duration and request stay together (B. Efron, Ann. Stat. 7, 1979, says bootstrap).
What is lost is all that ties jobs to each other and to the clock: bursts, days and weeks, a user
who submits the same job again. A *replay* keeps it: the same jobs at the same times.

A log that was requested less time than a job took, as schedulers grant some grace, has R_i = X_i.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlas.fields.block import misfit
from atlas.models.sampling import Progress
from atlas.models.traces import read_chunks
from atlas.traces import REQUESTED, STARTED, SUBMITTED
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import Workload
from multiserver.sizes import Bimodal

Array = NDArray[np.float64]
# Jobs from which an arrival rate and a mean say something.
FEWEST = 100


class Jobs(NamedTuple):
    """What an engine takes of jobs: four columns (J,), times in seconds."""

    arrivals: Array
    needs: NDArray[np.int64]
    durations: Array
    requests: Array


@dataclass(frozen=True, eq=False, slots=True)
class Log:
    """Jobs in order of submission, `arrivals` in seconds from the first on; `requests` and `waits`
    are NaN where they are not known. `untimed` jobs have no time of submission and are left out."""

    arrivals: Array
    needs: NDArray[np.int64]
    durations: Array
    requests: Array
    waits: Array
    untimed: int

    @property
    def span(self) -> float:
        """From the first submission to the last, in seconds."""
        return float(self.arrivals[-1])

    @property
    def arrival_rate(self) -> float:
        """λ, in jobs a second."""
        return (len(self.arrivals) - 1) / self.span

    def load(self, servers: int) -> float:
        """ρ on so many servers."""
        return self.arrival_rate * float((self.needs * self.durations).mean()) / servers

    def jobs(self, growth: float, overestimate: float, *, by_logs: bool) -> Jobs:
        """The jobs at their own times, divided by `growth`; they request (1 + `overestimate`) times
        their durations or, `by_logs`, what they did in the log where that is known."""
        given = (1 + overestimate) * self.durations
        if by_logs:
            known = np.fmax(self.requests, self.durations)
            given = np.where(np.isfinite(self.requests), known, given)
        return Jobs(self.arrivals / growth, self.needs, self.durations, given)

    def workload(self, servers: int, growth: float) -> Workload:
        """What resampled jobs are like: a class for each need, with the durations that it had."""
        needs, counts = np.unique(self.needs, return_counts=True)
        sizes = []
        for need, count in zip(needs, counts, strict=True):
            values, times = np.unique(self.durations[self.needs == need], return_counts=True)
            sizes.append(Bimodal(tuple(values.tolist()), tuple((times / count).tolist())))
        shares = tuple((counts / counts.sum()).tolist())
        rate = growth * self.arrival_rate
        return Workload(servers, tuple(needs.tolist()), tuple(sizes), shares, rate)


def read_log(parameters: Mapping[str, Any], progress: Progress = iter) -> Log:
    """The log of a block `trace`. Raises a misfit if it has too few jobs with their times, or needs
    that are no whole numbers."""
    chunks = list(read_chunks(parameters, progress))
    needs, durations, times = (
        np.concatenate([getattr(c, name) for c in chunks])
        for name in ("needs", "durations", "times")
    )
    timed = np.isfinite(times[:, SUBMITTED])
    known = int(timed.sum())
    _require(known >= FEWEST, f"{known} jobs with a time of submission", f"{FEWEST} at least")
    submitted = times[timed, SUBMITTED]
    _require(np.ptp(submitted) > 0, "jobs that were all submitted at once", "times that differ")
    odd = needs[timed] != np.floor(needs[timed])
    _require(not odd.any(), "needs that are no whole numbers", "trace: {unit: …}, of a server")
    order = np.argsort(submitted, kind="stable")
    arrivals = submitted[order]
    return Log(
        arrivals=arrivals - arrivals[0],
        needs=needs[timed][order].astype(np.int64),
        durations=durations[timed][order],
        requests=times[timed, REQUESTED][order],
        waits=times[timed, STARTED][order] - arrivals,
        untimed=len(timed) - known,
    )


def resample(jobs: Jobs, rate: float, count: int, seed: int, *key: int) -> Jobs:
    """`count` of the `jobs` of a log, drawn independently, which come in a Poisson process; a
    longer run begins with the jobs of a shorter."""
    gaps = generator(seed, *key, 0).exponential(1 / rate, count)
    drawn = generator(seed, *key, 1).integers(len(jobs.needs), size=count)
    return Jobs(np.cumsum(gaps), *(column[drawn] for column in jobs[1:]))


def classify(needs: NDArray[np.int64], largest_needs: list[float]) -> NDArray[np.int64]:
    """The class of each job (J,), from 0: needs up to the first of `largest_needs`, and so on;
    those of the last class may be any larger."""
    return np.searchsorted(np.array(largest_needs), needs, side="left")


def _require(holds: bool, found: str, expected: str) -> None:
    if not holds:
        raise misfit(found, expected, "trace")
