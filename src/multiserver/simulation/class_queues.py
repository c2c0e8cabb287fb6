"""Job-level engine for policies that serve the jobs of each need in order of arrival.

The requirement of a job is the time that it takes on the v servers that it needs. At every moment a
policy allots a number of the k servers to each need. These serve the jobs of that need, of any
class, in order of arrival, v servers for each and what is left for the next: a job that holds q of
its v servers is served at rate q/v. A policy for rigid jobs (`finite-skip`, Section 7) allots
multiples of v; under threshold parallelism (Section 6) v is the threshold. Service that is
preempted is resumed without loss of work. The policies are in
`multiserver.simulation.class_policies`.

At most ⌈k/v⌉ jobs of a need are in service at once. These oldest jobs are kept in a short *window*,
the others in a queue behind it: the cost of an event depends on k, not on the backlog.

Jobs that end at one time all leave before the policy is asked (`ties`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import boolean, int64, njit, types

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

# policy(present, number, needs, servers, allotted) fills in `allotted`, the servers for each need.
# All arrays but `number` are (C,), where C counts the different needs, in increasing order. Classes
# of equal needs are one. `present` counts the jobs; number[c, j] orders the jobs present of need c
# by arrival: the smaller, the earlier. `number` has a column for each job of a need that can be in
# service at once. Row number[C] is the policy's own and keeps what the policy writes there; it
# starts as `memory`, followed by 0. On entry `allotted` is what the jobs present hold: a policy
# that only adds to it never preempts.
CLASS_POLICY = types.void(int64[::1], int64[:, ::1], int64[::1], int64, int64[::1])


def simulate(
    workload: Workload,
    policy: Callable,
    *,
    memory: Sequence[int] = (),
    rigid: bool = False,
    **runs: Any,
) -> Responses:
    """Simulate a policy, any function with the arguments of `CLASS_POLICY`, compiled on first use.

    `memory` is the initial content of the policy's own row; `runs` are the arguments of
    `multiserver.simulation.replications.replicate`. Raises as it does, and `ValueError` if the
    policy allots servers that do not exist or cannot be used or, with `rigid`, a part of a need.
    """
    engine = compiled(_run, types.FunctionType(CLASS_POLICY), int64[::1], boolean)
    own = compiled_policy(policy, CLASS_POLICY), np.array(memory, np.int64), rigid
    return replicate(lambda *common: engine(*own, *common), workload.servers, workload, **runs)


@njit(cache=True)
def _run(
    policy,
    memory,
    rigid,
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
    # Jobs are counted by class for the estimates, and by need, `present`, for the policy.
    by_class = np.zeros(len(needs), np.int64)
    place, needs = _ranked(needs)
    C = len(needs)
    # No more jobs are present at once, however many servers there are.
    window = np.zeros(C, np.int64)
    for c in range(C):
        window[c] = min((servers + needs[c] - 1) // needs[c], limit)
    width = window[0]
    number = np.zeros((C + 1, max(width, len(memory))), np.int64)
    for k in range(len(memory)):
        number[C, k] = memory[k]
    arrived, remaining = np.zeros((C, width)), np.zeros((C, width))
    job_class = np.zeros((C, width), np.int64)
    present, everyone = np.zeros(C, np.int64), np.int64(0)
    allotted, proposed = np.zeros(C, np.int64), np.zeros(C, np.int64)
    waiting = empty_queues(C, limit)
    sums, single = np.zeros((len(by_class) + 1, COLUMNS)), np.zeros(pooled_server.COLUMNS)

    # `remaining` is as of the time `updated`.
    updated, completion, next_class, next_job_done = 0.0, math.inf, np.int64(0), 0
    idle = servers
    ties = may_end_together(kinds)
    arrivals, marked = np.int64(0), np.int64(0)
    measured, next_mark = jobs - warm_up, warm_up
    arrival = mean_gap * rng.standard_exponential()
    while measured > 0:
        if arrival < completion:
            now = arrival
            drawn, requirement = next_job(rng, cumulated, kinds, parameters)
            c = place[drawn]
            counted = warm_up <= arrivals < jobs
            arrive(single, servers, now, needs[c] * requirement, counted)
            if counted:
                observe(sums, drawn, requirement, by_class, everyone, float(servers - idle))
            if arrivals >= next_mark:
                marked = mark(marks, marked, arrivals, warm_up, jobs, everyone)
                next_mark = warm_up + marked * (jobs - warm_up) // (len(marks) - 1)
            if present[c] < window[c]:
                number[c, present[c]] = arrivals
                arrived[c, present[c]] = now
                remaining[c, present[c]] = requirement
                job_class[c, present[c]] = drawn
            else:
                push(waiting, c, drawn, arrivals, now, requirement)
            present[c] += 1
            by_class[drawn] += 1
            everyone += 1
            if everyone == limit:
                return False, sums, single
            arrivals += 1
            arrival = now + mean_gap * rng.standard_exponential()
            policy(present, number, needs, servers, proposed)
            if _equal(proposed, allotted):
                continue
            _serve(needs, allotted, now - updated, remaining)
        else:
            now = completion
            _serve(needs, allotted, now - updated, remaining)
            c, done = next_class, next_job_done
            proposed[c] -= min(needs[c], allotted[c] - done * needs[c])
            if warm_up <= number[c, done] < jobs:
                measured -= 1
                measure(sums, job_class[c, done], now - arrived[c, done])
            if number[c, done] < len(record):
                record[number[c, done]] = now - arrived[c, done]
            present[c] -= 1
            by_class[job_class[c, done]] -= 1
            everyone -= 1
            last = window[c] - 1
            for j in range(done, min(present[c], last)):
                number[c, j] = number[c, j + 1]
                arrived[c, j] = arrived[c, j + 1]
                remaining[c, j] = remaining[c, j + 1]
                job_class[c, j] = job_class[c, j + 1]
            if present[c] > last:
                slot = pop(waiting, c)
                number[c, last] = waiting.number[slot]
                arrived[c, last] = waiting.arrived[slot]
                remaining[c, last] = waiting.requirement[slot]
                job_class[c, last] = waiting.job_class[slot]
            if not (ties and _ends_within(needs, proposed, remaining, SIMULTANEOUS * now)):
                policy(present, number, needs, servers, proposed)

        updated = now
        idle, wait = servers, math.inf
        for c in range(C):
            amount = allotted[c] = proposed[c]
            idle -= amount
            if not 0 <= amount <= present[c] * needs[c] or idle < 0:
                raise ValueError("a policy must allot servers that are there and can be used")
            j = 0
            while amount > 0:
                time = remaining[c, j]
                if amount < needs[c]:
                    if rigid:
                        raise ValueError(
                            "a policy must allot multiples of a need: jobs hold all or none"
                        )
                    time *= needs[c] / amount
                if time < wait:
                    wait, next_class, next_job_done = time, c, j
                amount -= needs[c]
                j += 1
        completion = now + wait
    # The last mark is not set yet if no job arrived after the last measured one.
    marks[marked:] = everyone
    return True, sums, single


@njit(cache=True)
def _ranked(needs):
    """The rank of each class's need, and the different needs in increasing order."""
    rank, different, count = np.zeros_like(needs), np.zeros_like(needs), 0
    while True:
        # The least need above the last one, if there is any.
        last, least = different[count - 1] if count else 0, 0
        for need in needs:
            if need > last and (need < least or least == 0):
                least = need
        if least == 0:
            return rank, different[:count]
        for c in range(len(needs)):
            if needs[c] == least:
                rank[c] = count
        different[count] = least
        count += 1


@njit(cache=True)
def _equal(a, b):
    # Compiled code allocates an array for (a == b).all().
    for c in range(len(a)):
        if a[c] != b[c]:
            break
    else:
        return True
    return False


@njit(cache=True)
def _serve(needs, allotted, elapsed, remaining):
    """Subtract what the jobs in service have received."""
    for c in range(len(needs)):
        amount, j = allotted[c], 0
        while amount > 0:
            received = elapsed if amount >= needs[c] else elapsed * amount / needs[c]
            # A job that completes at the same moment as another may round to below 0.
            remaining[c, j] = max(remaining[c, j] - received, 0.0)
            amount -= needs[c]
            j += 1


@njit(cache=True)
def _ends_within(needs, allotted, remaining, time):
    """Whether a job in service ends within a time."""
    for c in range(len(needs)):
        amount, j = allotted[c], 0
        while amount > 0:
            if remaining[c, j] <= time * min(amount, needs[c]) / needs[c]:
                return True
            amount -= needs[c]
            j += 1
    return False
