"""The jobs of a log at their own times, and jobs drawn from it.

A log of J jobs, submitted in order at a_1 ≤ … ≤ a_J, with needs v_i, durations X_i and requests
R_i ≥ X_i, has

    the arrival rate  λ = (J − 1)/(a_J − a_1)   and on n servers the load  ρ = λ E[S]/n,  S = v X.

*Resampled* jobs arrive in a Poisson process of this rate. Each is one of the J, drawn independently
of all others: need, duration and request stay together (the bootstrap of B. Efron, Ann. Stat. 7,
1979). Resampling loses all dependence of jobs on each other and on the clock: bursts, daily and
weekly cycles, a user who submits the same job again. A *replay* keeps it: the same jobs at the same
times.

A job that took longer than it requested, as schedulers grant some grace, has R_i = X_i.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlas.fields.block import misfit
from atlas.models.sampling import Progress
from atlas.models.systems import require_servers, tell_wide
from atlas.models.traces import allowed_faults, are_cpus, read_chunks
from atlas.traces import REQUESTED, STARTED, SUBMITTED
from atlas.traces.numbers import are_dates
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import Workload
from multiserver.sizes import Bimodal

Array = NDArray[np.float64]
DAY = 86400
# The fewest jobs that give a meaningful arrival rate and mean.
FEWEST = 100
# The first, or the last, of the jobs, if fewer than one in `FEWEST`, may take this part of a log's
# time at most, or as much as bursts of `BURST` jobs may leave to chance.
STRAY, BURST = 0.1, 16
# Seconds from here on are moments since 1970, after 2001; logs whose clock starts at 0 are shorter.
SINCE_1970 = 1e9


class Jobs(NamedTuple):
    """The jobs as a simulation engine takes them: four columns (J,), times in seconds."""

    arrivals: Array
    needs: NDArray[np.int64]
    durations: Array
    requests: Array


@dataclass(frozen=True, eq=False, slots=True)
class Log:
    """Jobs in order of submission, `arrivals` in seconds after the first; `requests` and `waits`
    are NaN if not known. `untimed` counts the jobs left out for lack of a time of submission, and
    `by_cpus` is as in `tell_wide`."""

    arrivals: Array
    needs: NDArray[np.int64]
    durations: Array
    requests: Array
    waits: Array
    untimed: int
    by_cpus: bool = False

    @property
    def span(self) -> float:
        """The time from the first submission to the last, in seconds."""
        return float(self.arrivals[-1])

    @property
    def arrival_rate(self) -> float:
        """λ, in jobs a second."""
        return (len(self.arrivals) - 1) / self.span

    def load(self, servers: int) -> float:
        """ρ on this number of servers."""
        return self.arrival_rate * float((self.needs * self.durations).mean()) / servers

    def require_servers(self, servers: int, *at: str | int) -> None:
        """Raise a misfit, at the number of servers, if a job could never start."""
        work = self.needs * self.durations
        which = tell_wide(self.needs, np.ones(len(work)), work, servers, by_cpus=self.by_cpus)
        require_servers(int(self.needs.max()), servers, *at, which=which)

    def jobs(self, growth: float, overestimate: float, *, by_logs: bool) -> Jobs:
        """The jobs at their own times, divided by `growth`. They request (1 + `overestimate`) times
        their durations or, if `by_logs`, the time requested in the log where it is known."""
        requests = (1 + overestimate) * self.durations
        if by_logs:
            known = np.fmax(self.requests, self.durations)
            requests = np.where(np.isfinite(self.requests), known, requests)
        return Jobs(self.arrivals / growth, self.needs, self.durations, requests)

    def workload(self, servers: int, growth: float) -> Workload:
        """The workload of resampled jobs: one class per need, with its empirical durations."""
        needs, counts = np.unique(self.needs, return_counts=True)
        sizes = []
        for need, count in zip(needs, counts, strict=True):
            values, times = np.unique(self.durations[self.needs == need], return_counts=True)
            sizes.append(Bimodal(tuple(values.tolist()), tuple((times / count).tolist())))
        shares = tuple((counts / counts.sum()).tolist())
        rate = growth * self.arrival_rate
        return Workload(servers, tuple(needs.tolist()), tuple(sizes), shares, rate)


def read_log(parameters: Mapping[str, Any], progress: Progress = iter) -> Log:
    """The log of a block `trace`. Raises a misfit if too few jobs have times or too many have none,
    or if needs are not whole numbers."""
    chunks = list(read_chunks(parameters, progress))
    needs, durations, times = (
        np.concatenate([getattr(c, name) for c in chunks])
        for name in ("needs", "durations", "times")
    )
    timed = np.isfinite(times[:, SUBMITTED])
    known = int(timed.sum())
    _require(known >= FEWEST, f"{known} jobs with a time of submission", f"{FEWEST} at least")
    trace = parameters["trace"]
    allowed = allowed_faults(trace)
    _require(
        len(timed) - known <= allowed * len(timed),
        f"{len(timed) - known} of {len(timed)} jobs without a time of submission, which λ lacks",
        f"at most the share {allowed:g} that `faults` allows",
    )
    submitted = times[timed, SUBMITTED]
    _require(np.ptp(submitted) > 0, "jobs that were all submitted at once", "times that differ")
    raw = submitted / trace.get("seconds", 1)
    dates = f"times of submission such as {raw[0]:.0f}, which are dates written as numbers"
    _require(not are_dates(raw), dates, "seconds, or dates such as 2024-05-31T23:59:59")
    clock = times[timed][:, [SUBMITTED, STARTED]] % DAY
    _require((clock > 0).any(), "times to the day only", "times of submission to the second")
    odd = needs[timed] != np.floor(needs[timed])
    _require(not odd.any(), "needs that are no whole numbers", "trace: {unit: …}, of a server")
    order = np.argsort(submitted, kind="stable")
    arrivals = submitted[order]
    _require_one_period(arrivals)
    return Log(
        arrivals=arrivals - arrivals[0],
        needs=needs[timed][order].astype(np.int64),
        durations=durations[timed][order],
        requests=times[timed, REQUESTED][order],
        waits=times[timed, STARTED][order] - arrivals,
        untimed=len(timed) - known,
        by_cpus=are_cpus(parameters),
    )


def _require_one_period(arrivals: NDArray[np.float64]) -> None:
    """Few jobs long before or long after the others would make λ too small: times that are years
    off, such as 0 for none, and jobs submitted long before the time that an export covers."""
    jobs, most = len(arrivals), -(-len(arrivals) // FEWEST) - 1
    allowed = max(STRAY, math.sqrt(BURST / jobs))
    ages = {"before": arrivals - arrivals[0], "after": arrivals[-1] - arrivals[::-1]}
    for side, age in ages.items():
        if age[most] > allowed * age[-1]:
            # After these the share of the time is furthest ahead of that of the jobs.
            ahead = age[: most + 1] / age[-1] - np.arange(most + 1) / jobs
            few = int(ahead.argmax())
            at_most = "up to " if few > 1 else ""
            apart = f"{age[few] / DAY:.1f} days" if age[few] > DAY else f"{age[few]:.3g} s"
            found = f"{few} of {jobs} jobs submitted {at_most}{apart} {side} the others"
            end = _moment(arrivals[few] if side == "before" else arrivals[-1 - few])
            limit = f"which {'begin' if side == 'before' else 'end'} at {end}"
            expected = "times of one period: mend their times, or say in `period` which jobs count"
            _require(False, f"{found}, {limit}", expected)


def _moment(seconds: float) -> str:
    """A time of submission as `period` may say it: a date, if it is counted from 1970 on."""
    if seconds < SINCE_1970:
        return f"{seconds:.0f} s"
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%S")


def resample(jobs: Jobs, rate: float, count: int, seed: int, *key: int) -> Jobs:
    """`count` jobs, drawn independently from the `jobs` of a log, that arrive in a Poisson process;
    a longer run begins with the jobs of a shorter one."""
    gaps = generator(seed, *key, 0).exponential(1 / rate, count)
    drawn = generator(seed, *key, 1).integers(len(jobs.needs), size=count)
    return Jobs(np.cumsum(gaps), *(column[drawn] for column in jobs[1:]))


def classify(needs: NDArray[np.int64], largest_needs: list[float]) -> NDArray[np.int64]:
    """The class of each job (J,), from 0: class c has needs up to `largest_needs[c]`, and the last
    class all larger needs."""
    return np.searchsorted(np.array(largest_needs), needs, side="left")


def _require(holds: bool, found: str, expected: str) -> None:
    if not holds:
        raise misfit(found, expected, "trace")
