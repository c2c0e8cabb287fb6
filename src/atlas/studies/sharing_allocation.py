"""The job that every server serves, event by event, under Algorithm 1.

The algorithm is that of `parallel-processing`; arrivals and interruptions are given. Jobs and
servers are numbered from 1; an idle server serves job 0.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import AS_WRITTEN, Block, require, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Capacities, Positive, Server, ServerSet
from atlas.models.clusters import read_allocations

UNITS = {
    "step": "1",
    "time": "s",
    "event": Words("name"),
    "order": Words("jobs, first in the queue first"),
    "server": "1",
    "job": "1",
}


Time = Annotated[float, Field(ge=0, le=1e12, description="a time"), AS_WRITTEN]


class ArrivalBlock(Block):
    """A job: when it arrives, which servers can process it, and how long it is."""

    time: Time
    servers: ServerSet
    size: Positive


class InterruptionBlock(Block):
    """The interruption of a server's job."""

    time: Positive
    server: Server


class Parameters(Block):
    capacities: Capacities
    arrivals: Annotated[
        list[ArrivalBlock],
        Field(min_length=1, max_length=1000, description="the jobs, numbered from 1 in this order"),
    ]
    interruptions: Annotated[
        list[InterruptionBlock],
        Field(max_length=1000, description="which server interrupts the job it serves, and when"),
    ]
    until: Annotated[Positive, Field(description="the time of the last event shown")]

    @requirement
    def _can_run(self) -> None:
        known = range(1, len(self.capacities) + 1)
        expected = f"a server from 1 to {len(known)}"
        for i, job in enumerate(self.arrivals):
            strange = [s for s in job.servers if s not in known]
            found = f"server {strange and strange[0]}"
            require(not strange, found, expected, "arrivals", i, "servers")
        for i, event in enumerate(self.interruptions):
            at = ("interruptions", i, "server")
            require(event.server in known, f"server {event.server}", expected, *at)
        first = min(job.time for job in self.arrivals)
        require(first <= self.until, f"{self.until}", f"an event, at {first} or later", "until")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per event and server, up to the time `until`."""
    rows = []
    for step, allocation in enumerate(read_allocations(parameters.plain()), start=1):
        order = " ".join(str(job + 1) for job in allocation.order)
        for s, job in enumerate(allocation.served, start=1):
            served = 0 if job is None else job + 1
            rows.append((step, allocation.time, allocation.event, order, s, served))
    return pd.DataFrame(rows, columns=list(UNITS))
