"""Classes that differ in name only, as one class.

Jobs that use servers in the same way and have one distribution of durations are of one kind to
every policy here. If several classes are of such jobs, waiting and response times have the same
distribution in each, and each has its share of the jobs present. A process that tells such classes
apart has many times as many states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiserver.policies.policy import Condition, Limit, Means, Method, Times
from multiserver.system import JobClass, System


@dataclass(frozen=True, slots=True)
class Alike:
    """`system` has one class for all that are alike, in the order of their first. The user's class
    c has the share `share[c]` of the arrivals of class `place[c]` of it."""

    system: System
    place: tuple[int, ...]
    share: tuple[float, ...]

    @classmethod
    def of(cls, system: System) -> Alike | None:
        """None if no two classes are alike."""
        groups: dict[Hashable, list[JobClass]] = {}
        kinds = [(job.use, getattr(job, job.use), job.duration) for job in system.classes]
        for kind, job in zip(kinds, system.classes, strict=True):
            groups.setdefault(kind, []).append(job)
        if len(groups) == len(kinds):
            return None
        sums = {k: min(math.fsum(job.probability for job in g), 1.0) for k, g in groups.items()}
        classes = [replace(jobs[0], probability=sums[kind]) for kind, jobs in groups.items()]
        place = {kind: i for i, kind in enumerate(groups)}
        return cls(
            replace(system, classes=tuple(classes)),
            tuple(place[kind] for kind in kinds),
            tuple(p / sums[kind] for kind, p in zip(kinds, system.probabilities, strict=True)),
        )

    def means(self, found: Means) -> Means:
        """The means by the user's classes."""
        jobs = found.class_jobs
        return replace(
            found,
            class_times=self._each(found.class_times),
            class_waits=self._each(found.class_waits),
            class_jobs=jobs
            and tuple(
                None if jobs[i] is None else jobs[i] * share
                for i, share in zip(self.place, self.share, strict=True)
            ),
        )

    def times(self, found: Times) -> Times:
        """The distributions of times by the user's classes."""
        return AlikeTimes(found, self.place)

    def _each(self, values: Sequence[Any] | None) -> tuple[Any, ...] | None:
        return None if values is None else tuple(values[i] for i in self.place)


@dataclass(frozen=True, eq=False)
class AlikeTimes:
    """`policies.policy.Times` of the user's classes, from `merged` ones."""

    merged: Times
    place: tuple[int, ...]

    @property
    def imprecision(self) -> float:
        return self.merged.imprecision

    @property
    def at_once(self) -> NDArray[np.float64]:
        return self.merged.at_once[[*self.place, -1]]

    def survival(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.merged.survival(times)[:, self._columns]

    def quantiles(
        self, levels: NDArray[np.float64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self.merged.quantiles(levels, self._columns[columns])

    def moments(self, k: int) -> NDArray[np.float64]:
        return self.merged.moments(k)[self._columns]

    @property
    def _columns(self) -> NDArray[np.int64]:
        kinds = len(self.merged.at_once) - 1
        waits = np.array([*self.place, kinds])
        return np.concatenate([waits, waits + kinds + 1])


def alike_as_one(*methods: Method) -> tuple[Method, ...]:
    """The methods, in which λ*, exact means and distributions of times are those of one class for
    all that are alike. Simulations, and the `basis` of a method, tell them apart."""
    return tuple(
        replace(
            method,
            conditions=tuple(Condition(c.text, _of_one(c.holds)) for c in method.conditions),
            answer=_ANSWERS[method.question](method.answer),
        )
        if method.question in _ANSWERS
        else method
        for method in methods
    )


def _of_one(holds: Callable[[System], bool]) -> Callable[[System], bool]:
    def of_one(system: System) -> bool:
        found = Alike.of(system)
        return holds(found.system if found else system)

    return of_one


def _limits(answer: Callable[..., Limit]) -> Callable[..., Limit]:
    def of_one(system: System, **arguments: Any) -> Limit:
        found = Alike.of(system)
        return answer(found.system if found else system, **arguments)

    return of_one


def _by_rate(expanded: Callable[[Alike, Any], Any]) -> Callable[..., Callable[..., Any]]:
    def wrapped(answer: Callable[..., Callable[[float], Any]]) -> Callable[..., Any]:
        def of_one(system: System, *budget: Any, **options: Any) -> Callable[[float], Any]:
            found = Alike.of(system)
            if found is None:
                return answer(system, *budget, **options)
            at = answer(found.system, *budget, **options)
            return lambda arrival_rate: expanded(found, at(arrival_rate))

        return of_one

    return wrapped


_ANSWERS = {
    "stability": _limits,
    "exact": _by_rate(Alike.means),
    "distribution": _by_rate(Alike.times),
}
