"""What a simulation of multiserver jobs is given: the servers, the classes and the arrivals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Exponential, Size


@dataclass(frozen=True, slots=True)
class Workload:
    """n servers, and needs, sizes (of durations) and probabilities of C classes arriving at rate λ.

    Raises `ValueError` unless there are equally many of each, at least one, needs are integers in
    1 … n, probabilities lie in (0, 1] with sum 1, sizes have a finite mean and λ is positive and
    finite. Whether λ is below the stability limit is for the caller to know.
    """

    servers: int
    needs: tuple[int, ...]
    sizes: tuple[Size, ...]
    probabilities: tuple[float, ...]
    arrival_rate: float

    def __post_init__(self) -> None:
        for name in ("needs", "sizes", "probabilities"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        counts = len(self.needs), len(self.sizes), len(self.probabilities)
        if len(set(counts)) != 1:
            raise ValueError(
                "needs, sizes and probabilities must be equally many,"
                f" found {', '.join(map(str, counts))}"
            )
        # The rules for servers, needs and probabilities are those of the model.
        system = MultiserverJobSystem.of(
            self.servers, self.needs, (1.0,) * len(self.needs), self.probabilities
        )
        for name in ("servers", "needs", "probabilities"):
            object.__setattr__(self, name, getattr(system, name))
        for size in self.sizes:
            if not isinstance(size, Size) or size.mean == math.inf:
                raise ValueError(f"sizes must have a finite mean, found {size!r}")
        rate = self.arrival_rate
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 < rate < math.inf:
            raise ValueError(f"arrival_rate must be a positive finite number, found {rate!r}")
        object.__setattr__(self, "arrival_rate", float(rate))

    @classmethod
    def of(cls, system: MultiserverJobSystem, arrival_rate: float) -> Workload:
        """The exponential durations of `system`."""
        sizes = tuple(Exponential(rate) for rate in system.rates)
        return cls(system.servers, system.needs, sizes, system.probabilities, arrival_rate)

    @property
    def load(self) -> float:
        """λ Σ_c p_c v_c E[S_c] / n, the fraction of the servers that are held if stable."""
        demand = (
            p * v * size.mean
            for p, v, size in zip(self.probabilities, self.needs, self.sizes, strict=True)
        )
        return self.arrival_rate * math.fsum(demand) / self.servers
