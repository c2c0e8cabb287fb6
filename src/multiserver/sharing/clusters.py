"""Clusters: servers, the sets of servers assigned to jobs, and the load.

Either every class i has a set of servers and a share p_i of the arriving work, or every job has d
of S equal servers, chosen uniformly at random (`parallel-processing`, Section 8). With σ the mean
size and C_s the capacities, the load is ρ = Σ λ_i σ / Σ C_s, and class i brings work at rate
λ_i σ = ρ p_i Σ C_s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.sharing import balanced_fairness
from multiserver.sharing.queue import MultiServerQueue, stability
from multiserver.sharing.symmetric import random_assignment


@dataclass(frozen=True, slots=True)
class AssignedServers:
    """A set of servers for every class, numbered from 0. Raises `ValueError` unless each has a
    share."""

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
        """λ_i σ, the work of each class that arrives per unit of time."""
        return load * self.capacity * np.array(self.shares)

    def service_rates(self, load: float) -> NDArray[np.float64]:
        """γ_i under balanced fairness."""
        return balanced_fairness.solve(self.queue, self.work(load)).mean_rates


@dataclass(frozen=True, slots=True)
class RandomServers:
    """`count` equal servers and one class, each job of which has `degree` random servers. Raises
    `ValueError` if `degree` exceeds `count`."""

    count: int
    rate: float
    degree: int

    def __post_init__(self) -> None:
        if self.degree > self.count:
            raise ValueError(f"degree is {self.degree}, expected at most the {self.count} servers")

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
        """The number of servers of each job, as a tuple of one."""
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
