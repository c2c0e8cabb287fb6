"""Job-level engine for work-conserving finite-skip models.

Jobs arrive at a queue and move, in order of arrival, to the *front*, which they leave when they
complete. The front alone determines the rates at which its jobs are served and whether it is
*full*; while it is not, it requests the next job. It never holds more than n jobs, and whenever it
is full the whole capacity is in use (`finite-skip`, Section 2): the engine raises an error if
either fails. The cost of an event depends on n, not on the backlog, and an arrival at a full front
changes nothing. The models are in `multiserver.simulation.front_policies`.

Jobs that end at one time all leave before the policy is asked (`ties`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import boolean, float64, int64, njit, types
from numpy.typing import NDArray

from multiserver.simulation import pooled_server
from multiserver.simulation.instability_test import mark
from multiserver.simulation.pooled_server import arrive
from multiserver.simulation.replications import (
    COLUMNS,
    Responses,
    compiled,
    compiled_policy,
    measure,
    next_job,
    observe,
    replicate,
)
from multiserver.simulation.ties import SIMULTANEOUS, may_end_together
from multiserver.simulation.waiting import empty_queues, pop, push
from multiserver.simulation.workload import Workload

# full = policy(m, needs, servers, speeds, rates) fills in the rates (n,) at which the remaining
# requirements of the m jobs of the front fall, given their needs (n,) in order of arrival, and says
# whether the front is full.
FRONT_POLICY = boolean(int64, int64[::1], int64, float64[::1], float64[::1])

CAPACITY_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class FrontPolicy:
    """A finite-skip model: `rates`, a function with the arguments of `FRONT_POLICY`.

    `largest_front` is n. A job of need v that is served at rate r uses v r; a full front uses
    `capacity` in all. The `speeds` of the servers are passed to the function.
    """

    rates: Callable
    largest_front: int
    capacity: float
    speeds: tuple[float, ...] = ()

    def serve(self, needs: Sequence[int], servers: int) -> NDArray[np.float64]:
        """The rates (m,) of the jobs at the front if jobs of these needs, oldest first, are present
        on that many servers; the other jobs wait in the queue."""
        present, rates = np.array(needs, dtype=np.int64), np.zeros(self.largest_front)
        m, full = 0, False
        while m < len(needs) and not full:
            m += 1
            full = self.rates(m, present, servers, np.array(self.speeds, dtype=float), rates)
        return rates[:m]


def simulate(workload: Workload, policy: FrontPolicy, **runs: Any) -> Responses:
    """Simulate a work-conserving finite-skip model.

    `runs` are the arguments of `multiserver.simulation.replications.replicate`. Raises as it does,
    and `ValueError` if the model turns out not to be finite-skip with n or not work-conserving.
    """
    engine = compiled(_run, types.FunctionType(FRONT_POLICY), int64, float64, float64[::1])
    rates = compiled_policy(policy.rates, FRONT_POLICY)
    own = rates, policy.largest_front, policy.capacity, np.array(policy.speeds, dtype=float)
    return replicate(lambda *common: engine(*own, *common), policy.capacity, workload, **runs)


@njit(cache=True)
def _run(
    policy,
    n,
    capacity,
    speeds,
    source,
    rng,
    warm_up,
    jobs,
    limit,
    record,
    marks,
):
    """One replication."""
    servers, needs, cumulated, kinds, parameters, mean_gap = source
    C = len(needs)
    # The front: m jobs in order of arrival, of which no more than `limit` are ever present.
    m, full, n = 0, False, min(n, limit)
    number, job_class, need = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    arrived, remaining, rates = np.zeros(n), np.zeros(n), np.zeros(n)
    present, everyone = np.zeros(C, np.int64), np.int64(0)
    queue = empty_queues(1, limit)
    sums, single = np.zeros((C + 1, COLUMNS)), np.zeros(pooled_server.COLUMNS)

    # `remaining` is as of the time `updated`.
    updated, completion, done, used = 0.0, math.inf, 0, 0.0
    ties = may_end_together(kinds)
    arrivals, marked = np.int64(0), np.int64(0)
    measured, next_mark = jobs - warm_up, warm_up
    arrival = mean_gap * rng.standard_exponential()
    while measured > 0:
        arriving = arrival < completion
        if arriving:
            now = arrival
            c, requirement = next_job(rng, cumulated, kinds, parameters)
            counted = warm_up <= arrivals < jobs
            arrive(single, capacity, now, needs[c] * requirement, counted)
            if counted:
                observe(sums, c, requirement, present, everyone, used)
            if arrivals >= next_mark:
                marked = mark(marks, marked, arrivals, warm_up, jobs, everyone)
                next_mark = warm_up + marked * (jobs - warm_up) // (len(marks) - 1)
            push(queue, 0, c, arrivals, now, requirement)
            present[c] += 1
            everyone += 1
            if everyone == limit:
                return False, sums, single
            arrivals += 1
            arrival = now + mean_gap * rng.standard_exponential()
            if full:
                continue
        else:
            now = completion

        for i in range(m):
            # A job that completes at the same moment as another may round to below 0.
            remaining[i] = max(remaining[i] - rates[i] * (now - updated), 0.0)
        updated = now
        if not arriving:
            c = job_class[done]
            if warm_up <= number[done] < jobs:
                measured -= 1
                measure(sums, c, now - arrived[done])
            if number[done] < len(record):
                record[number[done]] = now - arrived[done]
            present[c] -= 1
            everyone -= 1
            m -= 1
            for i in range(done, m):
                number[i], job_class[i], need[i] = number[i + 1], job_class[i + 1], need[i + 1]
                arrived[i], remaining[i] = arrived[i + 1], remaining[i + 1]
                rates[i] = rates[i + 1]
            if ties:
                done = _first_within(m, rates, remaining, SIMULTANEOUS * now)
                if done >= 0:
                    continue
            full = policy(m, need, servers, speeds, rates)

        while not full and everyone > m:
            if m == n:
                raise ValueError("the front holds n jobs and is not full")
            slot = pop(queue, 0)
            number[m], arrived[m] = queue.number[slot], queue.arrived[slot]
            remaining[m] = queue.requirement[slot]
            job_class[m] = queue.job_class[slot]
            need[m] = needs[job_class[m]]
            m += 1
            full = policy(m, need, servers, speeds, rates)

        used, wait = 0.0, math.inf
        for i in range(m):
            used += need[i] * rates[i]
            if rates[i] * wait > remaining[i]:
                wait, done = remaining[i] / rates[i], i
        if full and abs(used - capacity) > CAPACITY_TOLERANCE * capacity:
            raise ValueError("the front is full and does not use the whole capacity")
        completion = now + wait
    # The last mark is not set yet if no job arrived after the last measured one.
    marks[marked:] = everyone
    return True, sums, single


@njit(cache=True)
def _first_within(m, rates, remaining, time):
    """The oldest of m jobs in service that ends within a time, −1 if there is none."""
    for i in range(m):
        if rates[i] > 0 and remaining[i] <= rates[i] * time:
            return i
    return -1
