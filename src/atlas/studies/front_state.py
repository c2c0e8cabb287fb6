"""Queue and front of a multiserver-job system under ServerFilling, job by job.

The jobs are listed oldest first. The front holds the fewest oldest jobs whose needs add up to at
least all servers; within it larger needs are served first (`finite-skip`, Section 7.2.3).
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import Block, require, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Needs, Servers
from atlas.models.finite_skip import read_server_filling
from atlas.models.systems import require_room
from multiserver.checks import divide_each_other, listed

UNITS = {"job": "1", "need": "servers", "place": Words("service, front or queue")}


class Parameters(Block):
    servers: Servers
    jobs_present: Annotated[
        Needs,
        Field(alias="jobs-present", description="the needs of all jobs present, oldest first"),
    ]

    @requirement
    def _fit(self) -> None:
        require_room(self.servers, self.jobs_present, "jobs-present")
        found = f"needs {listed(sorted(set(self.jobs_present)))} of {self.servers} servers"
        expected = "needs that divide each other and the servers, as ServerFilling requires"
        fit = divide_each_other(self.servers, self.jobs_present)
        require(fit, found, expected, "jobs-present")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per job, oldest first."""
    needs, servers = parameters.jobs_present, parameters.servers
    rates = read_server_filling(servers, needs).serve(needs, servers)
    places = ["service" if rate > 0 else "front" for rate in rates]
    places += ["queue"] * (len(needs) - len(places))
    rows = zip(range(1, len(needs) + 1), needs, places, strict=True)
    return pd.DataFrame(rows, columns=list(UNITS))
