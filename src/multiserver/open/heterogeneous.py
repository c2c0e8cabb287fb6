"""The heterogeneous M/PH/k: servers of different speeds, preemptive fastest server first.

Server i works at speed v_i, v_1 ≥ … ≥ v_k; a job of size S takes S/v_i there. Jobs start in order
of arrival, and with j < k jobs present the j fastest servers work (`finite-skip`, Section 4; its
speeds sum to 1). This leaves open which job moves up when a server falls idle, which matters unless
sizes are exponential. There are two rules:

- by *age*: the i-th oldest job is on the i-th fastest server; all younger jobs move up by one;
- by *slot*: the next job of the queue takes the server that fell idle; if the queue is empty, the
  job on the slowest busy server does, and no other job moves.

A front is the phase of the job on each busy server, fastest first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from multiserver.open.finite_skip import FiniteSkipModel, phase_rates
from multiserver.sizes import Size

IDLE = -1
Phases = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeterogeneousServers(FiniteSkipModel):
    """Servers of the given `speeds`, fastest first whatever their order, and the size S.

    `migration` is the rule above. Raises `ValueError` unless there are speeds, all positive and
    finite, and S is phase-type.
    """

    speeds: tuple[float, ...]
    size: Size
    migration: Literal["age", "slot"] = "age"

    def __post_init__(self) -> None:
        object.__setattr__(self, "speeds", tuple(sorted(map(float, self.speeds), reverse=True)))
        if not self.speeds or not all(0 < v < math.inf for v in self.speeds):
            raise ValueError(f"speeds must be positive finite numbers, found {self.speeds!r}")
        if self.migration not in ("age", "slot"):
            raise ValueError(f"migration must be 'age' or 'slot', found {self.migration!r}")
        phase_rates(self.size)

    @property
    def probabilities(self) -> tuple[float, ...]:
        return (1.0,)

    @property
    def empty(self) -> Phases:
        return ()

    def is_full(self, front: Phases) -> bool:
        return len(front) == len(self.speeds) and IDLE not in front

    def counts(self, front: Phases) -> tuple[int, ...]:
        return (len(front),)

    def in_service(self, front: Phases) -> int:
        return len(front)

    def admissions(self, front: Phases) -> Iterable[tuple[float, Phases]]:
        slot = front.index(IDLE) if IDLE in front else len(front)
        return [
            (p, (*front[:slot], i, *front[slot + 1 :])) for p, i in phase_rates(self.size).starts
        ]

    def events(self, front: Phases) -> Iterable[tuple[float, Phases, bool]]:
        size = phase_rates(self.size)
        for s, (v, i) in enumerate(zip(self.speeds, front, strict=False)):
            before, behind = front[:s], front[s + 1 :]
            for rate, j in size.moves[i]:
                yield v * rate, (*before, j, *behind), False
            if size.exits[i]:
                hole = (IDLE,) if self.migration == "slot" else ()
                yield v * size.exits[i], (*before, *hole, *behind), True

    def at_rest(self, front: Phases) -> Phases:
        if IDLE not in front:
            return front
        *others, slowest = front
        return tuple(slowest if i == IDLE else i for i in others)
