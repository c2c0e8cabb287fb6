"""First-in-first-out queues of any lengths in one pool of memory, in compiled code.

A waiting job is a slot of the pool: its class, its number in order of arrival, its time of arrival
and its requirement. The slot of a job that leaves is the next to be used, so that a pool for
`limit` jobs touches no more memory than the longest backlog.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

# head, tail: first and last slot of each queue, −1 if it is empty; follower: the slot behind one;
# spare: the slot freed last (−1 if none) and the number of slots ever used.
Waiting = namedtuple("Waiting", "head tail follower job_class number arrived requirement spare")


@njit(cache=True)
def empty_queues(queues, limit):
    """Empty queues with room for `limit` jobs in all."""
    return Waiting(
        np.full(queues, -1),
        np.full(queues, -1),
        np.empty(limit, np.int64),
        np.empty(limit, np.int64),
        np.empty(limit, np.int64),
        np.empty(limit),
        np.empty(limit),
        np.array([-1, 0]),
    )


@njit(cache=True)
def push(waiting, queue, job_class, number, arrived, requirement):
    """A job joins the end of a queue."""
    slot = waiting.spare[0]
    if slot < 0:
        slot = waiting.spare[1]
        waiting.spare[1] += 1
    else:
        waiting.spare[0] = waiting.follower[slot]
    waiting.follower[slot] = -1
    waiting.job_class[slot] = job_class
    waiting.number[slot] = number
    waiting.arrived[slot] = arrived
    waiting.requirement[slot] = requirement
    if waiting.head[queue] < 0:
        waiting.head[queue] = slot
    else:
        waiting.follower[waiting.tail[queue]] = slot
    waiting.tail[queue] = slot


@njit(cache=True)
def pop(waiting, queue):
    """The slot of the first job of a queue, which leaves; it may be read until the next push."""
    slot = waiting.head[queue]
    waiting.head[queue] = waiting.follower[slot]
    waiting.follower[slot] = waiting.spare[0]
    waiting.spare[0] = slot
    return slot
