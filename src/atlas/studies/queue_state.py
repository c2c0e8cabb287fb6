"""A state of the open two-class system, job by job: which jobs hold which servers, and which wait.

The saturated part of the state is looked up in the enumerated chain, so that a state that FCFS
cannot reach is refused.
"""

from __future__ import annotations

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE, require
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Count
from atlas.models.feasibility import SweptBlock
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import enumerate_chain

UNITS = {
    "class": "1 or 2",
    "place": Words("service, blocking or waiting"),
    "first_server": "number from 0, -1 outside service",
    "need": "servers",
}


class Parameters(SweptBlock):
    state: Annotated[
        list[Count],
        Field(
            min_length=3,
            max_length=3,
            description="[h, a, b]: jobs blocking, class 1 and class 2 jobs in service",
        ),
    ]
    waiting: Annotated[
        list[Annotated[int, Field(ge=1, le=2, description="a class, 1 or 2"), WHOLE]],
        Field(
            max_length=1000,
            description="the classes of the jobs behind the blocking one, oldest first",
        ),
    ]


def check(parameters: Parameters) -> None:
    """Raise a misfit unless FCFS can reach the state."""
    state, classes = parameters.state, ((1.0, 1.0), (0.5, 0.5))
    system = MultiserverJobSystem.of(parameters.servers, parameters.needs, *classes)
    known = set(enumerate_chain(system).states())
    close = sorted(known, key=lambda other: math.dist(other, state))[:5]
    expected = f"a saturated state, such as {', '.join(str(list(s)) for s in close)}"
    require(tuple(state) in known, str(state), expected, "state")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per job: those in service, then the queue from its head."""
    needs, (h, a, b) = parameters.needs, parameters.state
    rows, server = [], 0
    for job_class in [1] * a + [2] * b:
        rows.append((job_class, "service", server, needs[job_class - 1]))
        server += needs[job_class - 1]
    rows += [(2, "blocking", -1, needs[1])] * h
    rows += [(c, "waiting", -1, needs[c - 1]) for c in parameters.waiting]
    return pd.DataFrame(rows, columns=list(UNITS))
