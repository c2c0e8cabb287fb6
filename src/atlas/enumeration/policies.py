"""The fronts of all policies that have one, from their definitions.

A job is (class, phase); servers have speed 1 unless speeds are given. The order of jobs is kept
only if the policy depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from atlas.enumeration.phases import Phases

Job = tuple[int, int]
Jobs = tuple[Job, ...]
# A server that a job has just left, before the next job takes it.
HOLE = (-1, -1)


@dataclass(frozen=True)
class _Rule:
    """Servers n, and the needs (thresholds, or 1), phases and probabilities of the classes."""

    servers: int
    needs: Sequence[int]
    durations: Sequence[Phases]
    probabilities: Sequence[float]

    empty = ()

    def possible_arrivals(self) -> Iterator[tuple[float, Job]]:
        """The possible arriving jobs, with their probabilities."""
        for c, (p, X) in enumerate(zip(self.probabilities, self.durations, strict=True)):
            yield from ((p * q, (c, i)) for q, i in X.starts)

    def demand(self, front: Jobs) -> int:
        return sum(self.needs[c] for c, _ in front)

    def is_open(self, front: Jobs) -> bool:
        return self.demand(front) < self.servers

    def admit(self, front: Jobs) -> Iterator[tuple[float, Jobs]]:
        yield from ((p, self.arrange((*front, job))) for p, job in self.possible_arrivals())

    def events(self, front: Jobs) -> Iterator[tuple[float, Jobs, bool]]:
        for k, speed in enumerate(self.speeds(front)):
            c, i = front[k]
            X, others = self.durations[c], (front[:k], front[k + 1 :])
            if not speed:
                continue
            for rate, j in X.moves[i]:
                yield speed * rate, self.arrange((*others[0], (c, j), *others[1])), False
            if X.exits[i]:
                yield speed * X.exits[i], self.arrange((*others[0], *others[1])), True

    def jobs(self, front: Jobs) -> Sequence[int]:
        numbers = Counter(c for c, _ in front)
        return [numbers[c] for c in range(len(self.needs))]

    def in_service(self, front: Jobs) -> int:
        return sum(speed > 0 for speed in self.speeds(front))

    def busy(self, front: Jobs) -> float:
        pairs = zip(front, self.speeds(front), strict=True)
        return sum(speed * self.needs[c] for (c, _), speed in pairs)

    def speeds(self, front: Jobs) -> Sequence[float]:
        """The speed of service of each job of the front."""
        raise NotImplementedError

    def arrange(self, front: Jobs) -> Jobs:
        """The front without any order that the policy does not use."""
        return front

    def without_holes(self, front: Jobs) -> Jobs:
        """The front if no job takes the place that a job has left."""
        return front


class FirstCome(_Rule):
    """FCFS of rigid jobs: all jobs of the front are served, except perhaps the last. The front is
    closed if there are too few servers for the last job, or if all servers are taken."""

    def speeds(self, front: Jobs) -> Sequence[float]:
        blocked = self.demand(front) > self.servers
        return [1.0] * (len(front) - blocked) + [0.0] * blocked

    def arrange(self, front: Jobs) -> Jobs:
        if self.demand(front) > self.servers:
            return (*sorted(front[:-1]), front[-1])
        return tuple(sorted(front))


class ServerFilling(_Rule):
    """The oldest jobs whose needs sum to n or more, largest needs first; those of one need by
    age."""

    def speeds(self, front: Jobs) -> Sequence[float]:
        idle, speeds = self.servers, [0.0] * len(front)
        for k in sorted(range(len(front)), key=lambda k: (-self.needs[front[k][0]], k)):
            if self.needs[front[k][0]] <= idle:
                idle -= self.needs[front[k][0]]
                speeds[k] = 1.0
        return speeds

    def arrange(self, front: Jobs) -> Jobs:
        return tuple(sorted(front, key=lambda job: self.needs[job[0]]))  # stable: by age


class ServerFillingDivisible(_Rule):
    """The first need v, by age, of which n/v jobs are present; if there is none, the need that
    fills the most servers, with ties to the need whose newest job is oldest."""

    def count(self, front: Jobs) -> Counter[int]:
        return Counter(self.needs[c] for c, _ in front)

    def is_open(self, front: Jobs) -> bool:
        return all(m * v < self.servers for v, m in self.count(front).items())

    def speeds(self, front: Jobs) -> Sequence[float]:
        if not front:
            return []
        filled = {v: m * v for v, m in self.count(front).items()}
        newest = {self.needs[c]: k for k, (c, _) in enumerate(front)}
        chosen = min(filled, key=lambda v: (-filled[v], newest[v]))
        return [float(self.needs[c] == chosen) for c, _ in front]


class ThresholdFirstCome(FirstCome):
    """Any number of servers up to the threshold, in order of arrival; the last takes the rest."""

    def speeds(self, front: Jobs) -> Sequence[float]:
        idle, speeds = self.servers, []
        for c, _ in front:
            taken = min(self.needs[c], idle)
            idle -= taken
            speeds.append(taken / self.needs[c])
        return speeds


class EqualShares(_Rule):
    """One server that the jobs of the front share; `servers` is the limit and all needs are 1."""

    def speeds(self, front: Jobs) -> Sequence[float]:
        return [1 / len(front) for _ in front]

    def arrange(self, front: Jobs) -> Jobs:
        return tuple(sorted(front))


@dataclass(frozen=True)
class FastestServerFirst(_Rule):
    """Job k of the front is on the k-th fastest server. When one leaves, those behind it move up
    or, `by_slot`, its server is taken by the next job or, if there is none, the last one."""

    rates: Sequence[float] = ()
    by_slot: bool = False

    def speeds(self, front: Jobs) -> Sequence[float]:
        return [v * (job != HOLE) for v, job in zip(self.rates, front, strict=False)]

    def is_open(self, front: Jobs) -> bool:
        return len(front) < self.servers or HOLE in front

    def admit(self, front: Jobs) -> Iterator[tuple[float, Jobs]]:
        k = front.index(HOLE) if HOLE in front else len(front)
        yield from ((p, (*front[:k], job, *front[k + 1 :])) for p, job in self.possible_arrivals())

    def events(self, front: Jobs) -> Iterator[tuple[float, Jobs, bool]]:
        X = self.durations[0]
        for k, speed in enumerate(self.speeds(front)):
            before, (c, i), behind = front[:k], front[k], front[k + 1 :]
            for rate, j in X.moves[i]:
                yield speed * rate, (*before, (c, j), *behind), False
            if X.exits[i]:
                hole = (HOLE,) if self.by_slot else ()
                yield speed * X.exits[i], (*before, *hole, *behind), True

    def without_holes(self, front: Jobs) -> Jobs:
        if HOLE not in front:
            return front
        *others, last = front
        return tuple(last if job == HOLE else job for job in others)

    def busy(self, front: Jobs) -> float:
        return sum(self.speeds(front))
