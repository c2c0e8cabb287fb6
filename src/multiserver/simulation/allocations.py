"""Which server serves which job in parallel processing: the rule, and a record of the compiled
lists.

All jobs form one queue, and every server serves the first job in it that is compatible with the
server (`parallel-processing`, Sections 2 and 7). `record` runs the lists of `assignments` on given
jobs and interruptions, for comparison with the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multiserver.simulation.assignments import (
    LATEST,
    NONE,
    doubled,
    empty_queue,
    join,
    leave,
    soonest,
)


@dataclass(frozen=True, slots=True)
class Allocation:
    """The state after an event at `time`: the `order` of the jobs, and the job `served` by each
    server (S,), None if it idles. The `event` is an arrival, departure or interruption."""

    time: float
    event: str
    order: tuple[int, ...]
    served: tuple[int | None, ...]


def allocate(compatibilities: Sequence[Sequence[int]], order: Sequence[int]) -> dict[int, int]:
    """The job that each busy server serves: the first in `order` whose set of servers,
    `compatibilities[job]`, contains the server."""
    serving: dict[int, int] = {}
    for job in order:
        for s in compatibilities[job]:
            serving.setdefault(s, job)
    return serving


def interrupt(order: Sequence[int], job: int) -> tuple[int, ...]:
    """The order after the interruption of `job`, which goes to the end.

    Raises `ValueError` if the job is not in the queue.
    """
    if job not in order:
        raise ValueError(f"an interrupted job must be in the queue {tuple(order)}, found {job!r}")
    return (*(other for other in order if other != job), job)


def record(
    capacities: Sequence[float],
    jobs: Sequence[tuple[float, Sequence[int], float]],
    interruptions: Sequence[tuple[float, int]],
) -> list[Allocation]:
    """The allocations of the compiled lists after each event, for given jobs and interruptions.

    Job j is (time of arrival, servers, size); an interruption is (time, server) and has no effect
    on an idle server. Departures come before other events of the same time, and arrivals before
    interruptions.
    """
    width = max(len(servers) for _, servers, _ in jobs)
    queue = empty_queue(np.array(capacities, dtype=float), width, 1)
    while len(queue.jobs) < len(jobs):
        queue = doubled(queue)
    events = [(time, 0, j) for j, (time, _, _) in enumerate(jobs)]
    events += [(time, 1, s) for time, s in interruptions]
    order: tuple[int, ...] = ()
    found: list[Allocation] = []

    def note(time: float, event: str) -> None:
        heads = queue.servers["head"].tolist()
        served = tuple(None if n == NONE else n >> queue.shift for n in heads)
        found.append(Allocation(time, event, order, served))

    for time, interrupted, subject in [*sorted(events), (np.inf, 1, 0)]:
        while queue.ends[1] <= min(time, LATEST):
            end, j = float(queue.ends[1]), int(soonest(queue))
            leave(queue, j, end)
            order = interrupt(order, j)[:-1]
            note(end, "departure")
        if not interrupted:
            _, servers, size = jobs[subject]
            node = subject << queue.shift
            queue.nodes["server"][node : node + len(servers)] = sorted(servers)
            queue.jobs[subject]["kind"], queue.jobs[subject]["degree"] = 0, len(servers)
            join(queue, subject, float(size), np.inf, float(time))
            order = (*order, subject)
            note(time, "arrival")
        elif queue.servers[subject]["head"] != NONE:
            j = int(queue.servers[subject]["head"]) >> queue.shift
            job = queue.jobs[j]
            left = float(job["work"] - job["rate"] * (time - job["since"]))
            leave(queue, j, float(time))
            join(queue, j, left, np.inf, float(time))
            order = interrupt(order, j)
            note(time, "interruption")
    return found
