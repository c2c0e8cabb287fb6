"""A cluster whose jobs are processed in parallel, as `interruptions` simulates it.

It has servers 0 … S − 1 of capacities C_s (work per unit of time). Jobs of class i arrive at rate
λ_i with random sizes (work) of mean σ_i, each with a set of servers: S_i for all of the class, or d
servers drawn uniformly at random for each job (`parallel-processing`, Sections 2 and 8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.pooled_server import mean_work
from multiserver.simulation.workload import (
    MAX_JOBS,
    MISSING_LOAD,
    RELAXATION_FACTOR,
    TooManyJobsError,
    Workload,
    mean_remaining_duration,
)
from multiserver.sizes import Size, scaled

# Relaxation times after which the mean of a queue in heavy traffic that started empty is 1e-4 of
# itself too small.
SETTLING_RELAXATION_TIMES = 5.7


@dataclass(frozen=True, slots=True)
class ParallelClass:
    """Jobs that arrive at rate λ_i, with their size and their servers: the set S_i, or a number d
    of servers drawn at random for each job.

    Raises `ValueError` unless the rate is positive and finite, the mean size finite, and the
    servers a non-empty set of non-negative integers or one positive integer.
    """

    arrival_rate: float
    size: Size
    servers: tuple[int, ...] | int

    def __post_init__(self) -> None:
        if self.arrival_rate == 0:
            raise ValueError(
                "arrival_rate must be a positive finite number, found 0: leave out this class,"
                " whose jobs never come"
            )
        require_positive("arrival_rate", self.arrival_rate)
        if not self.size.mean < math.inf:
            raise ValueError(f"the size must have a finite mean, found {self.size!r}")
        if not self.fixed:
            if isinstance(self.servers, bool) or self.servers < 1:
                raise ValueError(f"a number of servers must be positive, found {self.servers!r}")
            return
        servers = tuple(sorted(self.servers))
        if not servers or len(set(servers)) < len(servers) or servers[0] < 0:
            raise ValueError(f"servers must be distinct and at least one, found {self.servers!r}")
        object.__setattr__(self, "servers", servers)

    @property
    def fixed(self) -> bool:
        """Whether all jobs have the same set of servers."""
        return not isinstance(self.servers, Integral)

    @property
    def degree(self) -> int:
        """How many servers a job may have at once."""
        return len(self.servers) if self.fixed else self.servers


class Pool(NamedTuple):
    """A single server (`pooled_server`) of the given capacity that serves the jobs of the classes
    marked in `classes` (N,), with its mean work."""

    classes: tuple[bool, ...]
    capacity: float
    mean_work: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Servers 0 … S − 1 of the given capacities, the classes, and m, the interruptions per job.

    Stability is not checked: the number of jobs of an unstable cluster grows as it runs. Raises
    `ValueError` unless capacities are positive and finite, every class has its servers among
    these, and m is finite and not negative.
    """

    capacities: tuple[float, ...]
    classes: tuple[ParallelClass, ...]
    interruptions: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "capacities", tuple(self.capacities))
        object.__setattr__(self, "classes", tuple(self.classes))
        for capacity in self.capacities:
            require_positive("capacity", capacity)
        if not self.classes:
            raise ValueError("a cluster needs at least one class of jobs, found none")
        S, m = len(self.capacities), self.interruptions
        for c in self.classes:
            if c.degree > S or (c.fixed and c.servers[-1] >= S):
                raise ValueError(f"servers must be among the {S} of the cluster, found {c.servers}")
        if not isinstance(m, Real) or not 0 <= m < math.inf:
            raise ValueError(f"interruptions must be a finite number of at least 0, found {m!r}")

    @property
    def mean_size(self) -> float:
        """σ, over the jobs of all classes."""
        rate = math.fsum(c.arrival_rate for c in self.classes)
        return math.fsum(c.arrival_rate * c.size.mean for c in self.classes) / rate

    @property
    def quantum(self) -> float:
        """θ = σ/m, the mean work between interruptions."""
        return self.mean_size / self.interruptions if self.interruptions else math.inf

    @property
    def work_rates(self) -> NDArray[np.float64]:
        """λ_i σ_i, the work of class i that arrives in a unit of time (N,)."""
        return np.array([c.arrival_rate * c.size.mean for c in self.classes])

    @property
    def load(self) -> float:
        """ρ = Σ λ_i σ_i / Σ C_s."""
        return math.fsum(self.work_rates) / math.fsum(self.capacities)

    @property
    def jump_rate(self) -> float:
        """Arrivals, departures and interruptions in a unit of time, (2 + m) Σ λ_i."""
        return (2 + self.interruptions) * math.fsum(c.arrival_rate for c in self.classes)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Pools of all classes together, and of each class that has a set of its own, where the
        mean work is finite."""
        N = len(self.classes)
        everyone = (True,) * N, math.fsum(self.capacities)
        own = [
            (tuple(i == j for j in range(N)), math.fsum(self.capacities[s] for s in c.servers))
            for i, c in enumerate(self.classes)
            if c.fixed and N > 1
        ]
        found = []
        for members, capacity in (everyone, *own):
            classes = [c for c, member in zip(self.classes, members, strict=True) if member]
            work = math.fsum(c.arrival_rate * c.size.mean for c in classes)
            square = math.fsum(c.arrival_rate * c.size.second_moment for c in classes)
            found.append(Pool(members, capacity, mean_work(1.0, work, square, capacity)))
        return tuple(pool for pool in found if math.isfinite(pool.mean_work))

    @property
    def workload(self) -> Workload:
        """The same jobs as rigid jobs on S servers of equal speed, each holding as many as it may
        use."""
        rates = [c.arrival_rate for c in self.classes]
        S, rate = len(self.capacities), math.fsum(rates)
        speed = math.fsum(self.capacities) / S
        sizes = [scaled(c.size, 1 / (c.degree * speed)) for c in self.classes]
        needs = [c.degree for c in self.classes]
        return Workload(S, needs, sizes, [r / rate for r in rates], rate)

    def filling_jumps(self) -> int:
        """The jumps after which servers that started empty have forgotten it, as in
        `Workload.least_warm_up`, if each job is served by one of its servers, the slowest. Raises
        `TooManyJobsError` if they are more than `MAX_JOBS`."""
        servers = range(len(self.capacities))
        longest = max(
            mean_remaining_duration(c.size)
            / min(self.capacities[s] for s in (c.servers if c.fixed else servers))
            for c in self.classes
        )
        jumps = self.jump_rate * RELAXATION_FACTOR * longest * math.log(1 / MISSING_LOAD)
        if jumps > MAX_JOBS:
            raise TooManyJobsError(
                f"jobs come and go {jumps:.1g} times before the servers have forgotten that they"
                f" were empty, as the slowest serve some that long: more than {MAX_JOBS:.0e} in a"
                " replication take too long to simulate"
            )
        return math.ceil(jumps)

    def settling_jumps(self, limit: float = 1.0) -> int:
        """The jumps after which a queue that started empty has forgotten it; `limit` is the largest
        load, ρ*.

        In heavy traffic the work in the system is a reflected Brownian motion with drift
        −δ = −(ρ* − ρ) Σ C_s and variance σ² = Σ λ_i E[S_i²] per unit of time, whose relaxation time
        is τ = 2 σ²/δ². After `SETTLING_RELAXATION_TIMES` τ its mean is 1e-4 of itself too small (J.
        Abate and W. Whitt, Transient behavior of regulated Brownian motion I, Adv. Appl. Probab.
        19, 1987). For M/M/1 the exact relaxation time 1/(√μ − √λ)² is (1 + √ρ)²/(4ρ) τ. E[S²] is
        taken to be at least 2 E[S]², and that if it is infinite. Raises `ValueError` unless the
        load is below `limit`.
        """
        if not self.load < limit:
            raise ValueError(f"a load below {limit:.6g} is needed, found {self.load:.6g}")
        spread = math.fsum(
            2 * c.arrival_rate * c.size.mean * mean_remaining_duration(c.size) for c in self.classes
        )
        drift = (limit - self.load) * math.fsum(self.capacities)
        return math.ceil(self.jump_rate * SETTLING_RELAXATION_TIMES * 2 * spread / drift**2)


def require_positive(name: str, value: object) -> None:
    """Raise `ValueError` unless a value is a positive finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a positive finite number, found {value!r}")
