"""The future completions of the jobs in service, and the servers that each frees.

A binary heap by time in two arrays, `ends` and `held`, of which the first `size` entries are used.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def none_in_service(servers, needs, jobs):
    """Empty `ends` and `held` with room for the jobs that can be in service at once, `jobs` at
    most."""
    room = 0
    for c in range(len(needs)):
        room = max(room, min(servers // needs[c], jobs))
    return np.empty(room), np.empty(room, np.int64)


@njit(cache=True)
def insert(ends, held, size, end, need):
    """Add a job to the `size` in service: a binary heap by the time of completion."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if ends[parent] <= end:
            break
        ends[i], held[i] = ends[parent], held[parent]
        i = parent
    ends[i], held[i] = end, need


@njit(cache=True)
def remove_first(ends, held, size):
    """Remove the job that completes first; `size` jobs are left."""
    end, need = ends[size], held[size]
    i, child = 0, 1
    while child < size:
        if child + 1 < size and ends[child + 1] < ends[child]:
            child += 1
        if end <= ends[child]:
            break
        ends[i], held[i] = ends[child], held[child]
        i, child = child, 2 * child + 1
    ends[i], held[i] = end, need
