"""Clusters that config describes: servers, classes of jobs, and how the load splits among them.

{assigned: {capacities: [1, 1, 1], servers: [[1, 3], [2, 3]], shares: [0.5, 0.5]}}
{random: {servers: 100, capacity: 1, degree: 2}}

Servers are numbered from 1. Each entry of `servers` is the set of one class; or every job has
`degree` servers, chosen uniformly at random (`parallel-processing`, Section 8). `shares` are the
fractions λ_i/Σ λ_i of the classes. The load ρ is that of `multiserver.sharing.clusters`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multiserver.sharing.clusters import AssignedServers, RandomServers, Servers
from multiserver.simulation.allocations import Allocation, record
from multiserver.simulation.interruptions import Cluster, ParallelClass
from multiserver.sizes import Size


def read_servers(block: Mapping[str, Any]) -> Servers:
    """The servers and classes that the block `system` of a series describes."""
    ((kind, system),) = block.items()
    if kind == "random":
        return RandomServers(system["servers"], system["capacity"], system["degree"])
    sets = tuple(tuple(s - 1 for s in servers) for servers in system["servers"])
    return AssignedServers(tuple(system["capacities"]), sets, tuple(system["shares"]))


def names_of(servers: Servers) -> tuple[str, ...]:
    """The names of the classes, `class-1` first."""
    return tuple(f"class-{i}" for i, _ in enumerate(servers.servers, start=1))


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
