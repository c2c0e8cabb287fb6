"""The jumps of Algorithm 1 of `parallel-processing`, one by one: see `interruptions`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

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
from multiserver.simulation.cluster import Cluster
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.instability_test import MARKS, mark
from multiserver.simulation.pooled_server import COLUMNS, arrive
from multiserver.simulation.streams import generator

# What is counted of each class over a window.
AREA, SQUARE, WORK, DEPARTURES, RESPONSE, RESPONSE_SQUARE, INTERRUPTIONS, ROWS = range(8)
# The time with k jobs is counted for k below so many, and twice the servers.
LEVELS = 100


class Runs(NamedTuple):
    """R replications: their `durations` (R,), the `tallies` (R, rows, classes), the counts of
    `arrive` for Q single servers (R, Q, columns), the jobs `present` at the marks (R, M + 1), the
    `time_at_level` with 0, …, K − 1 or at least K jobs (R, K + 1), the same in the second half of
    the warm-up, `time_before`, and of the first `recorded` jobs (R,) that left, `early` of them
    (R,) in the warm-up, their classes and response times (R, J)."""

    durations: NDArray[np.float64]
    tallies: NDArray[np.float64]
    singles: NDArray[np.float64]
    present: NDArray[np.int64]
    time_at_level: NDArray[np.float64]
    time_before: NDArray[np.float64]
    early: NDArray[np.int64]
    recorded: NDArray[np.int64]
    classes: NDArray[np.int64]
    responses: NDArray[np.float64]

    def joined(self, others: Runs) -> Runs:
        """These replications and the `others`."""
        return Runs(*map(np.concatenate, zip(self, others, strict=True)))


class Servers(NamedTuple):
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


def replicate(
    cluster: Cluster,
    seed: int,
    replications: range,
    warmup: int,
    jumps: int,
    key: tuple[int, ...],
    kept: tuple[int, int] = (0, 0),
) -> Runs:
    """The given replications, each with the response times of the first jobs that leave: of as many
    in the warm-up and after it as `kept` says."""
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
    servers = Servers(capacities, rates, degrees, sets, *encoded, cluster.quantum, pools, drains)
    tallies = np.empty((len(replications), ROWS, len(classes)))
    singles = np.zeros((len(replications), len(pools), COLUMNS))
    present = np.zeros((len(replications), MARKS + 1), dtype=np.int64)
    levels, before = np.zeros((2, len(replications), LEVELS + 2 * len(capacities) + 1))
    left, times = np.zeros((2, len(replications), sum(kept)))
    rows = zip(replications, tallies, singles, present, levels, before, left, times, strict=True)
    durations, early, recorded = zip(
        *(
            _run(generator(seed, *key, r), servers, int(warmup), int(jumps), kept[0], *counted)
            for r, *counted in rows
        ),
        strict=True,
    )
    counts = np.array(durations), tallies, singles, present, levels, before
    return Runs(*counts, np.array(early), np.array(recorded), left.astype(np.int64), times)


@njit(cache=True, error_model="numpy")
def _run(rng, cluster, warmup, jumps, room, tally, singles, marks, levels, before, left, times):
    """Let `warmup` jumps pass from an empty cluster, tally the next `jumps`; return their duration,
    how many jobs were recorded in the warm-up, at most `room`, and how many in all, in `left`
    (their classes) and `times` of response.

    `tally` (ROWS, N), `levels` and `before` (K + 1,) are overwritten, `singles` (Q, COLUMNS) are
    added to.
    Numbers are drawn in this order: the time to the first arrival; at an arrival its class, servers
    if random, size, phase if interrupted, and the time to the next arrival; after an interruption
    the next phase.
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
    t = start = changed = 0.0
    everyone, marked, next_mark, early, recorded = 0, 0, warmup, 0, 0
    arrival = rng.standard_exponential() / total
    tally[:] = 0.0
    for jump in range(warmup + jumps):
        if jump >= next_mark:
            marked = mark(marks, marked, jump, warmup, warmup + jumps, everyone)
            next_mark = warmup + marked * jumps // (len(marks) - 1)
        if jump == warmup // 2:
            levels[:] = 0.0
        if jump == warmup:
            for level in range(len(levels)):
                before[level], levels[level] = levels[level], 0.0
            tally[:] = 0.0
            last[:] = t
            start = changed = t
            early, room = recorded, len(times)
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
            if recorded < room:
                left[recorded], times[recorded] = c, response
                recorded += 1
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
        levels[min(everyone, len(levels) - 1)] += t - changed
        changed = t
        everyone += -1 if departs else 1
    levels[min(everyone, len(levels) - 1)] += t - changed
    marks[marked:] = everyone
    done = in_progress(queue, t)
    for c in range(N):
        area = count[c] * (t - last[c])
        tally[AREA, c] += area
        tally[SQUARE, c] += count[c] * area
        tally[WORK, c] = queue.served[c] + done[c]
    return t - start, early, recorded
