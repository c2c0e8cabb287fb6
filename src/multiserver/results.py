"""What is found of a queue, in one shape whether it is exact, bounded or simulated.

A value is a plain number if exact, an `Interval` (`lower`, `upper`) if bounded, and an `Estimate`
(`mean`, `half_width`, `standard_error`, …) if simulated, which is shown without an interval, and
with the reason, where its interval is not fair; None is what the method does not tell.
Times are in the unit of time of the system, rates in jobs per unit of time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from multiserver.errors import NotKnownError
from multiserver.policies.policy import Value
from multiserver.simulation.estimate import Estimate, fair_half_width
from multiserver.tables import aligned
from multiserver.wcfs.bounds import Interval

Kind = Literal["exact", "bounds", "simulated"]

QUANTITIES = {
    "mean_jobs": "E[N]",
    "mean_waiting": "E[Q]",
    "mean_response_time": "E[T]",
    "mean_waiting_time": "E[W]",
    "busy_servers": "E[busy]",
    "idle_servers": "E[idle]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassResult:
    """One class: E[N_c] `mean_jobs`, E[T_c] `mean_response_time`, E[W_c] `mean_waiting_time`."""

    mean_jobs: Value | None
    mean_response_time: Value | None
    mean_waiting_time: Value | None


NOTHING = ClassResult(mean_jobs=None, mean_response_time=None, mean_waiting_time=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A queue at one arrival rate λ, of load ρ; `limit` is λ*, None if it is not known.

    `mean_jobs` E[N] in the system and `mean_waiting` E[Q] of them not in service, in jobs;
    `mean_response_time` E[T] from arrival to departure and `mean_waiting_time` E[W] of it not in
    service; `busy_servers` and `idle_servers`, the mean speed at work and not, in servers of
    speed 1. `by_class` has the order in which the system was given its classes. `tail(k)` is
    P(N > k). `counts` is what a simulator counted, replication by replication, in the engine's own
    terms.
    """

    kind: Kind
    model: str
    policy: str
    method: str
    source: str
    arrival_rate: float | None
    load: float | None
    limit: float | None
    mean_jobs: Value | None
    mean_waiting: Value | None
    mean_response_time: Value | None
    mean_waiting_time: Value | None
    busy_servers: Value | None
    idle_servers: Value | None
    by_class: tuple[ClassResult, ...]
    counts: Any = field(default=None, repr=False, compare=False)
    _tail: Callable[[int], Value] | None = field(default=None, repr=False, compare=False)

    def tail(self, k: int) -> Value:
        """P(N > k). Raises `NotKnownError` where the method does not tell."""
        if self._tail is None:
            raise NotKnownError(
                f"P(N > k) is not known by the method {self.method!r} of {self.policy}"
            )
        return self._tail(k)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each quantity and class, as plain values: `pandas.DataFrame(result.rows())`.

        `class` is "all" or the number of a class, from 1; `value` is NaN for bounds. Where an
        estimate has no fair interval `lower` and `upper` are NaN, and `caveat` says why.
        """
        same = {name: getattr(self, name) for name in ("model", "policy", "kind", "method")}
        same |= {name: getattr(self, name) for name in ("arrival_rate", "load", "limit")}
        groups: list[tuple[str | int, Result | ClassResult]] = [("all", self)]
        groups += list(enumerate(self.by_class, start=1))
        found = []
        for label, group in groups:
            for name in QUANTITIES:
                value = getattr(group, name, None)
                if value is not None:
                    number, lower, upper = spread(value)
                    found.append(
                        {
                            **same,
                            "class": label,
                            "quantity": name,
                            "value": number,
                            "lower": lower,
                            "upper": upper,
                            "caveat": lacking(value),
                        }
                    )
        return found

    def __str__(self) -> str:
        point = [
            f"{symbol} = {value:.6g}"
            for symbol, value in (("λ", self.arrival_rate), ("ρ", self.load), ("λ*", self.limit))
            if value is not None
        ]
        head = f"{self.model} under {self.policy}, {self.kind}: {self.method} ({self.source})"
        told = any(c != NOTHING for c in self.by_class)
        classes = range(1, len(self.by_class) + 1) if told and len(self.by_class) > 1 else ()
        rows = [["", "all", *(f"class {c}" for c in classes)]]
        for name, symbol in QUANTITIES.items():
            values = [getattr(self, name)]
            values += [getattr(self.by_class[c - 1], name, None) for c in classes]
            if any(v is not None for v in values):
                rows.append([symbol, *map(shown, values)])
        notes = dict.fromkeys(filter(None, map(lacking, self._values())))
        notes = [f"no interval: {note}" for note in notes]
        return "\n".join(filter(None, [head, ",  ".join(point), aligned(rows), *notes]))

    def _values(self) -> Iterator[Value | None]:
        for group in (self, *self.by_class):
            for name in QUANTITIES:
                yield getattr(group, name, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """The queue is stable for λ < `limit` = λ* (jobs per unit of time), that is ρ < `load_limit`.

    No policy is stable from λ = `highest` on, which λ* does not exceed; where λ* is not known, and
    `limit` None, the queue may be unstable below it.

    At λ* `wastage` servers are idle on average while jobs wait, and the share `utilisation` of the
    capacity is at work; `relative_completions` is E[Δ(Y_d)], with E[Q (1 − λ/λ*)] → E[Δ(Y_d)] + 1
    as λ → λ*. None where the method does not tell. If λ* was simulated `estimate` is its interval.
    """

    model: str
    policy: str
    method: str
    source: str
    limit: float | None
    load_limit: float | None
    wastage: float | None
    utilisation: float | None
    relative_completions: float | None
    estimate: Estimate | None = None
    highest: float = math.nan

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values; `lower` and `upper` are the ends of the interval of λ*."""
        row = {name: getattr(self, name) for name in self.__dataclass_fields__}
        value = row.pop("estimate") or (math.nan if self.limit is None else self.limit)
        _, lower, upper = spread(value)
        return [row | {"lower": lower, "upper": upper, "caveat": lacking(value)}]

    def __str__(self) -> str:
        said = (
            ("λ*", self.limit),
            ("ρ*", self.load_limit),
            ("wastage", self.wastage),
            ("utilisation", self.utilisation),
            ("E[Δ]", self.relative_completions),
            ("λ* ≤", self.highest if self.limit is None else None),
        )
        values = ",  ".join(
            f"{name} = {value:.6g}".replace("≤ =", "≤") for name, value in said if value is not None
        )
        if self.estimate is not None:
            values += f"  (λ* = {shown(self.estimate)} at 95 %)"
            if lacking(self.estimate):
                values += f"\nno interval: {lacking(self.estimate)}"
        head = f"{self.model} under {self.policy}, stability: {self.method} ({self.source})"
        return f"{head}\n{values}"


def spread(value: Value) -> tuple[float, float, float]:
    """Value, lower and upper end: equal if exact, NaN in the middle of bounds and at the ends of an
    interval that is not fair."""
    if isinstance(value, Interval):
        return math.nan, value.lower, value.upper
    if isinstance(value, Estimate):
        half_width = fair_half_width(value)
        return value.mean, value.mean - half_width, value.mean + half_width
    return value, value, value


def lacking(value: Value | None) -> str:
    """Why an estimate has no fair interval; empty for all else."""
    return value.lacking if isinstance(value, Estimate) else ""


def shown(value: Value | None) -> str:
    """A value for a table."""
    if value is None:
        return "—"
    if isinstance(value, Interval):
        return f"[{value.lower:.5g}, {value.upper:.5g}]"
    if isinstance(value, Estimate):
        if value.lacking:
            return f"{value.mean:.5g} (no interval)"
        return f"{value.mean:.5g} ± {value.half_width:.2g}"
    return f"{value:.6g}"


def changed(value: Value | None, factor: float = 1.0, shift: float = 0.0) -> Value | None:
    """factor · value + shift, for a factor that is not 0; a negative one turns bounds round."""
    if value is None:
        return None
    if isinstance(value, Interval):
        ends = sorted(factor * end + shift for end in value)
        return Interval(*ends)
    if isinstance(value, Estimate):
        return replace(
            value,
            mean=factor * value.mean + shift,
            half_width=abs(factor) * value.half_width,
            standard_error=abs(factor) * value.standard_error,
        )
    return factor * value + shift
