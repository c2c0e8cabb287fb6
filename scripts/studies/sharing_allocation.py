"""What every server serves, event by event, as Algorithm 1 runs on given jobs and interruptions.

Jobs and servers are numbered from 1; a server that idles serves job 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from multiserver.simulation.assignments import record

UNITS = {
    "step": "1",
    "time": "time",
    "event": "name",
    "order": "jobs, first in the queue first",
    "server": "1",
    "job": "1",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row an event and server, up to the time `until`."""
    rows = []
    for step, found in enumerate(run(parameters), start=1):
        order = " ".join(str(job + 1) for job in found.order)
        for s, job in enumerate(found.served, start=1):
            served = 0 if job is None else job + 1
            rows.append((step, found.time, found.event, order, s, served))
    return pd.DataFrame(rows, columns=list(UNITS))


def run(parameters: Mapping[str, Any]) -> list:
    """The allocations after the events up to the time `until`."""
    jobs = [
        (job["time"], tuple(s - 1 for s in job["servers"]), job["size"])
        for job in parameters["arrivals"]
    ]
    interruptions = [(event["time"], event["server"] - 1) for event in parameters["interruptions"]]
    found = record(parameters["capacities"], jobs, interruptions)
    return [allocation for allocation in found if allocation.time <= parameters["until"]]
