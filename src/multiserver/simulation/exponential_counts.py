"""Multiserver jobs of exponential durations, simulated by the numbers of jobs of each class.

With exponential durations, jobs of one class are interchangeable, and the class of a job need not
be drawn until it comes to the front. So under policies that take jobs in order of arrival the state
is the number u_c of each class at the front, the class h of the next job, and the number q of jobs
behind it, whose classes are not drawn yet. The policies are

* FCFS: the next job comes to the front, and starts, when v_h servers are idle;
* ServerFilling (`finite-skip`, Section 7.2.3): the next job comes to the front while the jobs there
  need fewer than n servers, and the largest needs at the front are served first. Needs must divide
  each other and n: then no server is idle while the front needs n or more.

A jump costs a search among the classes, whatever the number of servers. Each state x is weighted
with the mean time 1/r(x) until the next jump instead of a time that is drawn, so

    Σ_j f(X_j)/r(X_j)  /  Σ_j 1/r(X_j)  →  the time average of f, with less variance.

This method is independent of the simulation job by job, which draws the duration of each job and
takes any distribution. A mixture of exponentials is one class for each of its branches. E[T] is
E[N]/λ, by Little.

Replications start empty. Of the jobs that come to the front in each, the first share `warm_up` is
left out, or as many as come before the servers have forgotten that they were empty
(`Workload.least_warm_up`). The jobs that follow include on average `MIN_CLASS_JOBS` or more of each
class in each replication, since one rare job may block all others for long: shorter runs would
agree with each other, and be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.checks import divide_each_other, require_integer
from multiserver.model import MultiserverJobSystem
from multiserver.simulation.estimate import Estimate, estimate, withhold_interval
from multiserver.simulation.instability_test import MARKS, check_growth, mark
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.streams import generator
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import (
    MAX_JOBS,
    TooManyJobsError,
    Workload,
    refuse_endless,
)

# Jumps after which r, updated by additions and subtractions, is summed anew; and the part of the
# largest r since then below which it is, as its digits are lost.
RESUM_INTERVAL, LOST = 1024, 2.0**-30
MIN_CLASS_JOBS = 10


def mean_servers_held(
    system: MultiserverJobSystem,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: Iterable[int] = (),
    warm_up: float = 0.2,
    confidence: float = 0.95,
) -> Estimate:
    """The mean number of servers held under FCFS if there is always a job in the queue, λ* E[S].

    `jobs` is the number that come to the front after the warm-up, in all replications together; it
    is increased if a replication would see fewer than `MIN_CLASS_JOBS` jobs of a rare class.
    Replication i draws from the stream of `seed` and (key, i); equal arguments give equal bits.
    Raises `ValueError` unless jobs and replications are integers, of at least 1 and 2, and 0 ≤
    warm_up < 1, or if a replication would take more than `MAX_JOBS` jobs.
    """
    effort = jobs, replications, seed, tuple(key), warm_up
    _, each, (time, held, squares, *_), _ = _replicate(system, math.inf, False, *effort)
    return _average(held, squares, time, each, confidence)


def mean_response_time(
    system: MultiserverJobSystem,
    arrival_rate: float,
    *,
    filling: bool = False,
    stable_below: float | None = None,
    jobs: int,
    replications: int,
    seed: int,
    key: Iterable[int] = (),
    warm_up: float = 0.2,
    confidence: float = 0.95,
) -> Estimate:
    """E[T] at arrival rate λ, of FCFS or of ServerFilling (`filling`); `stable_below` is λ*, if it
    is known. Runs too short for what is rare and long (`run_length`) have no interval.

    The other arguments are those of `mean_servers_held`. Also raises `ValueError` unless λ is
    positive and finite and, for ServerFilling, needs differ and divide each other and n, and
    `UnstableError` if the jobs in the system grow steadily (`instability_test`).
    """
    if not 0 < arrival_rate < math.inf:
        raise ValueError(f"arrival_rate must be a positive finite number, found {arrival_rate!r}")
    if filling:
        needs = system.needs
        if len(set(needs)) < len(needs) or not divide_each_other(system.servers, needs):
            found = f"{needs} on {system.servers} servers"
            raise ValueError(f"needs must differ and divide each other and n, found {found}")
    effort = jobs, replications, seed, tuple(key), warm_up
    λ = float(arrival_rate)
    before, each, (time, held, _, present, squares), marks = _replicate(system, λ, filling, *effort)
    missing = λ * system.mean_demand - held / time if warm_up else None
    remaining, in_order, workload = λ / min(system.rates), not filling, Workload.of(system, λ)
    caveat = check_growth(λ, marks, each, remaining, missing=missing, in_order=in_order)
    length = RunLength.of(workload, each, before, workload.load, stable_below, in_order)
    found = _average(present / λ, squares / λ**2, time, each, confidence)
    # E[T] is E[N]/λ, a mean over time.
    return withhold_interval(found, caveat or caveat_over_time(length))


def measured_jobs(system: MultiserverJobSystem, jobs: int, replications: int) -> int:
    """The jobs that each replication measures. Raises `TooManyJobsError` if they are more than
    `MAX_JOBS`."""
    each = math.ceil(jobs / replications)
    least = math.ceil(MIN_CLASS_JOBS / min(system.probabilities))
    if max(each, least) > MAX_JOBS:
        why = f" see the rarest class {MIN_CLASS_JOBS} times" if least > each else ""
        raise TooManyJobsError(
            f"{max(each, least):.1g} jobs in a replication{why}: more than {MAX_JOBS:.0e} take too"
            " long to simulate"
        )
    return max(each, least)


def _replicate(
    system: MultiserverJobSystem,
    arrival_rate: float,
    filling: bool,
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...],
    warm_up: float,
) -> tuple[int, int, NDArray[np.float64], NDArray[np.int64]]:
    """The jobs that each replication leaves out and measures; the time, and the integrals over it
    of the servers held, their square, the jobs present and their square, (5, R); the jobs in the
    system at the marks of each replication."""
    for name, value, least in (("jobs", jobs, 1), ("replications", replications, 2)):
        require_integer(name, value, least)
    if not 0 <= warm_up < 1:
        raise ValueError(f"warm_up must lie in [0, 1), found {warm_up!r}")
    each = measured_jobs(system, jobs, replications)
    before = math.ceil(each * warm_up / (1 - warm_up))
    # FCFS searches the likeliest classes first, ServerFilling serves the largest needs first.
    order = (lambda c: -c.need) if filling else (lambda c: -c.probability)
    classes = sorted(system.classes, key=order)
    columns = (
        np.array([c.need for c in classes]),
        np.array([c.rate for c in classes]),
        np.cumsum([c.probability for c in classes]),
    )
    rate = min(arrival_rate, system.naive_throughput)
    workload = Workload.of(system, rate)
    if warm_up:
        refuse_endless(workload)
        # A number of jobs, as in `saturated`: the first start after a given time is no usual one.
        before = max(before, workload.least_warm_up)
    model = system.servers, *columns, arrival_rate, filling
    marks = np.zeros((replications, MARKS + 1), dtype=np.int64)
    pairs = ((generator(seed, *key, i), marks[i]) for i in range(replications))
    runs = [_run(rng, *model, before, each, own) for rng, own in pairs]
    return before, each, np.array(runs).T, marks


def _average(
    totals: NDArray[np.float64],
    squares: NDArray[np.float64],
    time: NDArray[np.float64],
    each: int,
    confidence: float,
) -> Estimate:
    """The mean over `each` jobs of every replication."""
    mean = totals.sum() / time.sum()
    variance = max(squares.sum() / time.sum() - mean**2, 0.0)
    jobs = each * len(time)
    return estimate(totals, time, variance=variance, jobs=jobs, confidence=confidence)


@njit(cache=True)
def _run(rng, servers, needs, rates, cumulated, arrival_rate, filling, before, jobs, marks):
    """The sums of one replication; at an infinite arrival rate the queue never empties."""
    C = len(needs)
    saturated = arrival_rate == np.inf
    outside = 0.0 if saturated else arrival_rate
    counts = np.zeros(C, np.int64)
    served = np.zeros(C, np.int64) if filling else counts
    requested, head, behind, inside = 0, -1, 0, 0
    total, largest, jumps, come, marked = 0.0, 0.0, 0, -before, 0
    sums = np.zeros(5)
    while True:
        while True:
            if head < 0 and (saturated or behind > 0):
                head = _pick(rng.random(), cumulated)
                behind -= 1
            if head < 0 or (requested >= servers if filling else requested + needs[head] > servers):
                break
            requested += needs[head]
            counts[head] += 1
            total += rates[head]
            inside += 1
            come += 1
            head = -1
        if come > marked * jobs // MARKS:
            marked = mark(marks, marked, come - 1, 0, jobs, inside + behind + (head >= 0))
        if come > jobs:
            return sums
        if filling:
            idle = servers
            for c in range(C):
                if counts[c] * needs[c] <= idle:
                    served[c] = counts[c]
                else:
                    served[c] = idle // needs[c]
                idle -= served[c] * needs[c]
        largest = max(largest, total)
        if filling or jumps % RESUM_INTERVAL == 0 or total + outside < LOST * largest:
            total = 0.0
            for c in range(C):
                total += served[c] * rates[c]
            largest = total
        jumps += 1
        jump = total + outside
        if come > 0:
            held, present = float(min(requested, servers)), float(inside + behind + (head >= 0))
            sums[0] += 1 / jump
            sums[1] += held / jump
            sums[2] += held * held / jump
            sums[3] += present / jump
            sums[4] += present * present / jump
        left, done = rng.random() * jump, -1
        if not saturated:
            if left < arrival_rate or inside == 0:
                behind += 1
                continue
            left -= arrival_rate
        for c in range(C):
            if served[c] > 0:
                # If rounding lets the search run out, the last class in service completes.
                done = c
                left -= served[c] * rates[c]
                if left < 0:
                    break
        counts[done] -= 1
        total -= rates[done]
        inside -= 1
        requested -= needs[done]


@njit(cache=True)
def _pick(uniform, cumulated):
    last = len(cumulated) - 1
    for c in range(last):
        if uniform < cumulated[c]:
            return c
    return last
