"""The number of free servers over time, given running jobs and reservations, in compiled code.

`free[i]` servers are free from `times[i]` until `times[i + 1]`, and the last of the `size` entries
holds for ever; the first time is the present. Adjacent entries of `free` differ.
"""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def advance(times, free, size, now):
    """Drop what is before `now`; returns the number of times that are left."""
    gone = 0
    while gone + 1 < size and times[gone + 1] <= now:
        gone += 1
    if gone:
        for i in range(gone, size):
            times[i - gone], free[i - gone] = times[i], free[i]
    times[0] = now
    return size - gone


@njit(cache=True)
def earliest(times, free, size, need, length, tie):
    """The first time from which `need` servers are free for a time `length`, where times that
    differ by less than a part `tie` of the clock are one."""
    start = 0
    for i in range(size):
        latest = times[i] + tie * abs(times[i])
        if i > start and latest >= times[start] + length:
            return times[start]
        if free[i] < need and not (i + 1 < size and times[i + 1] <= latest):
            start = i + 1
    return times[start] if start < size else math.inf


@njit(cache=True)
def take(times, free, size, begin, end, need):
    """Take `need` servers from `begin` until `end`, or give them back if `need` is negative;
    returns the new number of times."""
    if end <= begin:
        return size
    size = _split(times, free, size, begin)
    size = _split(times, free, size, end)
    kept = 0
    for i in range(size):
        amount = free[i] - (need if begin <= times[i] < end else 0)
        if kept == 0 or amount != free[kept - 1]:
            times[kept], free[kept] = times[i], amount
            kept += 1
    return kept


@njit(cache=True)
def _split(times, free, size, at):
    i = size
    while times[i - 1] > at:
        i -= 1
    if times[i - 1] == at:
        return size
    for j in range(size, i, -1):
        times[j], free[j] = times[j - 1], free[j - 1]
    times[i], free[i] = at, free[i - 1]
    return size + 1
