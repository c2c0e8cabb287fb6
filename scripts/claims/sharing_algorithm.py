"""Algorithm 1 of `parallel-processing`, the rule it carries out, and equivalent systems.

The rule (Sections 2 and 7): all jobs stand in one queue and every server works on the first job
that it can serve; a job that is interrupted gives up its servers and goes to the end. The chain of
that rule, with interruptions as events, and a system of redundant requests are built here from
their own descriptions, and compared with the product form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import splu

from claims import Found
from models.sizes import read_size
from multiserver.sharing import balanced_fairness
from multiserver.sharing.queue import MultiServerQueue
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.streams import generator

ROUTE = "chain of the rule, by elimination; the pseudo-code run"
CONFIRMED = "the product form, which the chain does not use"

REPLICATIONS = 16
IDLE = 0


def mismatches(*, clusters: int, events: int, most: int, seed: int) -> Found:
    """How many of the activity states a_s that Algorithm 1 keeps differ from the rule.

    Over `clusters` random clusters, `events` random events each, up to `most` jobs.
    """
    rng = np.random.default_rng(seed)
    wrong = compared = 0
    for _ in range(clusters):
        S, N = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        sets = [
            sorted(rng.choice(S, size=rng.integers(1, S + 1), replace=False).tolist())
            for _ in range(N)
        ]
        queue: list[int] = []
        active = [IDLE] * S
        for _ in range(events):
            busy = [s for s in range(S) if active[s] != IDLE]
            kind = rng.random()
            if not busy or (kind < 0.4 and len(queue) < most):
                _arrive(queue, active, sets, int(rng.integers(N)))
            else:
                _stop(queue, active, sets, int(rng.choice(busy)), moves=kind > 0.7)
            expected = [_first(queue, sets, s) for s in range(S)]
            wrong += sum(a != b for a, b in zip(active, expected, strict=True))
            compared += S
    return Found(wrong, f"{compared} comparisons")


def interrupted_chain_gap(
    *,
    capacities: Sequence[float],
    servers: Sequence[Sequence[int]],
    arrival_rates: Sequence[float],
    interruptions: Sequence[float],
    most: int,
) -> float:
    """The largest relative gap, over m and over x with |x| ≤ `most`, between the law of the numbers
    of jobs in the chain with interruptions and that of (8), sizes being exponential."""
    size = {"exponential": 1}
    exact = _balanced_law(capacities, servers, arrival_rates, most)
    some = exact > 0
    laws = (
        _law_of_counts(capacities, servers, arrival_rates, size, m, most) for m in interruptions
    )
    return max(float(np.abs(law[some] / exact[some] - 1).max()) for law in laws)


def distance_to_insensitivity(
    *,
    capacities: Sequence[float],
    servers: Sequence[Sequence[int]],
    arrival_rates: Sequence[float],
    size: Mapping[str, Any],
    interruptions: Sequence[float],
    most: int,
) -> list[float]:
    """The total variation distance between the law of the numbers of jobs and that of balanced
    fairness, for each m, with a phase-type `size` of mean 1: it tends to 0 as m → ∞ (Section 7)."""
    exact = _balanced_law(capacities, servers, arrival_rates, most)
    laws = (
        _law_of_counts(capacities, servers, arrival_rates, size, m, most) for m in interruptions
    )
    return [float(np.abs(law - exact).sum() / 2) for law in laws]


def redundant_requests(
    *,
    capacities: Sequence[float],
    servers: Sequence[Sequence[int]],
    arrival_rates: Sequence[float],
    jobs: int,
    seed: int,
) -> Estimate:
    """E[X] of redundant requests, simulated, over that of parallel processing, exact.

    Each job leaves a copy at every server of its class, of an independent Exp(1) size; servers work
    on their copies in order of arrival, a new size is drawn as a copy starts, and the first copy of
    a job to be completed removes the others.
    """
    queue = _queue(capacities, servers)
    exact = float(balanced_fairness.solve(queue, arrival_rates).mean_jobs.sum())
    sets = np.array([[s in who for s in range(queue.size)] for who in queue.compatible])
    each = jobs // REPLICATIONS
    totals = np.array(
        [
            _redundant(
                generator(seed, r), np.array(capacities, float), sets, np.array(arrival_rates), each
            )
            for r in range(REPLICATIONS)
        ]
    )
    area, square, time = totals.T
    mean = area.sum() / time.sum()
    variance = (square.sum() / time.sum() - mean**2) / exact**2
    return estimate(area / exact, time, variance=variance, jobs=each * REPLICATIONS)


def _arrive(queue: list[int], active: list[int], sets: list[list[int]], i: int) -> None:
    """On job arrival, as printed; classes are numbered from 1 in `active`."""
    queue.append(i)
    for s in sets[i]:
        if active[s] == IDLE:
            active[s] = i + 1


def _stop(
    queue: list[int], active: list[int], sets: list[list[int]], server: int, *, moves: bool
) -> None:
    """On job departure, or on timer expiration if the job moves to the end, as printed."""
    i = active[server] - 1
    place = queue.index(i)
    del queue[place]
    if moves:
        queue.append(i)
    for s in sets[i]:
        if active[s] == i + 1:
            active[s] = IDLE
    while place < len(queue):
        for s in set(sets[queue[place]]) & set(sets[i]):
            if active[s] == IDLE:
                active[s] = queue[place] + 1
        place += 1


def _first(queue: list[int], sets: list[list[int]], server: int) -> int:
    """What the rule has a server do: the class of the first job that it can serve, from 1."""
    return next((i + 1 for i in queue if server in sets[i]), IDLE)


def _balanced_law(
    capacities: Sequence[float],
    servers: Sequence[Sequence[int]],
    arrival_rates: Sequence[float],
    most: int,
) -> NDArray[np.float64]:
    """(8) on the states x with |x| ≤ `most`, where jobs that find `most` are lost."""
    queue = _queue(capacities, servers)
    exact = balanced_fairness.measure(queue, list(arrival_rates), (most,) * queue.classes)
    exact[np.indices(exact.shape).sum(axis=0) > most] = 0.0
    return exact / exact.sum()


def _law_of_counts(
    capacities: Sequence[float],
    servers: Sequence[Sequence[int]],
    arrival_rates: Sequence[float],
    size: Mapping[str, Any],
    m: float,
    most: int,
) -> NDArray[np.float64]:
    """The law of x in the chain of the rule, whose states are the classes and phases of the jobs in
    order. A job served at rate r changes phase or leaves at r times the rates of its size, and goes
    to the end at rate m r; one that finds `most` jobs is lost."""
    queue, (alpha, T) = _queue(capacities, servers), read_size(size).phases()
    exits = -T.sum(axis=1)
    kinds = list(product(range(queue.classes), range(len(alpha))))
    states = [c for n in range(most + 1) for c in product(kinds, repeat=n)]
    place = {c: i for i, c in enumerate(states)}
    rows, columns, rates = [], [], []

    def add(start: Sequence, to: Sequence, rate: float) -> None:
        rows.append(place[tuple(start)])
        columns.append(place[tuple(to)])
        rates.append(rate)

    for c in states:
        if len(c) < most:
            for i, load in enumerate(arrival_rates):
                for phase, p in enumerate(alpha):
                    add(c, (*c, (i, phase)), load * p)
        for s, rate in enumerate(queue.rates):
            served = (n for n, (i, _) in enumerate(c) if s in queue.compatible[i])
            if (n := next(served, None)) is None:
                continue
            i, phase = c[n]
            left = (*c[:n], *c[n + 1 :])
            add(c, left, rate * exits[phase])
            add(c, (*left, c[n]), m * rate)
            for other in range(len(alpha)):
                if other != phase:
                    add(c, (*c[:n], (i, other), *c[n + 1 :]), rate * T[phase, other])
    size_of = len(states)
    flow = coo_array((rates, (columns, rows)), shape=(size_of, size_of)).tocsc()
    balance = (flow - diags_array(np.asarray(flow.sum(axis=0)).ravel())).tocsc()
    inner = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray()[:, 0])
    law = np.concatenate([[1.0], inner])
    counts = np.zeros((most + 1,) * queue.classes)
    for c, p in zip(states, law / law.sum(), strict=True):
        counts[tuple(sum(i == k for i, _ in c) for k in range(queue.classes))] += p
    return counts


def _queue(capacities: Sequence[float], servers: Sequence[Sequence[int]]) -> MultiServerQueue:
    return MultiServerQueue(
        tuple(map(float, capacities)), tuple(frozenset(s - 1 for s in who) for who in servers)
    )


@njit(cache=True)
def _redundant(rng, capacities, sets, arrival_rates, jobs):
    """∫ X dt, ∫ X² dt and the time over the second half of `jobs` arrivals, from empty."""
    S, N, most = len(capacities), len(arrival_rates), 4096
    kinds = np.zeros(most, np.int64)
    working = np.full(S, -1)
    ends = np.full(S, np.inf)
    count, arrivals, t, arrival = 0, 0, 0.0, rng.standard_exponential() / arrival_rates.sum()
    # Jobs stand in order of arrival; `working` holds the place of the job at each server.
    area = square = time = 0.0
    while arrivals < jobs:
        s = np.argmin(ends)
        now = min(arrival, ends[s])
        if arrivals >= jobs // 2:
            area += count * (now - t)
            square += count * count * (now - t)
            time += now - t
        t = now
        if arrival <= ends[s]:
            u = rng.random() * arrival_rates.sum()
            i = 0
            while i < N - 1 and u >= arrival_rates[i]:
                u -= arrival_rates[i]
                i += 1
            kinds[count] = i
            count += 1
            arrivals += 1
            arrival = t + rng.standard_exponential() / arrival_rates.sum()
        else:
            gone = working[s]
            for place in range(gone, count - 1):
                kinds[place] = kinds[place + 1]
            count -= 1
            for other in range(S):
                if working[other] == gone:
                    working[other], ends[other] = -1, np.inf
                elif working[other] > gone:
                    working[other] -= 1
        for server in range(S):
            if working[server] >= 0:
                continue
            for place in range(count):
                if sets[kinds[place], server]:
                    working[server] = place
                    ends[server] = t + rng.standard_exponential() / capacities[server]
                    break
    return area, square, time
