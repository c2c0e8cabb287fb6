"""The simulated times of all jobs and of each class, with a table of their quantiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from multiserver.errors import NotSampledError
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.sampled_times import SampledTime, SampledTimes
from multiserver.tables import SHOWN_QUANTILES, Table


@dataclass(frozen=True, eq=False, slots=True)
class SampledClass:
    """One class: its `waiting_time` W_c and its `response_time` T_c, simulated."""

    waiting_time: SampledTime
    response_time: SampledTime


@dataclass(frozen=True, eq=False, slots=True)
class SampledDistribution(Table):
    """Simulated `waiting_time` W and `response_time` T of all jobs, and `by_class`. A job waits
    while in the system and not in service. `print` and `to_frame` show quantiles."""

    waiting_time: SampledTime
    response_time: SampledTime
    by_class: tuple[SampledClass, ...]

    @classmethod
    def of(cls, times: SampledTimes) -> SampledDistribution:
        """The distributions of all times that were sampled."""
        groups = [
            tuple(times.of(c, waiting=waiting) for waiting in (True, False))
            for c in (None, *range(len(times.workload.needs)))
        ]
        classes = tuple(SampledClass(*pair) for pair in groups[1:])
        return cls(*groups[0], classes)

    def rows(self, probabilities: Sequence[float] = SHOWN_QUANTILES) -> list[dict[str, Any]]:
        """A row for each class with measured jobs, time and probability: the quantile `value` and
        its interval, which is NaN if it is not fair; `caveat` then says why."""
        found = []
        for label, name, p, quantile in self._quantiles(probabilities):
            row = {"class": label, "time": name, "quantity": "quantile", "probability": p}
            value, wide = quantile.mean, quantile.half_width
            # NaN is first in the maximum, and so stays.
            row |= {"value": value, "lower": max(value - wide, 0.0), "upper": value + wide}
            found.append(row | {"caveat": quantile.lacking})
        return found

    def title(self) -> str:
        """The numbers of measured jobs."""
        R, J = self.response_time.times.responses.shape
        return f"simulated quantiles of times, {R} replications of {J} jobs"

    def cells(self) -> list[list[str]]:
        """The quantiles as text, a line for each time and class."""
        lines: dict[str, list[str]] = {}
        for label, name, _, quantile in self._quantiles(SHOWN_QUANTILES):
            line = f"{name}, all" if label == "all" else f"{name}, class {label}"
            lines.setdefault(line, [line]).append(str(quantile))
        return [["", *(f"{100 * p:g} %" for p in SHOWN_QUANTILES)], *lines.values()]

    def notes(self) -> list[str]:
        """The reasons why quantiles have no interval, each once."""
        reasons = dict.fromkeys(found.lacking for *_, found in self._quantiles(SHOWN_QUANTILES))
        return [f"no interval: {reason}" for reason in reasons if reason]

    def _quantiles(self, of: Sequence[float]) -> Iterator[tuple[str | int, str, float, Estimate]]:
        shown = np.ravel(of).tolist()
        for label, group in (("all", self), *enumerate(self.by_class, start=1)):
            for name, time in (("waiting", group.waiting_time), ("response", group.response_time)):
                if name == "response" or time.times.services is not None:
                    with suppress(NotSampledError):
                        yield from [(label, name, p, time.quantile(p)) for p in shown]
