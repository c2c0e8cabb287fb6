"""Jobs with a given log-log correlation of need and duration, as a substitute for a log.

A need V = v has probability p_v; with Z = (ln V − E[ln V])/sd(ln V) and X an independent standard
normal,

    ln T = ln median + s (r Z + √(1 − r²) X).

Then r is Pearson's correlation of ln V and ln T, and s is the standard deviation of ln T. A job
with Z = z lasts median · exp(s r z + s² (1 − r²)/2) on average. (If all jobs have one need, Z = 0.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.streams import generator

Vector = NDArray[np.float64]

# Jobs per stream, so that a longer run begins with the jobs of a shorter one.
JOBS_PER_STREAM = 2**16


@dataclass(frozen=True, slots=True)
class CorrelatedJobs:
    """The distribution: `needs` and `probabilities` (C,), `median` in units of time, `spread` s,
    `correlation` r in [−1, 1]."""

    needs: tuple[float, ...]
    probabilities: tuple[float, ...]
    median: float
    spread: float
    correlation: float

    @property
    def medians(self) -> Vector:
        """The median duration of each need, (C,)."""
        p = np.array(self.probabilities, dtype=float)
        x = np.log(np.array(self.needs, dtype=float))
        mean = p @ x
        deviation = math.sqrt(p @ (x - mean) ** 2)
        # Of equal logarithms the mean may differ from them by rounding.
        z = (x - mean) / deviation if np.ptp(x[p > 0]) > 0 else np.zeros(len(x))
        return self.median * np.exp(self.spread * self.correlation * z)

    @property
    def means(self) -> Vector:
        """The mean duration of each need, (C,)."""
        r, s = self.correlation, self.spread
        return self.medians * math.exp(s**2 * (1 - r**2) / 2)

    def draw(
        self, jobs: int, seed: int, progress: Callable[[Iterable], Iterable] = iter
    ) -> Iterator[tuple[Vector, Vector]]:
        """Needs and durations of `jobs` independent jobs, at most `JOBS_PER_STREAM` at a time;
        `progress` wraps the pieces."""
        needs, medians = np.array(self.needs, dtype=float), self.medians
        cumulated = np.cumsum(np.array(self.probabilities, dtype=float))
        noise = self.spread * math.sqrt(1 - self.correlation**2)
        for i in progress(range(-(-jobs // JOBS_PER_STREAM))):
            rng = generator(seed, i)
            uniform, normal = rng.random(JOBS_PER_STREAM), rng.standard_normal(JOBS_PER_STREAM)
            # The last cumulated probability may be below 1 by rounding.
            c = np.searchsorted(cumulated[:-1], uniform, side="right")
            durations = medians[c] * np.exp(noise * normal)
            count = min(JOBS_PER_STREAM, jobs - i * JOBS_PER_STREAM)
            yield needs[c][:count], durations[:count]
