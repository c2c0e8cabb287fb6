"""Servers shared by random interruptions, job by job: Algorithm 1 of `parallel-processing`.

A cluster has servers 0 … S − 1 of capacities C_s (work per unit of time). Jobs of class i arrive at
rate λ_i with random sizes (work) of mean σ_i, each with a set of servers: S_i for all of the class,
or d servers drawn uniformly at random for each job (Section 8). All jobs form one queue. A server
serves the first job whose set contains it; a job is served at the sum of the capacities of its
servers, and no work is lost when it is interrupted (Section 7).

Server s interrupts the job it serves at rate C_s/θ: the job gives up all its servers, which go to
the next jobs, and moves to the end of the queue. A job served at rate r is thus interrupted at rate
r/θ, that is, after an exponential amount of its own *work* of mean θ, however many servers it has
and whenever it gets them. Here that amount is drawn when the job joins the end of the queue, which
is the same in distribution as timers at the servers and leaves fewer events. A job of size x is
interrupted Poisson(x/θ) times, hence m = σ/θ times on average, where σ = Σ λ_i σ_i / Σ λ_i is the
mean size: m determines θ. m = 0 is FCFS at every server; m → ∞ tends to balanced fairness, which
smaller m attain if sizes are exponential with one mean.

With φ_i(X) the completion rate of class i, the mean service rate that the class sees is (Section 8)

    γ_i = E[φ_i(X)] σ_i / E[X_i] = λ_i σ_i / E[X_i].

The estimates are those of `interruption_estimates`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import stdtrit

from multiserver.checks import require_integer
from multiserver.simulation.assignments import (
    NONE,
    doubled,
    draw_servers,
    empty_queue,
    in_progress,
    join,
    leave,
    soonest,
)
from multiserver.simulation.cluster import Cluster as Cluster
from multiserver.simulation.cluster import ParallelClass as ParallelClass
from multiserver.simulation.cluster import require_positive
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.instability_test import MARKS, mark
from multiserver.simulation.interruption_estimates import (
    AREA,
    DEPARTURES,
    INTERRUPTIONS,
    RESPONSE,
    RESPONSE_SQUARE,
    ROWS,
    SQUARE,
    WORK,
    Performance,
    summarise,
)
from multiserver.simulation.pooled_server import COLUMNS, arrive
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.streams import generator


def simulate(
    cluster: Cluster,
    *,
    seed: int,
    replications: range,
    warmup: int = 1_000_000,
    jumps: int = 1_000_000,
    key: tuple[int, ...] = (),
    stable_below: float | None = None,
    highest: float | None = None,
) -> Performance:
    """Independent replications: each tallies `jumps` jumps of a cluster after `warmup` from an
    empty start.

    Arrivals, departures and interruptions are the jumps. Replication r draws from the stream of
    `seed` and (key, r), whatever the others are. The defaults are the effort of the paper, for
    100 replications (Section 8). Intervals need windows that are long against the relaxation of
    the cluster, and sizes of finite third moment if m = 0. `stable_below` is λ*, the total rate of
    arrivals below which the cluster is stable, if known, and `highest` a rate that λ* is known not
    to exceed. Raises `ValueError` if there are fewer than two replications, and `UnstableError` if
    the jobs in the cluster grow and λ* is not known to be higher.
    """
    require_integer("jumps", jumps)
    length = _length(cluster, warmup, jumps, stable_below or highest)
    runs = _replicate(cluster, seed, replications, warmup, jumps, key)
    return summarise(cluster, length, *runs, stable_below)


def _length(cluster: Cluster, warmup: int, jumps: int, limit: float | None) -> RunLength:
    """The length of a window, in jobs."""
    jobs, before = (math.floor(n / (2 + cluster.interruptions)) for n in (jumps, warmup))
    return RunLength.of(cluster.workload, jobs, before, cluster.load, limit)


def simulate_to_precision(
    cluster: Cluster,
    half_width: float,
    *,
    seed: int,
    first: int,
    most: int,
    warmup: int = 1_000_000,
    jumps: int = 1_000_000,
    key: tuple[int, ...] = (),
) -> Performance:
    """Replicate until the 95 % half-width of every γ_i is at most `half_width`.

    Runs `first` replications, then as many more as their spread requires, and again if the spread
    was underestimated. Stops at `most` replications at the latest, with the half-widths reached by
    then. A run that stops when its interval is short stops sooner if the spread is underestimated,
    so that intervals cover slightly less than they say; many `first` replications make this small
    (Asmussen and Glynn, *Stochastic Simulation*, 2007, Section III.5). Equal arguments give equal
    results. Raises `ValueError` unless 2 ≤ first ≤ most and the half-width is positive.
    """
    require_positive("half_width", half_width)
    if not 2 <= first <= most:
        raise ValueError(f"2 ≤ first ≤ most must hold, found {first!r} and {most!r}")
    length = _length(cluster, warmup, jumps, None)
    runs = _replicate(cluster, seed, range(first), warmup, jumps, key)
    while True:
        found, R = summarise(cluster, length, *runs), len(runs[0])
        # Intervals that are withheld count too.
        widths = [-stdtrit(g.freedom, 0.025) * g.standard_error for g in found.service_rate]
        widest = float(np.nan_to_num(widths, nan=math.inf).max())
        if most == R or widest <= half_width:
            return found
        more = range(R, math.floor(min(most, R * (widest / half_width) ** 2 + 1)))
        added = _replicate(cluster, seed, more, warmup, jumps, key)
        runs = tuple(map(np.concatenate, zip(runs, added, strict=True)))


class _Servers(NamedTuple):
    """A cluster of N classes and S servers, as compiled code reads it.

    `arrival_rates` (N,); `degrees` (N,) and `sets` (N, D), of servers or of −1 for sets drawn at
    random; sizes as encoded by `draws`. `quantum` is θ, infinite without interruptions. `pools` (Q,
    N) says which classes are in each pool, and `drains` (Q,) are the capacities of the pools.
    """

    capacities: NDArray[np.float64]
    arrival_rates: NDArray[np.float64]
    degrees: NDArray[np.int64]
    sets: NDArray[np.int64]
    kinds: NDArray
    parameters: NDArray
    quantum: float
    pools: NDArray[np.bool_]
    drains: NDArray[np.float64]


def _replicate(
    cluster: Cluster,
    seed: int,
    replications: range,
    warmup: int,
    jumps: int,
    key: tuple[int, ...],
) -> tuple[NDArray[np.float64], ...]:
    """The durations (R,), the tallies (R, rows, classes), the counts of `arrive` (R, Q, columns)
    and the jobs in the cluster at the marks (R, M + 1), for the given replications."""
    classes = cluster.classes
    degrees = np.array([c.degree for c in classes])
    # Sets of different sizes are padded, sets drawn at random marked.
    sets = np.full((len(classes), degrees.max()), NONE)
    for c, row in zip(classes, sets, strict=True):
        if c.fixed:
            row[: c.degree] = c.servers
    rates = np.array([c.arrival_rate for c in classes], dtype=float)
    encoded = encode([c.size for c in classes])
    capacities = np.array(cluster.capacities, dtype=float)
    pools = np.array([pool.classes for pool in cluster.pools]).reshape(-1, len(classes))
    drains = np.array([pool.capacity for pool in cluster.pools], dtype=float)
    servers = _Servers(capacities, rates, degrees, sets, *encoded, cluster.quantum, pools, drains)
    tallies = np.empty((len(replications), ROWS, len(classes)))
    singles = np.zeros((len(replications), len(pools), COLUMNS))
    present = np.zeros((len(replications), MARKS + 1), dtype=np.int64)
    rows = zip(replications, tallies, singles, present, strict=True)
    durations = [
        _run(generator(seed, *key, r), servers, int(warmup), int(jumps), *counted)
        for r, *counted in rows
    ]
    return np.array(durations), tallies, singles, present


@njit(cache=True, error_model="numpy")
def _run(rng, cluster, warmup, jumps, tally, singles, marks):
    """Let `warmup` jumps pass from an empty cluster, tally the next `jumps`, return their duration.

    `tally` (ROWS, N) is overwritten, `singles` (Q, COLUMNS) are added to. Numbers are drawn in this
    order: the time to the first arrival; at an arrival its class, servers if random, size, phase if
    interrupted, and the time to the next arrival; after an interruption the next phase.
    """
    capacities, arrival_rates, degrees, sets, kinds, parameters, quantum, pools, drains = cluster
    N = len(arrival_rates)
    cumulative, total = arrival_rates.copy(), 0.0
    for c in range(N):
        total += arrival_rates[c]
        cumulative[c] = total
    queue = empty_queue(capacities, sets.shape[1], N)
    count = np.zeros(N, np.int64)
    last = np.zeros(N)
    t = start = 0.0
    everyone, marked, next_mark = 0, 0, warmup
    arrival = rng.standard_exponential() / total
    tally[:] = 0.0
    for jump in range(warmup + jumps):
        if jump >= next_mark:
            marked = mark(marks, marked, jump, warmup, warmup + jumps, everyone)
            next_mark = warmup + marked * jumps // (len(marks) - 1)
        if jump == warmup:
            tally[:] = 0.0
            last[:] = t
            start = t
            done = in_progress(queue, t)
            for c in range(N):
                queue.served[c] = -done[c]
        departs = queue.ends[1] <= arrival
        if departs:
            t = queue.ends[1]
            j = soonest(queue)
            job = queue.jobs[j]
            c = job.kind
            queue.served[c] += job.work
            leave(queue, j, t)
            if job.rest > 0.0:
                tally[INTERRUPTIONS, c] += 1.0
                join(queue, j, job.rest, quantum * rng.standard_exponential(), t)
                continue
            response = t - job.born
            tally[DEPARTURES, c] += 1.0
            tally[RESPONSE, c] += response
            tally[RESPONSE_SQUARE, c] += response * response
            queue.free[queue.free[-1]] = j
            queue.free[-1] += 1
        else:
            t = arrival
            if queue.free[-1] == 0:
                queue = doubled(queue)
            queue.free[-1] -= 1
            j = queue.free[queue.free[-1]]
            job = queue.jobs[j]
            u = rng.random() * total
            c = 0
            # The last is not compared: rounding may bring u up to it.
            while c < N - 1 and u >= cumulative[c]:
                c += 1
            job.kind = c
            job.degree = degrees[c]
            job.born = t
            first = j << queue.shift
            if sets[c, 0] == NONE:
                draw_servers(rng, queue.nodes, first, degrees[c], len(capacities))
            else:
                for k in range(degrees[c]):
                    queue.nodes[first + k].server = sets[c, k]
            size = draw(rng, kinds, parameters, c)
            for q in range(len(pools)):
                arrive(singles[q], drains[q], t, size if pools[q, c] else 0.0, jump >= warmup)
            phase = quantum * rng.standard_exponential() if quantum < np.inf else np.inf
            join(queue, j, size, phase, t)
            arrival = t + rng.standard_exponential() / total
        area = count[c] * (t - last[c])
        tally[AREA, c] += area
        tally[SQUARE, c] += count[c] * area
        last[c] = t
        count[c] += -1 if departs else 1
        everyone += -1 if departs else 1
    marks[marked:] = everyone
    done = in_progress(queue, t)
    for c in range(N):
        area = count[c] * (t - last[c])
        tally[AREA, c] += area
        tally[SQUARE, c] += count[c] * area
        tally[WORK, c] = queue.served[c] + done[c]
    return t - start
