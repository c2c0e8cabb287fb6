"""A network: stations of parallel processing, and the routing of jobs between them.

A job that has been served at a station joins a class of any station, or leaves, at random. Sizes
are exponential with mean 1 at every visit. Classes are numbered consecutively over the stations.
Jobs of class i arrive from outside at rate ν_i. Jobs in a *chain*, a set of classes that they never
leave, are constant in number (`parallel-processing`, Sections 2 to 6).

λ = Σ ν_i is the rate from outside, E[S] the work of a job over all its visits, n the total speed of
all servers, and ρ = λ E[S]/n. An operating point scales all ν_i by one factor; without one, the
network is taken as given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.checks import members, require_number
from multiserver.sharing import networks
from multiserver.sharing.queue import MultiServerQueue

if TYPE_CHECKING:
    from multiserver.policies.policy import Policy
    from multiserver.queue import Queue

Station = MultiServerQueue


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Stations, arrival rates ν (N,), routing probabilities (N, N), and the number of jobs of each
    chain, with chains in the order of their first classes.

    Raises `ValueError` unless these are consistent and speeds are positive.

    >>> import multiserver as ms
    >>> station = ms.Station(rates=(1.0, 1.0), compatible=({0}, {0, 1}))
    >>> network = ms.Network([station], arrivals=[0.3, 0.6], routing=[[0, 0], [0.5, 0]])
    >>> round(network.under(ms.FCFS).exact().mean_jobs, 6)
    2.571429
    """

    stations: tuple[Station, ...]
    arrivals: ArrayLike
    routing: ArrayLike
    populations: tuple[int, ...] = ()
    _network: networks.Network = field(init=False, repr=False)

    if TYPE_CHECKING:
        # The types accepted; the fields above have the types stored.
        def __init__(
            self,
            stations: Iterable[Station],
            arrivals: Sequence[float] | NDArray[np.floating],
            routing: Sequence[Sequence[float]] | NDArray[np.floating],
            populations: Iterable[int] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("stations", "populations"):
            if (found := members(getattr(self, name))) is None:
                raise ValueError(f"{name} must be in a list, found {getattr(self, name)!r}")
            object.__setattr__(self, name, found)
        if not self.stations or not all(isinstance(one, Station) for one in self.stations):
            raise ValueError(f"stations must be one ms.Station or more, found {self.stations!r}")
        speeds = [v for station in self.stations for v in station.rates]
        if not all(v > 0 for v in speeds):
            raise ValueError(f"speeds must be positive finite numbers, found {min(speeds)!r}")
        found = networks.Network(self.stations, self.arrivals, self.routing, self.populations)
        object.__setattr__(self, "_network", found)
        for name in ("arrivals", "routing"):
            object.__setattr__(self, name, getattr(found, name))

    @property
    def model(self) -> str:
        """`network`."""
        return "network"

    @property
    def classes(self) -> range:
        """The numbers of the classes."""
        return range(len(self.arrivals))

    @property
    def capacity(self) -> float:
        """n, the total speed of all servers."""
        return math.fsum(v for station in self.stations for v in station.rates)

    @property
    def outside(self) -> float:
        """λ = Σ ν_i as given, in jobs per unit of time; 0 for a closed network."""
        return math.fsum(self.arrivals)

    @property
    def mean_size(self) -> float:
        """E[S]: the mean number of visits, and so the work, of a job from outside; NaN for a closed
        network."""
        traffic = self._network.traffic
        visits = math.fsum(traffic.rates[list(traffic.transient)])
        return visits / self.outside if self.outside else math.nan

    def arrival_rate(self, load: float) -> float:
        """λ = ρ n/E[S]. Raises `ValueError` unless ρ is a number from 0 on."""
        return require_number("load", load, 0) * self.capacity / self.mean_size

    def load(self, arrival_rate: float) -> float:
        """ρ = λ E[S]/n. Raises `ValueError` unless λ is a number from 0 on."""
        return require_number("arrival_rate", arrival_rate, 0) * self.mean_size / self.capacity

    def at(self, arrival_rate: float | None) -> networks.Network:
        """The network at λ, or as given for None."""
        if arrival_rate is None or arrival_rate == self.outside:
            return self._network
        arrivals = np.asarray(self.arrivals) * (arrival_rate / self.outside)
        return networks.Network(self.stations, arrivals, self.routing, self.populations)

    def under(self, policy: Policy) -> Queue:
        """This network under a policy, which must be defined for it (else `ValueError`)."""
        from multiserver.queue import Queue

        return Queue(self, policy)
