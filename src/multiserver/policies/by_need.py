"""Classes of one need as one class, for policies that look at needs alone.

Such a policy serves the jobs of one need in order of arrival. If their durations are exponential
with one mean, the classes of that need differ only in name: each has its share of the jobs present.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Exponential
from multiserver.system import JobClass, System


@dataclass(frozen=True, slots=True)
class ByNeed:
    """`system` has one class for each need, the smallest first, with the mean duration of its jobs.
    The user's class c has the share `share[c]` of the arrivals of class `place[c]` of it."""

    system: MultiserverJobSystem
    place: tuple[int, ...]
    share: tuple[float, ...]

    @classmethod
    def of(cls, system: System) -> ByNeed:
        needs = sorted(set(system.needs))
        place = tuple(map(needs.index, system.needs))
        groups = [[c for c in system.classes if c.servers == v] for v in needs]
        p = [min(math.fsum(c.probability for c in group), 1.0) for group in groups]
        rates = map(_rate, groups)
        merged = MultiserverJobSystem.of(system.servers, needs, rates, p)
        shares = (q / p[i] for i, q in zip(place, system.probabilities, strict=True))
        return cls(merged, place, tuple(shares))

    def means(
        self,
        user: System,
        arrival_rate: float,
        jobs: Sequence[float],
        waiting: Sequence[float],
    ) -> dict[str, Any]:
        """The fields of `Means` that follow, by Little's law, from E[N] and E[Q] of each class of
        `system`; `user` has the user's classes. All jobs of a need wait equally long."""
        class_jobs = [share * jobs[i] for i, share in zip(self.place, self.share, strict=True)]
        flows = [arrival_rate * p for p in user.probabilities]
        flows_by_need = [arrival_rate * p for p in self.system.probabilities]
        return {
            "jobs": math.fsum(class_jobs),
            "times": math.fsum(class_jobs) / arrival_rate,
            "waiting": math.fsum(waiting),
            "class_jobs": tuple(class_jobs),
            "class_times": tuple(n / flow for n, flow in zip(class_jobs, flows, strict=True)),
            "class_waits": tuple(waiting[i] / flows_by_need[i] for i in self.place),
        }


def _rate(group: Sequence[JobClass]) -> float:
    """1/E[X] of the jobs of several classes; the rate itself if it is the same for all."""
    durations = {c.duration for c in group}
    if len(durations) == 1 and isinstance(X := durations.pop(), Exponential):
        return X.rate
    p = math.fsum(c.probability for c in group)
    return p / math.fsum(c.probability * c.duration.mean for c in group)
