"""Compare routes to one number by time and memory."""

from __future__ import annotations

import math
import timeit
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass

REPEATS = 5
# A route that takes longer than this is run once.
PATIENCE = 1.0


@dataclass(frozen=True)
class Route:
    """A way to a number, the number of jobs to divide its time by, and whether to measure memory.

    Memory is the peak of what Python and NumPy allocate, measured in a separate call.
    """

    run: Callable[[], float]
    jobs: int = 1
    traced: bool = False

    def first(self) -> tuple[float, float]:
        """The number, and the time of the first call in seconds."""
        started = timeit.default_timer()
        return self.run(), timeit.default_timer() - started

    def best(self) -> float:
        """The best time of a few calls, in seconds per job."""
        once = timeit.timeit(self.run, number=1)
        rest = [] if once > PATIENCE else timeit.repeat(self.run, number=1, repeat=REPEATS)
        return min([once, *rest]) / self.jobs

    def memory(self) -> float:
        """The peak memory in MiB; NaN unless it is measured."""
        if not self.traced:
            return math.nan
        tracemalloc.start()
        self.run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20


Routes = Mapping[str, Callable[[], float] | Route]


def compare(
    block: str, routes: Routes, targets: Mapping[tuple[str, str], float]
) -> list[tuple[str | float, ...]]:
    """One row per route: its times, its time and value relative to those of the last route, and the
    time that `targets` requires by block and route."""
    ways = {name: r if isinstance(r, Route) else Route(r) for name, r in routes.items()}
    firsts = {name: way.first() for name, way in ways.items()}
    times = {name: way.best() for name, way in ways.items()}
    *_, last = ways
    exact = firsts[last][0]
    return [
        (
            *(block, name, first, times[name], times[name] / times[last]),
            *(abs(value / exact - 1), ways[name].memory(), targets.get((block, name), math.nan)),
        )
        for name, (value, first) in firsts.items()
    ]
