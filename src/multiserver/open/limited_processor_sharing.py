"""Limited processor sharing with phase-type sizes (`finite-skip`, Section 5).

The k oldest jobs are served at rate 1/k each, or all N of them at rate 1/N if N < k. Jobs at the
front differ only in their phases: a front is the number of jobs in each phase.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from multiserver.checks import require_integer
from multiserver.open.finite_skip import FiniteSkipModel, phase_rates, shifted
from multiserver.sizes import Size


@dataclass(frozen=True, slots=True)
class LimitedProcessorSharing(FiniteSkipModel):
    """k = `limit`, a positive integer, and the phase-type size S, in time alone on the server."""

    limit: int
    size: Size

    def __post_init__(self) -> None:
        require_integer("limit", self.limit)
        phase_rates(self.size)

    @property
    def probabilities(self) -> tuple[float, ...]:
        return (1.0,)

    @property
    def empty(self) -> tuple[int, ...]:
        return (0,) * len(phase_rates(self.size).exits)

    def is_full(self, front: tuple[int, ...]) -> bool:
        return sum(front) == self.limit

    def counts(self, front: tuple[int, ...]) -> tuple[int, ...]:
        return (sum(front),)

    def in_service(self, front: tuple[int, ...]) -> int:
        return sum(front)

    def admissions(self, front: tuple[int, ...]) -> Iterable[tuple[float, tuple[int, ...]]]:
        return [(p, shifted(front, i, 1)) for p, i in phase_rates(self.size).starts]

    def events(self, front: tuple[int, ...]) -> Iterable[tuple[float, tuple[int, ...], bool]]:
        size = phase_rates(self.size)
        for i, u in enumerate(front):
            if u:
                left, share = shifted(front, i, -1), u / sum(front)
                for rate, j in size.moves[i]:
                    yield share * rate, shifted(left, j, 1), False
                if size.exits[i]:
                    yield share * size.exits[i], left, True
