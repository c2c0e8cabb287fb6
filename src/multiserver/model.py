"""The multiserver-job model.

A system has n servers. A job of class c holds v_c servers at once (its *server need*) for an
exponential time of rate μ_c (its *duration*). An arriving job is of class c with probability p_c,
independently of everything else. S is the demand of a job in *server-seconds*, need times
duration, so

    E[S] = Σ_c p_c v_c / μ_c,

and n / E[S] is the *naive* throughput: the throughput if no server was ever idle while jobs wait.
(`two-class-stability`, Sections 1.2 and 1.3.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from multiserver.checks import as_float, require_integer, summing_to_1


@dataclass(frozen=True, slots=True)
class ExponentialClass:
    """A class of jobs: server need v, service rate μ (1/second), probability p.

    Raises `ValueError` unless v is a positive integer, μ is positive and finite, 0 < p ≤ 1.
    """

    need: int
    rate: float
    probability: float

    def __post_init__(self) -> None:
        need = require_integer("need", self.need)
        rate, probability = as_float(self.rate), as_float(self.probability)
        if not 0 < rate < math.inf:
            raise ValueError(f"rate must be a positive finite number, found {self.rate!r}")
        if not 0 < probability <= 1:
            raise ValueError(
                f"probability must lie in (0, 1], found {self.probability!r}"
                " (leave out a class that never arrives)"
            )
        # Plain int and float: numpy's fixed-width integers overflow and short floats lose digits.
        for name, value in (("need", need), ("rate", rate), ("probability", probability)):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class MultiserverJobSystem:
    """n servers and the classes of the jobs that arrive.

    Raises `ValueError` unless n is a positive integer, every need is at most n and the
    probabilities sum to 1.
    """

    servers: int
    classes: tuple[ExponentialClass, ...]

    def __post_init__(self) -> None:
        n = require_integer("servers", self.servers)
        object.__setattr__(self, "servers", n)
        object.__setattr__(self, "classes", tuple(self.classes))
        if not self.classes:
            raise ValueError("a system needs at least one class of jobs, found none")
        for c in self.classes:
            if c.need > n:
                raise ValueError(f"need {c.need} exceeds the {n} servers: such a job never starts")
        object.__setattr__(self, "classes", summing_to_1(self.classes))

    @classmethod
    def of(
        cls,
        servers: int,
        needs: Iterable[int],
        rates: Iterable[float],
        probabilities: Iterable[float],
    ) -> MultiserverJobSystem:
        """The system with the given needs, rates and probabilities, class by class."""
        columns = tuple(needs), tuple(rates), tuple(probabilities)
        if len({len(column) for column in columns}) != 1:
            counts = ", ".join(str(len(column)) for column in columns)
            raise ValueError(f"needs, rates and probabilities must be equally many, found {counts}")
        return cls(servers, tuple(ExponentialClass(*row) for row in zip(*columns, strict=True)))

    @property
    def needs(self) -> tuple[int, ...]:
        """v_c, class by class."""
        return tuple(c.need for c in self.classes)

    @property
    def rates(self) -> tuple[float, ...]:
        """μ_c, class by class (1/second)."""
        return tuple(c.rate for c in self.classes)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """p_c, class by class."""
        return tuple(c.probability for c in self.classes)

    @property
    def mean_demand(self) -> float:
        """E[S] = Σ_c p_c v_c / μ_c (server-seconds per job)."""
        return math.fsum(self._demands())

    @property
    def naive_throughput(self) -> float:
        """λ_naive = n / E[S] (jobs per second): no server is ever wasted."""
        return self.servers / self.mean_demand

    @property
    def load_shares(self) -> tuple[float, ...]:
        """The share of all server-seconds that each class demands."""
        return tuple(demand / self.mean_demand for demand in self._demands())

    def _demands(self) -> Sequence[float]:
        return [c.probability * c.need / c.rate for c in self.classes]
