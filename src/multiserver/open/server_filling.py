"""Multiserver jobs under ServerFilling, with exponential durations.

A job of class c needs v_c of the k servers for an exponential time of rate μ_c; service can be
interrupted and resumed. ServerFilling leaves no server idle while enough jobs are present
(`finite-skip`, Section 7.2). It has two settings.

*Exponential*: every need divides every larger one, and k. The front is the shortest run of oldest
jobs whose needs sum to k or more; they are served in order of need, largest first, ties in order of
arrival, and fill the servers (Lemma 7.1). The newest of them is in service, so that the front stays
such a run when any other job completes, and its order matters only among jobs of one need: a front
is, for every need, the classes of its jobs by age.

*Divisible*: every need divides k. The front takes jobs until there are k/v of some need v, and
serves these alone. Until then it serves the jobs of the need v that fills most servers; if several
needs do, that whose newest job is oldest (Appendix B.2). A front is the classes of its jobs by age;
it holds at most c = Σ_v (k/v − 1) + 1 of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from multiserver.checks import require_divisors
from multiserver.model import MultiserverJobSystem
from multiserver.open.finite_skip import FiniteSkipModel

Classes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ServerFilling(FiniteSkipModel):
    """ServerFilling in the exponential setting.

    Raises `ValueError` unless each need of the system divides the next larger one, and the largest
    the number of servers.
    """

    system: MultiserverJobSystem

    def __post_init__(self) -> None:
        require_divisors(self.system.servers, self.system.needs, each_other=True)

    @property
    def probabilities(self) -> tuple[float, ...]:
        return self.system.probabilities

    @property
    def empty(self) -> tuple[Classes, ...]:
        return ((),) * len(self._needs())

    def is_full(self, front: tuple[Classes, ...]) -> bool:
        demand = sum(v * len(jobs) for v, jobs in zip(self._needs(), front, strict=True))
        return demand >= self.system.servers

    def counts(self, front: tuple[Classes, ...]) -> tuple[int, ...]:
        return _by_class(self.system, sum(front, ()))

    def in_service(self, front: tuple[Classes, ...]) -> int:
        return sum(self._served(front))

    def served(self, front: tuple[Classes, ...]) -> tuple[int, ...]:
        groups = zip(front, self._served(front), strict=True)
        return _by_class(self.system, [c for jobs, u in groups for c in jobs[:u]])

    def admissions(self, front: tuple[Classes, ...]) -> Iterable[tuple[float, tuple[Classes, ...]]]:
        for c, (v, p) in enumerate(zip(self.system.needs, self.probabilities, strict=True)):
            g = self._needs().index(v)
            yield p, (*front[:g], (*front[g], c), *front[g + 1 :])

    def events(
        self, front: tuple[Classes, ...]
    ) -> Iterable[tuple[float, tuple[Classes, ...], bool]]:
        for g, (jobs, served) in enumerate(zip(front, self._served(front), strict=True)):
            for i, c in enumerate(jobs[:served]):
                left = (*front[:g], (*jobs[:i], *jobs[i + 1 :]), *front[g + 1 :])
                yield self.system.rates[c], left, True

    def _needs(self) -> list[int]:
        """The distinct needs, smallest first."""
        return sorted(set(self.system.needs))

    def _served(self, front: tuple[Classes, ...]) -> list[int]:
        """The number of jobs in service, by need."""
        idle, served = self.system.servers, []
        for v, jobs in zip(reversed(self._needs()), reversed(front), strict=True):
            served.append(min(len(jobs), idle // v))
            idle -= v * served[-1]
        return served[::-1]


@dataclass(frozen=True, slots=True)
class DivisibleServerFilling(FiniteSkipModel):
    """ServerFilling in the divisible setting.

    Raises `ValueError` unless every need of the system divides the number of servers.
    """

    system: MultiserverJobSystem

    def __post_init__(self) -> None:
        require_divisors(self.system.servers, self.system.needs)

    @property
    def probabilities(self) -> tuple[float, ...]:
        return self.system.probabilities

    @property
    def empty(self) -> Classes:
        return ()

    def is_full(self, front: Classes) -> bool:
        k = self.system.servers
        return any(v * len(places) >= k for v, places in self._places(front).items())

    def counts(self, front: Classes) -> tuple[int, ...]:
        return _by_class(self.system, front)

    def in_service(self, front: Classes) -> int:
        return len(self._served(front))

    def served(self, front: Classes) -> tuple[int, ...]:
        return _by_class(self.system, [front[i] for i in self._served(front)])

    def admissions(self, front: Classes) -> Iterable[tuple[float, Classes]]:
        return [(p, (*front, c)) for c, p in enumerate(self.probabilities)]

    def events(self, front: Classes) -> Iterable[tuple[float, Classes, bool]]:
        for i in self._served(front):
            yield self.system.rates[front[i]], (*front[:i], *front[i + 1 :]), True

    def _places(self, front: Classes) -> dict[int, list[int]]:
        """The positions of the jobs of every need, oldest first."""
        places = {v: [] for v in self.system.needs}
        for i, c in enumerate(front):
            places[self.system.needs[c]].append(i)
        return places

    def _served(self, front: Classes) -> list[int]:
        """The positions of the jobs in service."""
        present = [(v, places) for v, places in self._places(front).items() if places]
        if not present:
            return []
        return max(present, key=lambda group: (group[0] * len(group[1]), -group[1][-1]))[1]


def _by_class(system: MultiserverJobSystem, jobs: Iterable[int]) -> tuple[int, ...]:
    counts = [0] * len(system.classes)
    for c in jobs:
        counts[c] += 1
    return tuple(counts)
