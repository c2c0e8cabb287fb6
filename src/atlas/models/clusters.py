"""Clusters of servers that process jobs in parallel, and how the load splits among their classes.

{assigned: {capacities: [1, 1, 1], servers: [[1, 3], [2, 3]], shares: [0.5, 0.5]}}
{random: {servers: 100, capacity: 1, degree: 2}}

Servers are numbered from 1. Each entry of `servers` is the set of one class; or every job has
`degree` servers, chosen uniformly at random (`parallel-processing`, Section 8). `shares` are the
fractions λ_i/Σ λ_i of the classes. The load ρ is that of `multiserver.sharing.clusters`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from atlas.fields.block import SUMMING_TO_1, WHOLE, Block, misfit, require, requirement
from atlas.fields.vocabulary import Assignments, Capacities, Positive, Probability
from atlas.models.systems import require_existing
from multiserver.errors import TooLargeError
from multiserver.sharing.clusters import AssignedServers, RandomServers, Servers
from multiserver.simulation.allocations import Allocation, record
from multiserver.simulation.interruptions import Cluster, ParallelClass
from multiserver.sizes import Size


class AssignedBlock(Block):
    """Every class has a set of servers of its own."""

    capacities: Capacities
    servers: Assignments
    shares: Annotated[
        list[Probability],
        Field(min_length=1, max_length=20, description="the shares of the classes"),
        SUMMING_TO_1,
    ]

    @requirement
    def _name_servers(self) -> None:
        require_existing(len(self.capacities), self.servers, "servers")


class RandomBlock(Block):
    """Every job has some of the servers, chosen uniformly at random."""

    servers: Annotated[int, Field(ge=1, le=10_000, description="the number of servers"), WHOLE]
    degree: Annotated[
        int, Field(ge=1, le=10_000, description="the number d of servers of a job"), WHOLE
    ]
    capacity: Positive = 1


class ClusterBlock(Block):
    """Servers that process jobs in parallel, assigned to classes or at random."""

    assigned: AssignedBlock | None = None
    random: RandomBlock | None = None

    @requirement
    def _exists(self) -> None:
        given = list(self.plain())
        require(len(given) == 1, f"{given or 'no'} assignments", "one of assigned, random")
        try:
            _ = self.read().limit
        except (ValueError, IndexError) as error:
            expected = "servers and classes that can exist"
            if isinstance(error, TooLargeError):
                expected = "classes with the same servers made one, or all servers alike: `random`"
            raise misfit(str(error), expected, given[0]) from None

    def read(self) -> Servers:
        """The servers and classes as the library knows them."""
        return read_servers(self.plain())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.assigned.servers) if self.assigned else 1


def read_servers(block: Mapping[str, Any]) -> Servers:
    """The servers and classes that the block `system` of a series describes."""
    ((kind, system),) = block.items()
    if kind == "random":
        return RandomServers(system["servers"], system["capacity"], system["degree"])
    sets = tuple(tuple(s - 1 for s in servers) for servers in system["servers"])
    return AssignedServers(tuple(system["capacities"]), sets, tuple(system["shares"]))


def read_cluster(servers: Servers, size: Size, load: float, interruptions: float) -> Cluster:
    """The cluster for Algorithm 1, with m = `interruptions` per job on average."""
    if not 0 < load < servers.limit:
        raise ValueError(f"the loads must be below {servers.limit:.6g}, found {load!r}")
    rates = servers.work(load) / size.mean
    classes = zip(rates.tolist(), servers.servers, strict=True)
    return Cluster(
        servers.capacities, [ParallelClass(rate, size, who) for rate, who in classes], interruptions
    )


def read_allocations(parameters: Mapping[str, Any]) -> list[Allocation]:
    """The job that every server serves after each event up to the time `until`, for the given
    `arrivals` and `interruptions`."""
    jobs = [
        (job["time"], tuple(s - 1 for s in job["servers"]), job["size"])
        for job in parameters["arrivals"]
    ]
    interruptions = [(event["time"], event["server"] - 1) for event in parameters["interruptions"]]
    found = record(parameters["capacities"], jobs, interruptions)
    return [allocation for allocation in found if allocation.time <= parameters["until"]]
