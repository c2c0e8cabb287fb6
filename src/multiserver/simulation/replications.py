"""Replications of the engines `class_queues`, `front` and `backfilling`, and the estimates from
them.

Replication r takes its jobs from `generator(seed, *key, r)` as `multiserver.simulation.fcfs` does:
equal seeds and keys give every policy the same jobs, so that policies can be compared job by job.
It starts empty. The first W jobs in order of arrival, a given fraction, are the *warm-up*; the
others are measured. E[T] is the mean of their response times, E[N] the mean of the numbers of jobs
that they find (Poisson arrivals see time averages). Unmeasured jobs keep arriving until all
measured jobs have left, so that no response time is cut short even if newer jobs are served first.

The same jobs go to a single server of the whole capacity (`pooled_server`). The control variates
are the work that they find there, the number of jobs of each class and the total of their
requirements, each less its average. At load 0.95 they make the variance of E[T] hundreds to ten
thousands of times smaller under ServerFilling and hundreds of times under MaxWeight; under Least
Servers First they gain nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numba import float64, int64, njit, typeof, types
from numpy.typing import NDArray

from multiserver.checks import require_integer
from multiserver.errors import TooLargeError, UnstableError
from multiserver.simulation.controls import estimate_with_controls
from multiserver.simulation.draws import draw, source_of
from multiserver.simulation.estimate import Estimate, estimate, require_sampled, withhold_interval
from multiserver.simulation.instability_test import MARKS, check_growth, settled_marks
from multiserver.simulation.pooled_server import COUNTED, FOUND_WORK, mean_work
from multiserver.simulation.run_length import MIN_CONTRIBUTING_JOBS, RunLength
from multiserver.simulation.streams import generator
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import Workload, with_warm_up
from multiserver.sizes import Exponential

# Columns of `Responses.sums`, a row for each class. Sums of 1, T and T² over the measured jobs of
# the class; of N_c and N_c² over all measured jobs, which find N_c jobs of the class; of S over the
# measured jobs of the class. In the last row also sums, over all measured jobs, of the capacity
# that they find at work, and of its square.
MEASURED, RESPONSE, RESPONSE_SQUARED, FOUND, FOUND_SQUARED, REQUIREMENT = range(6)
BUSY, BUSY_SQUARED, COLUMNS = range(6, 9)

# Controls are at most this part of the replications: with more, the larger quantile of Student's t
# offsets their gain.
MAX_CONTROLS_SHARE = 0.25
# A coefficient of variation of requirements that is lost in the rounding of their total.
ROUNDING = 1e-6

# A limit on the jobs in the system that a stable run does not reach.
LIMIT = 2**17

# What an engine takes after its own arguments: the source of the jobs, the generator, the warm-up,
# the number of jobs, the limit on the jobs in the system, an array that records as many response
# times as it holds, and an array of marks (`instability_test`).
COMMON_TYPES = (
    typeof(source_of(Workload(1, (1,), (Exponential(1.0),), (1.0,), 1.0))),
    typeof(generator(0)),
    int64,
    int64,
    int64,
    float64[::1],
    int64[::1],
)


class Overloaded(UnstableError):
    """More jobs are in the system than in any stable run."""


@dataclass(frozen=True, slots=True)
class Responses:
    """Sums of R replications, and estimates from them with intervals at `confidence`.

    `sums` is (R, C + 1, 8): the columns named above for each class and, in the last row, for all
    jobs together. `controls` (R, q) are control variates. `present` (R, M + 1) are the jobs in the
    system at M + 1 equally spaced measured jobs; if they grew, `caveat` says so, and there are no
    intervals. Nor are there any if the `length` of a replication is known beforehand to be too
    short. The unit of time is the workload's.
    """

    workload: Workload
    length: RunLength
    sums: NDArray[np.float64]
    controls: NDArray[np.float64]
    confidence: float
    capacity: float
    present: NDArray[np.int64]
    caveat: str

    @property
    def mean_response_time(self) -> Estimate:
        """E[T] of all jobs."""
        return self._mean(None, RESPONSE, -1)

    @property
    def mean_jobs(self) -> Estimate:
        """E[N], in jobs."""
        return self._mean(None, FOUND, -1)

    def class_response_time(self, c: int) -> Estimate:
        """E[T_c]. Raises `ValueError` if no measured job is of that class."""
        require_sampled(c, int(self.sums[:, c, MEASURED].sum()), self.workload.probabilities[c])
        return self._mean(c, RESPONSE, c)

    def class_jobs(self, c: int) -> Estimate:
        """E[N_c], in jobs."""
        return self._mean(c, FOUND, -1)

    def busy(self, capacity: float) -> Estimate:
        """The mean capacity at work, where the whole is `capacity`; ρ times that if stable."""
        found, _ = self._controlled(-1, BUSY, -1, capacity / self.capacity)
        known = self.caveat or caveat_over_time(self.length, gain=found.gain)
        return withhold_interval(found, known)

    def _mean(self, c: int | None, column: int, observers: int) -> Estimate:
        row = -1 if c is None else c
        found, plain = self._controlled(row, column, observers)
        alone = self.length.mean_duration(c) * (1.0 if column == RESPONSE else self._rate(c))
        # Then what the controls leave lies in the few jobs that had to wait, and its errors follow
        # no known distribution.
        waited = (found.mean / alone - 1) * self.sums[:, row, MEASURED].sum()
        if waited < MIN_CONTRIBUTING_JOBS * len(self.sums):
            found = plain
        rule = caveat_over_time if column == FOUND else RunLength.caveat
        return withhold_interval(found, self.caveat or rule(self.length, c, found.gain))

    def _controlled(
        self, row: int, column: int, observers: int, unit: float = 1.0
    ) -> tuple[Estimate, Estimate]:
        """A mean with controls and without."""
        totals, weights = unit * self.sums[:, row, column], self.sums[:, observers, MEASURED]
        weight = max(float(weights.sum()), math.ulp(0.0))
        mean_square = unit**2 * float(self.sums[:, row, column + 1].sum()) / weight
        variance = max(mean_square - (float(totals.sum()) / weight) ** 2, 0.0)
        options = {"variance": variance, "jobs": int(weight), "confidence": self.confidence}
        controlled = estimate_with_controls(totals, weights, self.controls, **options)
        return controlled, estimate(totals, weights, **options)

    def _rate(self, c: int | None) -> float:
        """The arrival rate of class c, or of all jobs."""
        p = self.workload.probabilities
        return self.workload.arrival_rate * (1.0 if c is None else p[c])


def replicate(
    engine: Callable[..., tuple[bool, NDArray[np.float64], NDArray[np.float64]]],
    capacity: float,
    workload: Workload,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: Iterable[int] = (),
    warm_up: float = 0.2,
    limit: int = LIMIT,
    confidence: float = 0.95,
    stable_below: float | None = None,
    record: NDArray[np.float64] | None = None,
) -> Responses:
    """`replications` runs of an engine over `jobs` jobs each, of which W = ⌈warm_up · jobs⌉ are the
    warm-up. Both numbers are increased if the servers take longer to fill (`with_warm_up`).

    `engine` takes the arguments of `COMMON_TYPES`. It returns whether the jobs in the system stayed
    below `limit`, the sums (C + 1, 8) except those that the last row adds up over the classes, and
    the counts of `arrive` for a single server of this `capacity`. `stable_below` is λ*, if known.
    `record` receives the response times of as many jobs as it holds, in order of arrival; each
    replication overwrites it unless it has a row for each. The entries of jobs that are still there
    when the last measured one leaves stay as they are.

    Raises `ValueError` unless `jobs`, `replications` and `limit` are positive integers and
    `warm_up`, in [0, 1), leaves a job to measure, `Overloaded` if the limit is reached
    (`TooLargeError` below a known λ*), and `UnstableError` if the jobs in the system grow steadily
    (`instability_test`).
    """
    for name, value in (("jobs", jobs), ("replications", replications), ("limit", limit)):
        require_integer(name, value)
    deleted, jobs = with_warm_up(workload, jobs, warm_up)
    key, source, runs, servers = tuple(key), source_of(workload), [], []
    record = np.empty(0) if record is None else record
    present = np.zeros((replications, MARKS + 1), dtype=np.int64)
    for r in range(replications):
        run = deleted, jobs, limit, record[r] if record.ndim > 1 else record, present[r]
        below, sums, server = engine(source, generator(seed, *key, r), *run)
        if not below and workload.arrival_rate < (stable_below or 0):
            raise TooLargeError(
                f"{limit} jobs are in the system at an arrival rate of {workload.arrival_rate!r},"
                f" though it is below λ* = {stable_below:.6g}"
            )
        if not below:
            raise Overloaded(
                f"{limit} jobs are in the system at an arrival rate of {workload.arrival_rate!r}:"
                " it is unstable, or the limit is too low",
                arrival_rate=workload.arrival_rate,
            )
        of_jobs = [MEASURED, RESPONSE, RESPONSE_SQUARED, REQUIREMENT]
        sums[-1, of_jobs] = sums[:-1, of_jobs].sum(axis=0)
        runs.append(sums)
        servers.append(server)
    sums = np.stack(runs)
    load = workload.load * workload.servers / capacity
    length = RunLength.of(workload, jobs - deleted, deleted, load, stable_below)
    controls = _controls(length, capacity, sums, np.stack(servers))
    early = max(workload.least_warm_up - deleted, 0) / (jobs - deleted)
    busy = sums[:, -1, BUSY] / sums[:, -1, MEASURED]
    caveat = check_growth(
        workload.arrival_rate,
        settled_marks(present, early),
        (1 - min(early, 1)) * (jobs - deleted),
        workload.longest_remaining,
        missing=workload.load * workload.servers - busy if early == 0 else None,
        stable_below=stable_below,
    )
    return Responses(workload, length, sums, controls, confidence, capacity, present, caveat)


def _controls(
    length: RunLength, capacity: float, sums: NDArray[np.float64], servers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The control variates of R replications (R, q), each less its average: the work found at the
    single server, the number of jobs of each class, and the total of their requirements. If that is
    too many for R replications, the total work of all jobs replaces the latter two. Left out are
    classes of fewer than `MIN_CONTRIBUTING_JOBS` jobs, infinite averages, and all of short runs."""
    if not length.controllable:
        return np.empty((len(sums), 0))
    workload = length.workload
    p, v, sizes = np.array(workload.probabilities), np.array(workload.needs), workload.sizes
    means, squares = (np.array([getattr(s, m) for s in sizes]) for m in ("mean", "second_moment"))
    # Squares of large needs are no integers of 64 bits.
    found = mean_work(workload.arrival_rate, p @ (v * means), p @ (v**2.0 * squares), capacity)
    jobs = sums[:, :-1, MEASURED]
    # Of constant requirements rounding would be left, whose mean is not 0.
    varies = np.array([X.variance for X in sizes]) > (ROUNDING * means) ** 2
    beyond = np.where(varies, sums[:, :-1, REQUIREMENT] - jobs * means, 0.0)
    mix = jobs - jobs.sum(axis=1, keepdims=True) * p
    if 2 * len(p) > MAX_CONTROLS_SHARE * len(sums):
        beyond, mix = (beyond @ v + mix @ (v * means))[:, None], mix[:, :0]
    else:
        many = length.jobs * p >= MIN_CONTRIBUTING_JOBS
        beyond, mix = beyond[:, many], mix[:, many]
    work = servers[:, FOUND_WORK] - servers[:, COUNTED] * found
    controls = np.column_stack([work, beyond, mix[:, 1:]])
    return controls[:, np.isfinite(controls).all(axis=0)]


def compiled(run: Callable, policy_type: types.FunctionType, *own: types.Type) -> Callable:
    """An engine, compiled once for all policies of a type; it calls a policy by its address."""
    if not run.signatures:
        run.compile((policy_type, *own, *COMMON_TYPES))
        run.disable_compile()
    return run


@cache
def compiled_policy(policy: Callable, signature: types.Type) -> Callable:
    """A policy, compiled; one that is compiled already is returned unchanged."""
    if hasattr(policy, "signatures"):
        return policy
    try:
        return njit(signature, cache=True)(policy)
    except RuntimeError:  # Defined interactively: there is no file beside which to cache it.
        return njit(signature)(policy)


@njit(cache=True)
def next_job(rng, cumulated, kinds, parameters):
    """Class and requirement of the next job."""
    u = rng.random()
    c = 0
    # The last cumulated probability is not compared: rounding may leave it below 1.
    while c < len(cumulated) - 1 and u >= cumulated[c]:
        c += 1
    return c, draw(rng, kinds, parameters, c)


@njit(cache=True)
def observe(sums, c, requirement, present, everyone, busy):
    """Add the requirement of a measured job of class c, the jobs that it finds, and the capacity
    that it finds `busy`."""
    sums[c, REQUIREMENT] += requirement
    for k in range(len(present)):
        sums[k, FOUND] += present[k]
        sums[k, FOUND_SQUARED] += present[k] * present[k]
    sums[-1, FOUND] += everyone
    sums[-1, FOUND_SQUARED] += everyone * everyone
    sums[-1, BUSY] += busy
    sums[-1, BUSY_SQUARED] += busy * busy


@njit(cache=True)
def measure(sums, c, response):
    """Add the response time of a measured job of class c."""
    sums[c, MEASURED] += 1
    sums[c, RESPONSE] += response
    sums[c, RESPONSE_SQUARED] += response * response
