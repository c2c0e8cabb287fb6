"""The saturated system under FCFS with exponential durations, simulated by counts of its jobs.

Jobs in service that are of one class are alike as long as durations are exponential: the state is
the number u_c of each class in service and the class h of the job that blocks the head of the queue
(`two-class-stability`, Section 4, of any number of classes). A jump costs a search among the
classes, whatever the number of servers. Over the state X_j the servers held count with the mean time
1/r(X_j) until the next jump, r(x) = Σ_c u_c μ_c, instead of a time that is drawn, so that

    Σ_j held(X_j)/r(X_j)  /  Σ_j 1/r(X_j)  →  λ* E[S]  (the time average, of less variance).

This is a route of its own beside the job level (`saturated`), which draws the duration of each job
and takes any law. A mixture of exponentials is one class for each of its branches.

Replications start empty, with a queue that never ends; of the jobs that start in each, the first
share `warm_up` is left out. That must outlast the rarest of the jobs that matter: a class of which
a replication sees none holds no server in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numba import njit

from multiserver.checks import require_integer
from multiserver.model import MultiserverJobSystem
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.streams import generator

# Jumps after which r, to which rates are added and from which they are taken, is summed anew.
AFRESH = 1024


def hold(
    system: MultiserverJobSystem,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: Iterable[int] = (),
    warm_up: float = 0.2,
    confidence: float = 0.95,
) -> Estimate:
    """The mean number of servers held, from `jobs` jobs in all that start after the warm-up.

    Replication i draws from the stream of `seed` and (key, i); equal arguments give equal bits.
    Raises `ValueError` unless jobs and replications are integers, of at least 1 and 2, and
    0 ≤ warm_up < 1.
    """
    for name, value, least in (("jobs", jobs, 1), ("replications", replications, 2)):
        require_integer(name, value, least)
    if not 0 <= warm_up < 1:
        raise ValueError(f"warm_up must lie in [0, 1), found {warm_up!r}")
    # The likeliest first: a search begins there.
    classes = sorted(system.classes, key=lambda c: -c.probability)
    needs = np.array([c.need for c in classes])
    rates = np.array([c.rate for c in classes])
    cumulated = np.cumsum([c.probability for c in classes])
    each = math.ceil(jobs / replications)
    before = math.ceil(each * warm_up / (1 - warm_up))
    rows = [
        _run(generator(seed, *key, i), system.servers, needs, rates, cumulated, before, each)
        for i in range(replications)
    ]
    held, squares, time = np.array(rows).T
    mean = held.sum() / time.sum()
    return estimate(
        held,
        time,
        variance=max(squares.sum() / time.sum() - mean**2, 0.0),
        jobs=each * replications,
        confidence=confidence,
    )


@njit(cache=True)
def _run(rng, servers, needs, rates, cumulated, before, jobs):
    """Servers held and their squares over time, and time, while `jobs` jobs start after others."""
    C = len(needs)
    counts = np.zeros(C, np.int64)
    idle, total, jumps = servers, 0.0, 0
    head = _pick(rng.random(), cumulated)
    held, squares, time = 0.0, 0.0, 0.0
    started = -before
    while True:
        while needs[head] <= idle:
            idle -= needs[head]
            counts[head] += 1
            total += rates[head]
            started += 1
            head = _pick(rng.random(), cumulated)
        if started > jobs:
            return held, squares, time
        if jumps % AFRESH == 0:
            total = (counts * rates).sum()
        jumps += 1
        if started > 0:
            now = float(servers - idle)
            held += now / total
            squares += now * now / total
            time += 1 / total
        left, done = rng.random() * total, -1
        for c in range(C):
            if counts[c] > 0:
                # If rounding lets the search run out, the last class that is there completes.
                done = c
                left -= counts[c] * rates[c]
                if left < 0:
                    break
        counts[done] -= 1
        total -= rates[done]
        idle += needs[done]


@njit(cache=True)
def _pick(uniform, cumulated):
    last = len(cumulated) - 1
    for c in range(last):
        if uniform < cumulated[c]:
            return c
    return last
