"""Job-level engine for backfilling: jobs overtake where no reservation forbids it.

A job of duration X requests a time R = (1 + x) X ≥ X and completes after X. Until the job leaves,
the decisions of a policy depend on X only through R. Jobs are not interrupted. At any one moment
all completed jobs leave first, then the jobs that are due start, then a job arrives.

Under EASY only the oldest waiting job has a reservation, made anew at every arrival and completion;
under conservative backfilling every waiting job has one, from its arrival on. The rules are those
of `multiserver.policies.backfilling`. Under EASY an event looks at all waiting jobs; under
conservative backfilling, a completion before the requested end looks at the reservations of all
jobs for each waiting job.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import boolean, float64, njit

from multiserver.simulation import pooled_server
from multiserver.simulation.instability_test import mark
from multiserver.simulation.pooled_server import arrive
from multiserver.simulation.profiles import advance
from multiserver.simulation.replications import (
    COLUMNS,
    Responses,
    compiled,
    measure,
    next_job,
    observe,
    replicate,
)
from multiserver.simulation.reservations import (
    ARRIVED,
    CLASS,
    MOMENT,
    NUMBER,
    compress,
    empty_state,
    first_moment,
    join,
    latest,
    leave,
    reserve,
    start_due_reservations,
    start_easy,
)
from multiserver.simulation.ties import SIMULTANEOUS, may_end_together
from multiserver.simulation.workload import Workload

# Limits on the jobs in the system. A stable run is not expected to reach them, and more jobs take
# too long.
EASY_LIMIT, CONSERVATIVE_LIMIT = 2**14, 2**12


def simulate(
    workload: Workload,
    *,
    conservative: bool,
    overestimate: float = 0.0,
    limit: int | None = None,
    **runs: Any,
) -> Responses:
    """Simulate EASY or conservative backfilling, with requests of 1 + `overestimate` times the
    duration.

    `limit` and `runs` are arguments of `multiserver.simulation.replications.replicate`. Raises as
    it does, and `ValueError` unless `overestimate` is finite and at least 0.
    """
    if not 0 <= overestimate < math.inf:
        raise ValueError(f"overestimate must be a finite number from 0, found {overestimate!r}")
    engine = compiled(_run, boolean, float64)
    most = CONSERVATIVE_LIMIT if conservative else EASY_LIMIT
    return replicate(
        lambda *common: engine(conservative, 1.0 + overestimate, *common),
        workload.servers,
        workload,
        limit=most if limit is None else limit,
        **runs,
    )


@njit(cache=True)
def _run(conservative, factor, source, rng, warm_up, jobs, limit, record, marks):
    """One replication."""
    servers, needs, cumulated, kinds, parameters, mean_gap = source
    tie = SIMULTANEOUS if may_end_together(kinds) else 0.0
    C, state = len(needs), empty_state(servers, needs, limit, tie)
    present, everyone = np.zeros(C, np.int64), np.int64(0)
    sums, single = np.zeros((C + 1, COLUMNS)), np.zeros(pooled_server.COLUMNS)
    arrivals, marked = np.int64(0), np.int64(0)
    measured, next_mark = jobs - warm_up, warm_up
    arrival, done, due = mean_gap * rng.standard_exponential(), math.inf, math.inf
    while measured > 0:
        now = min(arrival, done, due)
        if done <= now or due <= now:
            early = False
            j = 0
            while j < state.running.span[1]:
                if state.running.times[MOMENT, j] > latest(state, now):
                    j += 1
                    continue
                c, number = state.running.marks[CLASS, j], state.running.marks[NUMBER, j]
                response = now - state.running.times[ARRIVED, j]
                if warm_up <= number < jobs:
                    measured -= 1
                    measure(sums, c, response)
                if number < len(record):
                    record[number] = response
                present[c] -= 1
                everyone -= 1
                early = leave(state, j, now) or early
            if conservative:
                if early:
                    compress(state, now)
                start_due_reservations(state, now)
            else:
                start_easy(state, now)
        else:
            c, duration = next_job(rng, cumulated, kinds, parameters)
            counted = warm_up <= arrivals < jobs
            arrive(single, servers, now, needs[c] * duration, counted)
            if counted:
                busy = float(servers - state.idle[0])
                observe(sums, c, duration, present, everyone, busy)
            if arrivals >= next_mark:
                marked = mark(marks, marked, arrivals, warm_up, jobs, everyone)
                next_mark = warm_up + marked * (jobs - warm_up) // (len(marks) - 1)
            present[c] += 1
            everyone += 1
            if everyone == limit:
                return False, sums, single
            j = join(state.waiting, arrivals, c, now, duration, factor * duration)
            if conservative:
                state.size[0] = advance(state.times, state.free, state.size[0], now)
                reserve(state, j)
                start_due_reservations(state, now)
            else:
                start_easy(state, now)
            arrivals += 1
            arrival = now + mean_gap * rng.standard_exponential()
        done = first_moment(state.running)
        if conservative:
            due = first_moment(state.waiting)
    # The last mark is not set yet if no job arrived after the last measured one.
    marks[marked:] = everyone
    return True, sums, single
