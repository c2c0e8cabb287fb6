"""Systems as the exact solvers take them: all durations exponential.

A job whose duration is hyperexponential is one of an exponential duration, drawn at random when it
arrives, and no policy here looks at that: a class of need v and m branches is m classes of need v.
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
    """A system with exponential durations that has the same jobs, and whose class is whose.

    A hyperexponential class of need v is as many exponential classes of need v as it has branches;
    `owner[i]` is the class of the user that class i of `system` is part of.
    """

    system: MultiserverJobSystem
    owner: tuple[int, ...]

    def by_owner(self, times: Iterable[float]) -> tuple[float, ...]:
        """E[T_c] of the user's classes, from those of the parts."""
        p = self.system.probabilities
        rows = list(zip(self.owner, p, map(float, times), strict=True))
        found = []
        for c in range(max(self.owner) + 1):
            mine = [(q, t) for o, q, t in rows if o == c]
            share = math.fsum(q for q, _ in mine)
            # A class that was not taken apart keeps its digits.
            alone = len(mine) == 1
            found.append(mine[0][1] if alone else math.fsum(q * t for q, t in mine) / share)
        return tuple(found)


def exponential_parts(system: System) -> ExponentialParts:
    """The multiserver jobs of a system as engines take them.

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
