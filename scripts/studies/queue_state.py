"""A state of the open two-class system, job by job: who holds which servers and who waits.

The saturated part of the state is looked up in the enumerated chain, so that a state which FCFS
service cannot reach is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from multiserver import MultiserverJobSystem
from multiserver.saturated.chain import UNSAMPLED, enumerate_chain

UNITS = {
    "class": "1 or 2",
    "place": "service, blocking or waiting",
    "first_server": "number from 0, -1 outside service",
    "need": "servers",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a job: those in service, then the queue from its head."""
    needs, (h, a, b) = parameters["needs"], parameters["state"]
    chain = enumerate_chain(
        MultiserverJobSystem.of(parameters["servers"], needs, (1.0, 1.0), (0.5, 0.5))
    )
    reachable = {
        (int(head != UNSAMPLED), *map(int, jobs))
        for head, jobs in zip(chain.blocking, chain.in_service, strict=True)
    }
    if (h, a, b) not in reachable:
        raise ValueError(f"no saturated state [{h}, {a}, {b}]; there are {sorted(reachable)}")
    rows, server = [], 0
    for job_class in [1] * a + [2] * b:
        rows.append((job_class, "service", server, needs[job_class - 1]))
        server += needs[job_class - 1]
    rows += [(2, "blocking", -1, needs[1])] * h
    rows += [(c, "waiting", -1, needs[c - 1]) for c in parameters["waiting"]]
    return pd.DataFrame(rows, columns=list(UNITS))
