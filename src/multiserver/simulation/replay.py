"""Given jobs at their own times of arrival, under policies that do not preempt.

Job i arrives at a_i, needs v_i of n servers for a time X_i and requests a time R_i ≥ X_i; the jobs
are in order of arrival, a_1 ≤ a_2 ≤ …. Its waiting time W_i is from a_i to its start, and
T_i = W_i + X_i. Jobs and arrivals are those of a log, or drawn by the caller (`resample`): nothing
here is random.

FCFS starts the oldest waiting job as long as it fits; First Fit starts each job that fits, oldest
first; EASY and conservative backfilling are those of `multiserver.policies.backfilling`, with the
given requests. At any one moment all completed jobs leave first, then jobs start, then new jobs
arrive one by one; moments that only rounding separates are one (`ties`).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from multiserver.checks import require_integer
from multiserver.errors import UnstableError
from multiserver.simulation.profiles import advance
from multiserver.simulation.reservations import (
    ARRIVED,
    MOMENT,
    NUMBER,
    STARTED,
    compress,
    empty_state,
    first_moment,
    join,
    latest,
    leave,
    reserve,
    start_due_reservations,
    start_easy,
    start_fitting,
)
from multiserver.simulation.ties import SIMULTANEOUS

FCFS, FIRST_FIT, EASY, CONSERVATIVE = range(4)
RULES = {
    "fcfs": FCFS,
    "first-fit": FIRST_FIT,
    "easy-backfilling": EASY,
    "conservative-backfilling": CONSERVATIVE,
}
# Limits on the jobs in the system. At an event, conservative backfilling looks at pairs of waiting
# jobs.
LIMITS = {"conservative-backfilling": 2**12}
LIMIT = 2**16


def replay(
    servers: int,
    arrivals: ArrayLike,
    needs: ArrayLike,
    durations: ArrayLike,
    requests: ArrayLike,
    policy: str,
) -> NDArray[np.float64]:
    """W_i of each job (J,) under a policy in `RULES`, in the unit of the given times; all columns
    are (J,).

    Raises `ValueError` unless arrivals do not decrease, needs are integers in 1 … n, durations are
    positive and requests no shorter, all finite; and `UnstableError` once the jobs in the system
    reach the limit of the policy in `LIMITS`, or else `LIMIT`, since the replay would take too
    long.
    """
    require_integer("servers", servers)
    if policy not in RULES:
        raise ValueError(f"a policy must be one of {', '.join(RULES)}, found {policy!r}")
    a, v, X, R = (np.asarray(x, dtype=float) for x in (arrivals, needs, durations, requests))
    _require(a.ndim == 1 and len(a) > 0, "at least one job in one dimension", a.shape)
    for name, column in (("needs", v), ("durations", X), ("requests", R)):
        _require(column.shape == a.shape, f"{name} as many as arrivals", column.shape)
    for name, column in (("arrivals", a), ("durations", X), ("requests", R)):
        _require(np.isfinite(column).all(), f"finite {name}", "one that is not")
    _require(np.all(np.diff(a) >= 0), "arrivals that do not decrease", "one before the last")
    fits = (v == np.floor(v)) & (v >= 1) & (v <= servers)
    _require(fits.all(), f"needs that are integers from 1 to {servers}", v[~fits][:1])
    _require((X > 0).all(), "positive durations", X[X <= 0][:1])
    _require((R >= X).all(), "requests no shorter than durations", R[R < X][:1])
    kinds, classes = np.unique(v.astype(np.int64), return_inverse=True)
    waits = np.empty(len(a))
    limit = min(LIMITS.get(policy, LIMIT), len(a) + 1)
    if not _run(RULES[policy], servers, kinds, a, classes, X, R, limit, waits):
        raise UnstableError(
            f"{limit} jobs are in the system of {servers} servers under {policy}: it is unstable,"
            " or the jobs come in a burst that takes too long to replay"
        )
    return waits


def _require(holds: bool, expected: str, found: object) -> None:
    if not holds:
        raise ValueError(f"jobs must have {expected}, found {found}")


@njit(cache=True)
def _run(rule, servers, needs, arrivals, classes, durations, requests, limit, waits):
    """Fill in the waits; returns False once `limit` jobs are in the system."""
    state = empty_state(servers, needs, limit, SIMULTANEOUS)
    come, left, J = 0, 0, len(arrivals)
    done = due = math.inf
    while left < J:
        arrival = arrivals[come] if come < J else math.inf
        now = min(arrival, done, due)
        if min(done, due) <= latest(state, now):
            early = False
            j = 0
            while j < state.running.span[1]:
                if state.running.times[MOMENT, j] > latest(state, now):
                    j += 1
                    continue
                number = state.running.marks[NUMBER, j]
                times = state.running.times
                waits[number] = times[STARTED, j] - times[ARRIVED, j]
                early = leave(state, j, now) or early
                left += 1
            if rule == CONSERVATIVE:
                if early:
                    compress(state, now)
                start_due_reservations(state, now)
        else:
            if come - left + 1 == limit:
                return False
            j = join(state.waiting, come, classes[come], now, durations[come], requests[come])
            if rule == CONSERVATIVE:
                state.size[0] = advance(state.times, state.free, state.size[0], now)
                reserve(state, j)
                start_due_reservations(state, now)
            come += 1
        if rule == EASY:
            start_easy(state, now)
        elif rule != CONSERVATIVE:
            start_fitting(state, now, rule == FCFS)
        done = first_moment(state.running)
        if rule == CONSERVATIVE:
            due = first_moment(state.waiting)
    return True
