"""Threshold parallelism under FCFS, with phase-type sizes.

There are k servers of capacity 1/k each. A job of class c can use up to v_c servers at once, and on
q of them its remaining size falls at rate q/k. Jobs start in order of arrival until their
thresholds sum to k or more; then the newest of them has the servers that the others leave
(`finite-skip`, Section 6). Only that job is kept apart: a front is the number of jobs in each phase
of each class, and the class and phase of a newest job that has fewer servers than it could use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral

from multiserver.checks import SUM_TOLERANCE
from multiserver.open.finite_skip import (
    FiniteSkipModel,
    phase_rates,
    shifted,
)
from multiserver.sizes import Size

SATISFIED = -1
Front = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class ThresholdParallelism(FiniteSkipModel):
    """k = `servers`; class c has threshold v_c, a phase-type size and a probability.

    Sizes are in capacity times time: alone on one server a job of size s takes k s. Raises
    `ValueError` unless thresholds are integers in 1 … k, sizes phase-type and the probabilities
    positive with sum 1.
    """

    servers: int
    thresholds: tuple[int, ...]
    sizes: tuple[Size, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("thresholds", "sizes", "probabilities"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        counts = len(self.thresholds), len(self.sizes), len(self.probabilities)
        if len(set(counts)) != 1 or not self.sizes:
            raise ValueError(
                f"thresholds, sizes and probabilities must be equally many, found {counts}"
            )
        for p in (self.servers, *self.thresholds):
            if isinstance(p, bool) or not isinstance(p, Integral) or not 1 <= p <= self.servers:
                raise ValueError(f"thresholds must be integers in 1 … {self.servers}, found {p!r}")
        total = math.fsum(self.probabilities)
        if min(self.probabilities) <= 0 or abs(total - 1) > SUM_TOLERANCE:
            raise ValueError(
                f"probabilities must be positive and sum to 1, found {self.probabilities!r}"
            )
        for size in self.sizes:
            phase_rates(size)

    @property
    def empty(self) -> Front:
        return (0,) * len(self._kinds()), SATISFIED

    def is_full(self, front: Front) -> bool:
        counts, newest = front
        return newest != SATISFIED or self._wanted(counts) == self.servers

    def counts(self, front: Front) -> tuple[int, ...]:
        jobs = [0] * len(self.thresholds)
        for kind, u in self._jobs(front):
            jobs[self._kinds()[kind][0]] += u
        return tuple(jobs)

    def in_service(self, front: Front) -> int:
        return sum(self.counts(front))

    def admissions(self, front: Front) -> Iterable[tuple[float, Front]]:
        counts, _ = front
        for kind, (c, phase) in enumerate(self._kinds()):
            for p, start in phase_rates(self.sizes[c]).starts:
                if start == phase:
                    yield self.probabilities[c] * p, self._joined(counts, kind)

    def events(self, front: Front) -> Iterable[tuple[float, Front, bool]]:
        counts, newest = front
        kinds = self._kinds()
        for kind, u in enumerate(counts):
            if u:
                left = shifted(counts, kind, -1)
                share = u * self.thresholds[kinds[kind][0]] / self.servers
                for rate, other in self._moves(kind):
                    yield share * rate, (shifted(left, other, 1), newest), False
                if rate := self._exit(kind):
                    after = (left, newest) if newest == SATISFIED else self._joined(left, newest)
                    yield share * rate, after, True
        if newest != SATISFIED:
            share = 1 - self._wanted(counts) / self.servers
            for rate, other in self._moves(newest):
                yield share * rate, (counts, other), False
            if rate := self._exit(newest):
                yield share * rate, (counts, SATISFIED), True

    def _joined(self, counts: tuple[int, ...], kind: int) -> Front:
        """The front once a newest job has taken servers that the others leave."""
        threshold = self.thresholds[self._kinds()[kind][0]]
        if self._wanted(counts) + threshold <= self.servers:
            return shifted(counts, kind, 1), SATISFIED
        return counts, kind

    def _kinds(self) -> list[tuple[int, int]]:
        """Class and phase of every kind of job."""
        return [
            (c, i) for c, size in enumerate(self.sizes) for i in range(len(phase_rates(size).exits))
        ]

    def _wanted(self, counts: tuple[int, ...]) -> int:
        """The servers of all jobs except an unsatisfied one."""
        return sum(u * self.thresholds[c] for u, (c, _) in zip(counts, self._kinds(), strict=True))

    def _moves(self, kind: int) -> Iterator[tuple[float, int]]:
        c, i = self._kinds()[kind]
        for rate, j in phase_rates(self.sizes[c]).moves[i]:
            yield rate, kind + j - i

    def _exit(self, kind: int) -> float:
        c, i = self._kinds()[kind]
        return phase_rates(self.sizes[c]).exits[i]

    def _jobs(self, front: Front) -> Iterator[tuple[int, int]]:
        counts, newest = front
        yield from enumerate(counts)
        if newest != SATISFIED:
            yield newest, 1
