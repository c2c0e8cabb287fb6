"""Waiting jobs and jobs in service, and which of them start: in order of arrival, as they fit, by
EASY or by conservative backfilling.

A waiting job has its requested time R, a job in service its requested end, start + R. EASY reserves
servers for the oldest waiting job alone, at the first time s at which the requested ends of the
jobs in service leave it enough; a younger job starts if it fits and either ends by s or leaves
enough at s. Under conservative backfilling each waiting job has a reservation, in a profile of free
servers over time (`multiserver.simulation.profiles`). The rules are those of
`multiserver.policies.backfilling`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.simulation.profiles import advance, earliest, take

# Rows of `Jobs.times`: `MOMENT` is when a running job is done, or when a reservation begins;
# `STARTED` is set for running jobs only.
ARRIVED, DURATION, REQUEST, MOMENT, STARTED = range(5)
# Rows of `Jobs.marks`.
NUMBER, CLASS = range(2)


class Jobs(NamedTuple):
    """A list of jobs, in the columns from `span[0]` up to `span[1]`."""

    times: NDArray[np.float64]
    marks: NDArray[np.int64]
    span: NDArray[np.int64]


class State(NamedTuple):
    """The waiting jobs by age and the jobs in service in order of their requested ends; the idle
    servers and, under conservative backfilling, the profile of free servers. Times that differ by
    less than a part `tie` of the clock are one (`ties`)."""

    needs: NDArray[np.int64]
    waiting: Jobs
    running: Jobs
    requested_ends: NDArray[np.float64]
    idle: NDArray[np.int64]
    times: NDArray[np.float64]
    free: NDArray[np.int64]
    size: NDArray[np.int64]
    tie: float


@njit(cache=True)
def empty_state(servers, needs, limit, tie=0.0):
    """All servers idle, with room for `limit` jobs of these needs."""
    most = min(servers // needs.min(), limit)
    return State(
        needs,
        Jobs(np.zeros((5, 2 * limit)), np.zeros((2, 2 * limit), np.int64), np.zeros(2, np.int64)),
        Jobs(np.zeros((5, most)), np.zeros((2, most), np.int64), np.zeros(2, np.int64)),
        np.zeros(most),
        np.full(1, servers),
        np.zeros(2 * (limit + most) + 4),
        np.full(2 * (limit + most) + 4, servers),
        np.ones(1, np.int64),
        tie,
    )


@njit(cache=True)
def first_moment(jobs):
    """The first time at which one of these jobs is done, or one of their reservations begins."""
    first = math.inf
    for j in range(jobs.span[0], jobs.span[1]):
        first = min(first, jobs.times[MOMENT, j])
    return first


@njit(cache=True)
def copy(source, j, target, i):
    """Copy job j of one list to place i of another, or of the same: number by number, as a view of
    each column would take longer."""
    for row in range(source.times.shape[0]):
        target.times[row, i] = source.times[row, j]
    for row in range(source.marks.shape[0]):
        target.marks[row, i] = source.marks[row, j]


@njit(cache=True)
def requested_end(begin, request):
    """The end of a request: later than its beginning, even if the request is below the rounding of
    the clock."""
    return max(begin + request, np.nextafter(begin, np.inf))


@njit(cache=True)
def join(waiting, number, c, now, duration, request):
    """Append a job to the waiting jobs, and return its place."""
    first, end = waiting.span[0], waiting.span[1]
    if end == waiting.marks.shape[1]:
        for i in range(first, end):
            copy(waiting, i, waiting, i - first)
        first, end = 0, end - first
    waiting.times[ARRIVED, end], waiting.times[DURATION, end] = now, duration
    waiting.times[REQUEST, end], waiting.times[MOMENT, end] = request, math.inf
    waiting.marks[NUMBER, end], waiting.marks[CLASS, end] = number, c
    waiting.span[0], waiting.span[1] = first, end + 1
    return end


@njit(cache=True)
def leave(state, j, now):
    """Remove job j from service, and return whether it is done before its requested end."""
    running, need = state.running, state.needs[state.running.marks[CLASS, j]]
    end = state.requested_ends[j]
    state.idle[0] += need
    running.span[1] -= 1
    for i in range(j, running.span[1]):
        copy(running, i + 1, running, i)
        state.requested_ends[i] = state.requested_ends[i + 1]
    # EASY does not use the profile, which stays that of idle servers.
    state.size[0] = advance(state.times, state.free, state.size[0], now)
    if end > now and state.size[0] > 1:
        state.size[0] = take(state.times, state.free, state.size[0], now, end, -need)
    return end > latest(state, now)


@njit(cache=True)
def latest(state, time):
    """The latest time that counts as this one."""
    return time + state.tie * abs(time)


@njit(cache=True)
def start(state, j, now):
    """Start the waiting job j; the jobs before it move by one place."""
    waiting, running = state.waiting, state.running
    end = requested_end(now, waiting.times[REQUEST, j])
    i = running.span[1]
    while i > 0 and state.requested_ends[i - 1] > end:
        copy(running, i - 1, running, i)
        state.requested_ends[i] = state.requested_ends[i - 1]
        i -= 1
    copy(waiting, j, running, i)
    running.times[MOMENT, i] = now + waiting.times[DURATION, j]
    running.times[STARTED, i] = now
    state.requested_ends[i] = end
    running.span[1] += 1
    state.idle[0] -= state.needs[waiting.marks[CLASS, j]]
    for k in range(j, waiting.span[0], -1):
        copy(waiting, k - 1, waiting, k)
    waiting.span[0] += 1


@njit(cache=True)
def start_fitting(state, now, in_order):
    """Start the jobs that fit, oldest first; with `in_order`, none behind one that does not fit."""
    needs, waiting = state.needs, state.waiting
    j = waiting.span[0]
    while j < waiting.span[1] and state.idle[0] >= needs.min():
        if needs[waiting.marks[CLASS, j]] <= state.idle[0]:
            start(state, j, now)
        elif in_order:
            break
        j += 1


@njit(cache=True)
def start_easy(state, now):
    """Start the jobs that may start under EASY."""
    needs, waiting, idle = state.needs, state.waiting, state.idle
    while (
        waiting.span[0] < waiting.span[1]
        and needs[waiting.marks[CLASS, waiting.span[0]]] <= idle[0]
    ):
        start(state, waiting.span[0], now)
    if idle[0] < needs.min() or waiting.span[1] - waiting.span[0] < 2:
        return
    need = needs[waiting.marks[CLASS, waiting.span[0]]]
    spare, i = idle[0] - need, 0
    while spare < 0:
        shadow = latest(state, state.requested_ends[i])
        while i < state.running.span[1] and state.requested_ends[i] <= shadow:
            spare += needs[state.running.marks[CLASS, i]]
            i += 1
    j = waiting.span[0] + 1
    while j < waiting.span[1] and idle[0] >= needs.min():
        own = needs[waiting.marks[CLASS, j]]
        if own <= idle[0]:
            ends = now + waiting.times[REQUEST, j] <= shadow
            if ends or own <= spare:
                if not ends:
                    spare -= own
                start(state, j, now)
        j += 1


@njit(cache=True)
def reserve(state, j):
    """Reserve the first possible time for the waiting job j."""
    need, request = state.needs[state.waiting.marks[CLASS, j]], state.waiting.times[REQUEST, j]
    begin = earliest(state.times, state.free, state.size[0], need, request, state.tie)
    end = requested_end(begin, request)
    state.waiting.times[MOMENT, j] = begin
    state.size[0] = take(state.times, state.free, state.size[0], begin, end, need)


@njit(cache=True)
def compress(state, now):
    """Move each reservation once, oldest first, to the first time that the other reservations
    leave."""
    waiting = state.waiting
    for j in range(waiting.span[0], waiting.span[1]):
        need, begin = state.needs[waiting.marks[CLASS, j]], waiting.times[MOMENT, j]
        if begin <= latest(state, now):
            continue
        end = requested_end(begin, waiting.times[REQUEST, j])
        state.size[0] = take(state.times, state.free, state.size[0], begin, end, -need)
        reserve(state, j)


@njit(cache=True)
def start_due_reservations(state, now):
    """Start the jobs whose reservations have begun."""
    waiting = state.waiting
    j = waiting.span[0]
    while j < waiting.span[1]:
        if waiting.times[MOMENT, j] <= latest(state, now):
            start(state, j, now)
        j += 1
