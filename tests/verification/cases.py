"""Queues at a load with their exact means, and the systems from which they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from tests.verification.routes import pollaczek, words

import multiserver as ms
from multiserver.sizes import Size

DOOR = "multiserver.exact"


@dataclass(frozen=True)
class Case:
    """A queue at a load, the jobs of a run, and E[T] of all jobs and of each class.

    `known(λ)` gives E[T_c] by another route, which `route` names, where `exact` has none.
    """

    name: str
    queue: ms.Queue
    load: float
    jobs: int
    route: str = DOOR
    known: Callable[[float], list[float]] | None = None
    level: str = "jobs"
    point: str = field(default="load")

    @cached_property
    def rate(self) -> float:
        """λ."""
        system = self.queue.system
        if self.point == "load":
            return system.arrival_rate(self.load)
        return self.load * self.queue.stability().limit

    @cached_property
    def means(self) -> dict[str, float]:
        """E[T] of "all" and of each class, from 1 on, where there are several."""
        system = self.queue.system
        if self.known is None:
            found = self.queue.exact(arrival_rate=self.rate)
            times = [c.mean_response_time for c in found.by_class]
            means = {"all": found.mean_response_time}
        else:
            times = self.known(self.rate)
            weights = zip(system.probabilities, times, strict=True)
            means = {"all": sum(p * t for p, t in weights)}
        if self.level == "phases" or len(times) == 1:
            return means
        return means | {str(c): t for c, t in enumerate(times, start=1)}


def exponential(*means: float) -> list[Size]:
    return [ms.Exponential(rate=1 / mean) for mean in means]


def balanced(mean: float, scv: float) -> Size:
    """The hyperexponential of two branches of equal load."""
    spread = ((scv - 1) / (scv + 1)) ** 0.5
    p = (1 + spread) / 2
    return ms.Hyperexponential(rates=(2 * p / mean, 2 * (1 - p) / mean), probabilities=(p, 1 - p))


def rigid(servers: int, needs: list[int], p: list[float], sizes: list[Size]) -> ms.System:
    rows = zip(needs, p, sizes, strict=True)
    return ms.System(servers, [ms.JobClass(need=v, probability=q, duration=X) for v, q, X in rows])


def elastic(servers: int, thresholds: list[int], p: list[float], sizes: list[Size]) -> ms.System:
    rows = zip(thresholds, p, sizes, strict=True)
    return ms.System(
        servers, [ms.JobClass(threshold=v, probability=q, duration=X) for v, q, X in rows]
    )


def one(size: Size, **options) -> ms.System:
    return ms.System(options.pop("servers", 1), [ms.JobClass(duration=size)], **options)


def sets(speeds: tuple[float, ...], *classes: tuple[set[int], float]) -> ms.System:
    """Jobs of unit exponential sizes, by class for the servers of a set, with a probability."""
    unit = ms.Exponential(rate=1.0)
    return ms.System(
        servers=speeds,
        classes=[ms.JobClass(compatible=s, duration=unit, probability=p) for s, p in classes],
    )


def pool(servers: int, degree: int, size: Size) -> ms.System:
    return ms.System(servers, [ms.JobClass(degree=degree, duration=size)])


def in_order(start, system: ms.System, most: int) -> Callable[[float], list[float]]:
    """Of a policy that looks at the order of the jobs."""
    rates = [1 / X.mean for X in system.durations]
    return lambda rate: words(start, rates, [rate * p for p in system.probabilities], most)


def single(size: Size) -> Callable[[float], list[float]]:
    """M/G/1."""
    return lambda rate: [pollaczek(rate, size)]


def no_wait(system: ms.System) -> Callable[[float], list[float]]:
    """So many servers that a job waits with a probability below 1e-9."""
    return lambda rate: [X.mean for X in system.durations]


WORDS, KHINCHINE = "chain of orders", "Pollaczek-Khinchine"
SHARING, NONE_WAITS = "E[S]/(1 − ρ)", "E[X], as none waits"
