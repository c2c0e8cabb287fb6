"""First come, first served, simulated job by job.

Jobs arrive in a Poisson process of rate λ at n servers. A job is of class c with probability p_c,
holds v_c servers at once for a time distributed as S_c, and starts when all earlier jobs have
started and v_c servers are idle. N(t) jobs are in the system, Q(t) of them wait.

Every job is simulated. An event is an arrival or a completion; waiting jobs are kept in a queue,
future completions in a heap. The simulation uses none of the theory that it is meant to check.

A replication starts empty. Of its jobs, numbered in order of arrival, the first W, a given
fraction, are the *warm-up*; the J others are measured. Times are averaged from the arrival of job
W + 1 to that of job W + J + 1, which does not enter: J whole interarrival times, over which an
average from a stationary start has no bias (Poisson arrivals see time averages, and the ratio is
Palm's inversion formula). Response times are those of all jobs W + 1 … W + J: the run goes on,
without further arrivals, until the last has started, so that none is censored. Later jobs cannot
delay earlier ones.

Replication r draws from `generator(seed, *key, r)`, for one job after another: the time since the
previous arrival, the class, the duration. Equal seeds and keys give equal bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.checks import require_integer
from multiserver.simulation.completions import insert, none_in_service, remove_first
from multiserver.simulation.draws import draw, source_of
from multiserver.simulation.fcfs_estimates import (
    HELD,
    HELD_SQUARED,
    JOBS,
    JOBS_SQUARED,
    TIME,
    WAITING,
    WAITING_SQUARED,
    Simulation,
)
from multiserver.simulation.instability_test import (
    MARKS,
    check_growth,
    mark,
    refuse_overload,
    settled_marks,
)
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import Workload, with_warm_up


class Trace(NamedTuple):
    """Jobs in order of arrival: arrivals, classes, durations and starts, each (jobs,)."""

    arrivals: NDArray[np.float64]
    classes: NDArray[np.int64]
    durations: NDArray[np.float64]
    starts: NDArray[np.float64]


class _Sums(NamedTuple):
    """The sums of one replication: rows of the arrays of `Simulation`."""

    areas: NDArray[np.float64]
    time_at_level: NDArray[np.float64]
    time_before: NDArray[np.float64]
    completions: NDArray[np.int64]
    response_sums: NDArray[np.float64]
    response_squares: NDArray[np.float64]
    present: NDArray[np.int64]


def simulate(
    workload: Workload,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: Iterable[int] = (),
    warm_up: float = 0.2,
    levels: int = 100,
    confidence: float = 0.95,
    stable_below: float | None = None,
    likely_limit: float | None = None,
    overloaded: bool = False,
    traces: list[Trace] | None = None,
) -> Simulation:
    """`replications` independent runs of `jobs` jobs each, of which W = ⌈warm_up · jobs⌉ are the
    warm-up.

    Both numbers are increased if the servers take longer to fill (`with_warm_up`). `levels` is K,
    the number of levels whose times are recorded separately. Near saturation the bias of the empty
    start fades over a number of jobs that grows as (1 − λ/λ*)^−2; the warm-up must outlast that too
    (`Estimate.long_enough`). An unstable workload is refused unless `overloaded` is set: its
    averages estimate nothing but its `growth`, and time and memory are proportional to its jobs.
    `stable_below` is λ*, if known; if not, the length of the run is judged by `likely_limit`. The
    jobs of each replication are appended to `traces`.

    Raises `UnstableError` if ρ ≥ 1 or the jobs grow steadily (`instability_test`), and `ValueError`
    unless `jobs`, `replications` and `levels` are positive integers, and `warm_up`, in [0, 1),
    leaves a job to measure.
    """
    for name, value in (("jobs", jobs), ("replications", replications), ("levels", levels)):
        require_integer(name, value)
    deleted, jobs = with_warm_up(workload, jobs, warm_up)
    if not overloaded:
        refuse_overload(workload)
    R, C, key, limit = replications, len(workload.needs), tuple(key), stable_below or likely_limit
    done = Simulation(
        workload=workload,
        length=RunLength.of(workload, jobs - deleted, deleted, workload.load, limit, in_order=True),
        areas=np.zeros((R, 7)),
        time_at_level=np.zeros((R, levels + 1)),
        time_before=np.zeros((R, levels + 1)),
        completions=np.zeros((R, C), dtype=np.int64),
        response_sums=np.zeros((R, C)),
        response_squares=np.zeros((R, C)),
        present=np.zeros((R, MARKS + 1), dtype=np.int64),
        confidence=confidence,
    )
    source = source_of(workload)
    for r in range(R):
        sums = _Sums(*(getattr(done, name)[r] for name in _Sums._fields))
        record = _empty_trace(0 if traces is None else jobs)
        _run(generator(seed, *key, r), source, deleted, jobs, sums, record)
        if traces is not None:
            traces.append(record)
    if overloaded:
        return done
    early = max(workload.least_warm_up - deleted, 0) / (jobs - deleted)
    held = done.areas[:, HELD] / done.areas[:, TIME]
    caveat = check_growth(
        workload.arrival_rate,
        settled_marks(done.present, early),
        (1 - min(early, 1)) * (jobs - deleted),
        workload.longest_remaining,
        missing=workload.load * workload.servers - held if early == 0 else None,
        in_order=True,
        stable_below=stable_below,
    )
    return replace(done, caveat=caveat)


def trace(workload: Workload, jobs: int, *, seed: int, key: Iterable[int] = ()) -> Trace:
    """The jobs, one by one, of the first replication of `simulate` with the same seed and key.

    Raises `ValueError` unless `jobs` is a positive integer.
    """
    require_integer("jobs", jobs)
    C, record = len(workload.needs), _empty_trace(jobs)
    whole, real = np.zeros((2, max(C, 2)), dtype=np.int64), np.zeros((2, C))
    sums = _Sums(np.zeros(7), np.zeros(2), np.zeros(2), whole[0], *real, whole[1])
    _run(generator(seed, *key, 0), source_of(workload), 0, jobs, sums, record)
    return record


def _empty_trace(jobs: int) -> Trace:
    return Trace(np.empty(jobs), np.empty(jobs, dtype=np.int64), np.empty(jobs), np.empty(jobs))


@njit(cache=True)
def _run(rng, source, warm_up, jobs, sums, record):
    """One replication, added to the sums; `record` takes as many jobs as it has room for."""
    servers, needs, cumulated, kinds, parameters, mean_gap = source
    areas, time_at_level, time_before, completions, response_sums, response_squares, present = sums
    arrivals, classes, durations, starts = record
    ends, held = none_in_service(servers, needs, jobs)
    # The queue: a ring of waiting jobs, Q of them from `head` on; its size is a power of 2.
    ring = 64
    came, kind, duration = np.empty(ring), np.empty(ring, dtype=np.int64), np.empty(ring)
    head = Q = serving = arrived = started = marked = np.int64(0)
    next_mark = warm_up
    idle, last, top = servers, len(cumulated) - 1, len(time_at_level) - 1
    clock, next_arrival = 0.0, mean_gap * rng.standard_exponential()
    begin = area_1 = area_2 = waiting_1 = waiting_2 = held_1 = held_2 = 0.0

    closed = False
    while started < jobs or not closed:
        arriving = serving == 0 or next_arrival < ends[0]
        now = next_arrival if arriving else ends[0]
        if not closed:
            step, clock = now - clock, now
            N, busy = serving + Q, float(servers - idle)
            area_1 += N * step
            area_2 += N * N * step
            waiting_1 += Q * step
            waiting_2 += Q * Q * step
            held_1 += busy * step
            held_2 += busy * busy * step
            time_at_level[min(N, top)] += step

        if arriving:
            if arrived == warm_up // 2:
                time_at_level[:] = 0.0
            if arrived >= next_mark:
                marked = mark(present, marked, arrived, warm_up, jobs, serving + Q)
                next_mark = warm_up + marked * (jobs - warm_up) // (len(present) - 1)
            if arrived == warm_up:
                begin = now
                area_1 = area_2 = waiting_1 = waiting_2 = held_1 = held_2 = 0.0
                for level in range(top + 1):
                    time_before[level], time_at_level[level] = time_at_level[level], 0.0
            if arrived == jobs:
                closed, next_arrival = True, math.inf
                continue
            c, u = 0, rng.random()
            # The last cumulated probability is not compared: rounding may leave it below 1.
            while c < last and u >= cumulated[c]:
                c += 1
            d = draw(rng, kinds, parameters, c)
            if arrived < len(starts):
                arrivals[arrived], classes[arrived], durations[arrived] = now, c, d
            if ring == Q:
                came, kind = _doubled_ring(came, head), _doubled_ring(kind, head)
                duration = _doubled_ring(duration, head)
                head, ring = 0, 2 * ring
            place = (head + Q) & (ring - 1)
            came[place], kind[place], duration[place] = now, c, d
            Q += 1
            arrived += 1
            next_arrival = now + mean_gap * rng.standard_exponential()
        else:
            serving -= 1
            idle += held[0]
            remove_first(ends, held, serving)

        while Q > 0 and needs[kind[head]] <= idle:
            c, end = kind[head], now + duration[head]
            idle -= needs[c]
            insert(ends, held, serving, end, needs[c])
            serving += 1
            if started >= warm_up:
                # Cancellation: at a clock of 1e8, the response time is accurate to 1e-8.
                response = end - came[head]
                completions[c] += 1
                response_sums[c] += response
                response_squares[c] += response * response
            if started < len(starts):
                starts[started] = now
            started += 1
            head = (head + 1) & (ring - 1)
            Q -= 1

    areas[TIME], areas[JOBS], areas[JOBS_SQUARED] = clock - begin, area_1, area_2
    areas[WAITING], areas[WAITING_SQUARED] = waiting_1, waiting_2
    areas[HELD], areas[HELD_SQUARED] = held_1, held_2


@njit(cache=True)
def _doubled_ring(ring, head):
    """A ring of twice the size, which starts with the contents of a full one from `head` on."""
    wide = np.empty(2 * len(ring), ring.dtype)
    for i in range(len(ring)):
        wide[i] = ring[(head + i) & (len(ring) - 1)]
    return wide
