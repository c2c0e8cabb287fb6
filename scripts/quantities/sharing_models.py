"""Clusters that config describes: servers, classes of jobs, and how the load splits among them.

{assigned: {capacities: [1, 1, 1], servers: [[1, 3], [2, 3]], shares: [0.5, 0.5]}}
{random: {servers: 100, capacity: 1, degree: 2}}

Servers are numbered from 1; each of `servers` is the set of one class, or every job has `degree` of
them, chosen uniformly at random (`parallel-processing`, Section 8). The load is
ρ = Σ λ_i σ / Σ C_s, with σ the mean size, and `shares` are those of the classes in Σ λ_i.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.sharing import balanced_fairness
from multiserver.sharing.queue import MultiServerQueue, stability
from multiserver.sharing.symmetric import random_assignment
from multiserver.simulation.interruptions import Cluster, ParallelClass
from multiserver.sizes import Size


@dataclass(frozen=True, slots=True)
class AssignedServers:
    """A set of servers for every class, numbered from 0."""

    capacities: tuple[float, ...]
    servers: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.servers) != len(self.shares):
            raise ValueError(
                "every class must have its servers and its share,"
                f" found {len(self.servers)} sets and {len(self.shares)} shares"
            )

    @property
    def capacity(self) -> float:
        """Σ C_s."""
        return math.fsum(self.capacities)

    @property
    def queue(self) -> MultiServerQueue:
        """The queue in units of the mean size: capacities are rates."""
        return MultiServerQueue(self.capacities, tuple(map(frozenset, self.servers)))

    @property
    def limit(self) -> float:
        """The load below which the cluster is stable."""
        return stability(self.queue, self.work(1.0)).scale

    def work(self, load: float) -> NDArray[np.float64]:
        """λ_i σ, the work of each class that arrives in a unit of time."""
        return load * self.capacity * np.array(self.shares)

    def service_rates(self, load: float) -> NDArray[np.float64]:
        """γ_i under balanced fairness."""
        return balanced_fairness.solve(self.queue, self.work(load)).mean_rates


@dataclass(frozen=True, slots=True)
class RandomServers:
    """`count` equal servers, `degree` of them for every job: one class."""

    count: int
    rate: float
    degree: int

    @property
    def capacities(self) -> tuple[float, ...]:
        """C_s."""
        return (self.rate,) * self.count

    @property
    def capacity(self) -> float:
        """Σ C_s."""
        return self.count * self.rate

    @property
    def servers(self) -> tuple[int, ...]:
        """The number of servers of the jobs."""
        return (self.degree,)

    @property
    def limit(self) -> float:
        """The load below which the cluster is stable."""
        return 1.0

    def work(self, load: float) -> NDArray[np.float64]:
        """λ σ."""
        return np.array([load * self.capacity])

    def service_rates(self, load: float) -> NDArray[np.float64]:
        """γ under balanced fairness."""
        return random_assignment(self.count, self.degree, self.work(load), rate=self.rate).mean_rate


Servers = AssignedServers | RandomServers


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
    """What Algorithm 1 runs on, with m = `interruptions` per job on average."""
    if not 0 < load < servers.limit:
        raise ValueError(f"the loads must be below {servers.limit:.6g}, found {load!r}")
    rates = servers.work(load) / size.mean
    classes = zip(rates.tolist(), servers.servers, strict=True)
    return Cluster(
        servers.capacities, [ParallelClass(rate, size, who) for rate, who in classes], interruptions
    )
