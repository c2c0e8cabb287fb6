"""Routes to one number, by the time and the memory that they take."""

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
    """A way to a number, by how many jobs its time is to be divided, and whether its memory counts.

    Memory is the peak of what Python and NumPy hold at once, told by a call of its own.
    """

    run: Callable[[], float]
    jobs: int = 1
    traced: bool = False

    def first(self) -> tuple[float, float]:
        """The number, and the time of the first call in seconds."""
        started = timeit.default_timer()
        return self.run(), timeit.default_timer() - started

    def best(self) -> float:
        """The best time of a few calls, in seconds a job."""
        once = timeit.timeit(self.run, number=1)
        rest = [] if once > PATIENCE else timeit.repeat(self.run, number=1, repeat=REPEATS)
        return min([once, *rest]) / self.jobs

    def memory(self) -> float:
        """The peak of memory in MiB, NaN unless it counts."""
        if not self.traced:
            return math.nan
        tracemalloc.start()
        self.run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20


Routes = Mapping[str, Callable[[], float] | Route]


def compare(
    block: str, routes: Routes, asked: Mapping[tuple[str, str], float]
) -> list[tuple[str | float, ...]]:
    """A row a route: its times, how time and value stand to the last one's, and the time
    that was asked for, by block and route."""
    ways = {name: r if isinstance(r, Route) else Route(r) for name, r in routes.items()}
    firsts = {name: way.first() for name, way in ways.items()}
    times = {name: way.best() for name, way in ways.items()}
    *_, last = ways
    exact = firsts[last][0]
    return [
        (
            *(block, name, first, times[name], times[name] / times[last]),
            *(abs(value / exact - 1), ways[name].memory(), asked.get((block, name), math.nan)),
        )
        for name, (value, first) in firsts.items()
    ]
