"""Which server serves which job when jobs are processed in parallel, in compiled code.

All jobs form one queue, and every server serves the first job in it that is compatible with the
server (`parallel-processing`, Sections 2 and 7). A job is served at the total capacity of the
servers that it has. `allocations` states the rule directly; the code here keeps the assignment up
to date.

Server s needs only its own compatible jobs, in the order of the queue: a linked list of *nodes*,
one for every pair of a job and a server of its set. The job at the head is in service. A job that
joins the end of the queue joins the end of its lists. A job that leaves hands each server that it
had to the next job of that server's list. Algorithm 1 finds the same jobs by scanning the queue
from the position of the job that left: the servers that it had have no compatible job before that
position. Here the search takes d steps for a job with d servers, however long the queue.

A job gains servers but loses none until it leaves the queue, so it leaves only at the end of its
*phase*: all its work, or the work that it may do without interruption. The server of lowest number
among those that the job has keeps the time at which the phase will end. A tournament tree finds the
earliest end in log2(S) steps; of equal times, it finds that of the lowest server.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

NONE = -1
INITIAL_ROOM = 64
LATEST = np.finfo(float).max

SERVER = np.dtype([("capacity", "f8"), ("head", "i8"), ("tail", "i8")])
# A pair of a job and the k-th server of its set, with its neighbours in that server's list.
NODE = np.dtype([("server", "i8"), ("before", "i8"), ("after", "i8")])
# `leader` is the lowest server that the job has; `work` is what was left of its phase at time
# `since`, when its rate became `rate`; `rest` is the work left after the phase.
JOB = np.dtype(
    [
        ("kind", "i8"),
        ("degree", "i8"),
        ("leader", "i8"),
        ("born", "f8"),
        ("work", "f8"),
        ("since", "f8"),
        ("rest", "f8"),
        ("rate", "f8"),
    ]
)


class Queue(NamedTuple):
    """S servers and room for J jobs of 2^shift ≥ D nodes; node j 2^shift + k is the k-th of job j.

    `servers` (S,), `nodes` (J 2^shift,), `jobs` (J,) are records; `ends` (2P,) is the tree, with
    its P ≥ S leaves from index P on and the earliest end at index 1. `free` (J + 1,) lists the free
    places for jobs, with their number last. `served` (N,) is the work done for each class in
    stretches of constant rate that have ended.
    """

    servers: NDArray
    nodes: NDArray
    jobs: NDArray
    ends: NDArray[np.float64]
    free: NDArray[np.int64]
    served: NDArray[np.float64]
    shift: int


@njit(cache=True)
def empty_queue(capacities, width, classes):
    """An empty queue for jobs of at most `width` servers and of `classes` classes."""
    leaves, shift = 1, 0
    while leaves < len(capacities):
        leaves *= 2
    while 1 << shift < width:
        shift += 1
    servers = np.empty(len(capacities), SERVER)
    for s in range(len(capacities)):
        servers[s].capacity = capacities[s]
        servers[s].head = NONE
        servers[s].tail = NONE
    free = np.arange(INITIAL_ROOM + 1)
    nodes, jobs = np.empty(INITIAL_ROOM << shift, NODE), np.empty(INITIAL_ROOM, JOB)
    return Queue(servers, nodes, jobs, np.full(2 * leaves, np.inf), free, np.zeros(classes), shift)


@njit(cache=True)
def doubled(queue):
    """The same queue, which is full, with room for twice as many jobs."""
    room = len(queue.jobs)
    nodes, jobs = np.empty(2 * len(queue.nodes), NODE), np.empty(2 * room, JOB)
    for n in range(len(queue.nodes)):
        nodes[n] = queue.nodes[n]
    for j in range(room):
        jobs[j] = queue.jobs[j]
    free = np.arange(room, 3 * room + 1)
    free[-1] = room
    return Queue(queue.servers, nodes, jobs, queue.ends, free, queue.served, queue.shift)


@njit(cache=True)
def set_end(queue, s, end):
    """Set the end of the phase that server s leads to `end`."""
    ends = queue.ends
    k = len(ends) // 2 + s
    ends[k] = end
    while k > 1:
        k >>= 1
        earliest = min(ends[2 * k], ends[2 * k + 1])
        if ends[k] == earliest:
            break
        ends[k] = earliest


@njit(cache=True)
def soonest(queue):
    """The job whose phase ends first, which must exist; its end is `queue.ends[1]`."""
    ends = queue.ends
    leaves = len(ends) // 2
    k = 1
    while k < leaves:
        k *= 2
        if ends[k] > ends[k + 1]:
            k += 1
    return queue.servers[k - leaves].head >> queue.shift


@njit(cache=True, error_model="numpy")
def serve_job(queue, j, s, t):
    """Server s starts to serve job j at time t."""
    job = queue.jobs[j]
    done = job.rate * (t - job.since)
    queue.served[job.kind] += done
    # Rounding may make the remaining work negative.
    job.work = max(job.work - done, 0.0)
    job.since = t
    job.rate += queue.servers[s].capacity
    if job.leader == NONE:
        job.leader = s
    elif s < job.leader:
        set_end(queue, job.leader, np.inf)
        job.leader = s
    set_end(queue, job.leader, t + job.work / job.rate)


@njit(cache=True)
def join(queue, j, size, quantum, t):
    """Job j, with `size` left to do, joins the end of the queue for a phase of at most `quantum`.

    Its class and its servers, in increasing order, must be set already.
    """
    job = queue.jobs[j]
    job.work = min(size, quantum)
    job.rest = size - job.work
    job.rate = 0.0
    job.since = t
    job.leader = NONE
    first = j << queue.shift
    for n in range(first, first + job.degree):
        node = queue.nodes[n]
        server = queue.servers[node.server]
        node.before = server.tail
        node.after = NONE
        server.tail = n
        if node.before == NONE:
            server.head = n
            serve_job(queue, j, node.server, t)
        else:
            queue.nodes[node.before].after = n


@njit(cache=True)
def leave(queue, j, t):
    """Job j leaves the queue at time t; its servers, in increasing order, go to the next jobs."""
    job = queue.jobs[j]
    if job.leader != NONE:
        set_end(queue, job.leader, np.inf)
    first = j << queue.shift
    for n in range(first, first + job.degree):
        node = queue.nodes[n]
        server = queue.servers[node.server]
        if node.after == NONE:
            server.tail = node.before
        else:
            queue.nodes[node.after].before = node.before
        if node.before != NONE:
            queue.nodes[node.before].after = node.after
        else:
            server.head = node.after
            if node.after != NONE:
                serve_job(queue, node.after >> queue.shift, node.server, t)


@njit(cache=True)
def draw_servers(rng, nodes, first, d, of):
    """Set the servers of d nodes to d of 0 … `of` − 1, uniformly at random and sorted."""
    # Floyd's method: the d-subsets of 0 … top from the (d − 1)-subsets of 0 … top − 1.
    for chosen in range(d):
        top = of - d + chosen
        s = int(rng.random() * (top + 1))
        for n in range(first, first + chosen):
            if nodes[n].server == s:
                s = top
                break
        n = first + chosen
        while n > first and nodes[n - 1].server > s:
            nodes[n].server = nodes[n - 1].server
            n -= 1
        nodes[n].server = s


@njit(cache=True)
def in_progress(queue, t):
    """Work done for each class by time t in stretches of constant rate that have not ended."""
    done = np.zeros(len(queue.served))
    for s in range(len(queue.servers)):
        n = queue.servers[s].head
        if n != NONE:
            job = queue.jobs[n >> queue.shift]
            if job.leader == s:
                done[job.kind] += job.rate * (t - job.since)
    return done
