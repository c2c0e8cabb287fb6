"""Redundant requests against parallel processing (`parallel-processing`, Section 1, footnote 1).

Each job has a copy with an independent Exp(1) size at every server of its class. Servers work on
their copies in order of arrival, a new size is drawn when a copy starts, and the first completed
copy of a job removes the others.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numba import njit

from atlas.claims import Cluster
from atlas.models.networks import build_queue
from multiserver.sharing import balanced_fairness
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.streams import generator

ROUTE = "simulation of the copies, event by event"
CONFIRMED = "the product form of parallel processing, which it does not use"
GROUP = "sharing_algorithm"

REPLICATIONS = 16


def redundant_requests(*, jobs: int, seed: int, **cluster: Unpack[Cluster]) -> Estimate:
    """E[X] of redundant requests, simulated, over that of parallel processing, exact."""
    speeds, arrival_rates = (
        np.array(cluster[key], float) for key in ("capacities", "arrival_rates")
    )
    queue = build_queue(speeds.tolist(), cluster["servers"])
    exact = float(balanced_fairness.solve(queue, arrival_rates).mean_jobs.sum())
    sets = np.array([[s in who for s in range(queue.size)] for who in queue.compatible])
    each = jobs // REPLICATIONS
    totals = [
        _redundant(generator(seed, r), speeds, sets, arrival_rates, each)
        for r in range(REPLICATIONS)
    ]
    area, square, time = np.array(totals).T
    mean = area.sum() / time.sum()
    variance = (square.sum() / time.sum() - mean**2) / exact**2
    return estimate(area / exact, time, variance=variance, jobs=each * REPLICATIONS)


@njit(cache=True)
def _redundant(rng, capacities, sets, arrival_rates, jobs):
    """∫ X dt, ∫ X² dt and the time over the second half of `jobs` arrivals, from empty."""
    S, N, most = len(capacities), len(arrival_rates), 4096
    kinds = np.zeros(most, np.int64)
    working = np.full(S, -1)
    ends = np.full(S, np.inf)
    count, arrivals, t, arrival = 0, 0, 0.0, rng.standard_exponential() / arrival_rates.sum()
    # Jobs are in order of arrival; `working` holds the position of the job at each server.
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
