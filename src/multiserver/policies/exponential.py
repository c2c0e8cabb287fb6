"""Systems rewritten for the exact solvers, with all durations exponential.

A job with a hyperexponential duration is one with an exponential duration of a rate drawn at random
on arrival, which no policy here looks at. So a class of need v with m branches is m classes of
need v.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Exponential, Hyperexponential
from multiserver.system import System


@dataclass(frozen=True, slots=True)
class ExponentialParts:
    """An equivalent system with exponential durations, and the user's class of each of its classes.

    A hyperexponential class of need v becomes one exponential class of need v for each branch;
    `owner[i]` is the user's class that class i of `system` is part of.
    """

    system: MultiserverJobSystem
    owner: tuple[int, ...]

    def by_owner(self, times: Iterable[float]) -> tuple[float, ...]:
        """E[T_c] of the user's classes, from E[T_i] of the parts."""
        p = self.system.probabilities
        rows = list(zip(self.owner, p, map(float, times), strict=True))
        found = []
        for c in range(max(self.owner) + 1):
            mine = [(q, t) for o, q, t in rows if o == c]
            share = math.fsum(q for q, _ in mine)
            # A class that was not split keeps its value bit by bit.
            alone = len(mine) == 1
            found.append(mine[0][1] if alone else math.fsum(q * t for q, t in mine) / share)
        return tuple(found)


def exponential_parts(system: System) -> ExponentialParts:
    """The multiserver jobs of a system, split into exponential classes.

    Raises `ValueError` unless all durations are exponential or hyperexponential.
    """
    rows: list[tuple[int, int, float, float]] = []
    for c, job in enumerate(system.classes):
        match job.duration:
            case Exponential(rate):
                rows.append((c, job.servers, rate, job.probability))
            case Hyperexponential(rates, probabilities):
                p = job.probability
                branches = zip(rates, probabilities, strict=True)
                rows += [(c, job.servers, rate, p * q) for rate, q in branches]
            case other:
                raise ValueError(
                    f"durations must be exponential or hyperexponential, found {other!r}"
                )
    owner, *columns = zip(*rows, strict=True)
    return ExponentialParts(MultiserverJobSystem.of(system.servers, *columns), owner)
