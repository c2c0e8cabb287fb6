"""Results for a queue, of one type whether exact, bounded or simulated.

An estimate whose interval is not fair is shown without it, with the reason, and with the number of
jobs that would be enough. `Result` is generic in the type of its values (`multiserver.values`).
`means` holds the quantities that the method computes; reading any other raises `NotKnownError`.
Times are in the unit of time of the system, rates in jobs per unit of time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, Literal

from multiserver.errors import NotKnownError
from multiserver.policies.policy import MOST_JOBS, Value
from multiserver.simulation.estimate import Estimate
from multiserver.tables import Table
from multiserver.values import lacking, shown, spread

if TYPE_CHECKING:
    # The default makes a bare `Result` hold any value; `typing` lacks defaults in Python 3.11.
    from typing_extensions import TypeVar

    from multiserver.sampled_distribution import SampledDistribution

    V = TypeVar("V", bound=Value, covariant=True, default=Value)
else:
    from typing import TypeVar

    V = TypeVar("V", bound=Value, covariant=True)

Kind = Literal["exact", "fitted", "bounds", "simulated"]

QUANTITIES = {
    "mean_jobs": "E[N]",
    "mean_waiting": "E[Q]",
    "mean_response_time": "E[T]",
    "mean_waiting_time": "E[W]",
    "busy_servers": "E[busy]",
    "idle_servers": "E[idle]",
}
UNITS = dict(zip(QUANTITIES, ("jobs", "jobs", "time", "time", "servers", "servers"), strict=True))
# The most classes that are columns of a printed table, as more are its lines, and the most notes.
MOST_COLUMNS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassResult(Generic[V]):
    """One class: E[N_c] `mean_jobs`, E[T_c] `mean_response_time`, E[W_c] `mean_waiting_time`.

    `means` maps names to the values that the method computes; others raise `NotKnownError`.
    """

    means: Mapping[str, V]

    @property
    def mean_jobs(self) -> V:
        """E[N_c], jobs in the system."""
        return _require_mean(self.means, "mean_jobs")

    @property
    def mean_response_time(self) -> V:
        """E[T_c], from arrival to departure."""
        return _require_mean(self.means, "mean_response_time")

    @property
    def mean_waiting_time(self) -> V:
        """E[W_c], in the system and not in service."""
        return _require_mean(self.means, "mean_waiting_time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Table, Generic[V]):
    """A queue at one arrival rate λ, of load ρ; `limit` is λ*, None if it is not known.

    `mean_jobs` is E[N], the jobs in the system, and `mean_waiting` E[Q], those not in service;
    `mean_response_time` is E[T], from arrival to departure, and `mean_waiting_time` E[W], the part
    not in service; `busy_servers` and `idle_servers` are the mean speed at work and idle, in
    servers of speed 1. `means` maps these names to the values that the method computes; others
    raise `NotKnownError`. `by_class` follows the order of the system's classes. `tail(k)` is
    P(N > k). `jobs` counts simulated jobs, warm-up included; `counts` is the simulator's own data.
    """

    kind: Kind
    model: str
    policy: str
    method: str
    source: str
    arrival_rate: float | None
    load: float | None
    limit: float | None
    means: Mapping[str, V]
    by_class: tuple[ClassResult[V], ...]
    jobs: int | None = None
    counts: Any = field(default=None, repr=False, compare=False)
    _times: Any = field(default=None, repr=False, compare=False)
    _longer: Callable[[], float | None] | None = field(default=None, repr=False, compare=False)
    _tail: Callable[[int], V] | None = field(default=None, repr=False, compare=False)

    @property
    def mean_jobs(self) -> V:
        """E[N], jobs in the system."""
        return _require_mean(self.means, "mean_jobs")

    @property
    def mean_waiting(self) -> V:
        """E[Q], jobs in the system that are not in service."""
        return _require_mean(self.means, "mean_waiting")

    @property
    def mean_response_time(self) -> V:
        """E[T], from arrival to departure."""
        return _require_mean(self.means, "mean_response_time")

    @property
    def mean_waiting_time(self) -> V:
        """E[W], in the system and not in service."""
        return _require_mean(self.means, "mean_waiting_time")

    @property
    def busy_servers(self) -> V:
        """Servers at work on average, or their speed."""
        return _require_mean(self.means, "busy_servers")

    @property
    def idle_servers(self) -> V:
        """Servers not at work on average, or their speed."""
        return _require_mean(self.means, "idle_servers")

    @property
    def distribution(self) -> SampledDistribution:
        """Simulated waiting and response times. Raises `NotKnownError` unless they were kept."""
        from multiserver.sampled_distribution import SampledDistribution

        if self._times is None:
            raise NotKnownError(
                f"the times of jobs were not kept by the method {self.method!r} of {self.policy}:"
                " ask simulate(times=True), or queue.distribution() where it is known"
            )
        return SampledDistribution.of(self._times)

    @property
    def enough_jobs(self) -> int | None:
        """About how many `jobs` would give all these means intervals, to two digits, as far as is
        known beforehand (`multiserver.longer_runs`). None if these are enough, if more than a
        million times as many are not, and for what was not simulated."""
        factor = self._longer() if self._longer else None
        if factor is None or self.jobs is None:
            return None
        enough = math.ceil(factor * self.jobs)
        unit = 10 ** max(len(str(enough)) - 2, 0)
        return -(-enough // unit) * unit

    def tail(self, k: int) -> V:
        """P(N > k), k an integer (else `ValueError`). Raises `NotKnownError` or `TooLargeError`."""
        if self._tail is None:
            message = f"P(N > k) is not known by the method {self.method!r} of {self.policy}"
            raise NotKnownError(f"{message}; simulate(times=True) has it, for most policies")
        if isinstance(k, bool) or not isinstance(k, Integral):
            raise ValueError(f"k must be an integer, found {k!r}")
        if self.kind == "simulated":
            return self._tail(int(k))
        # A sum of probabilities may round to more than 1.
        return 1.0 if k < 0 else min(self._tail(min(int(k), MOST_JOBS)), 1.0)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each quantity and class, as plain values.

        `class` is "all" or the number of a class, from 1; `unit` is jobs, servers, or time, in the
        unit of the system; `value` is NaN for bounds. Where an estimate has no fair interval
        `lower` and `upper` are NaN, and `caveat` says why.
        """
        same = {name: getattr(self, name) for name in ("model", "policy", "kind", "method")}
        same |= {name: getattr(self, name) for name in ("arrival_rate", "load", "limit")}
        found = []
        for label, means in self._groups():
            for name, value in means.items():
                number, lower, upper = spread(value)
                row = {**same, "class": label, "quantity": name, "unit": UNITS[name]}
                row |= {"value": number, "lower": lower, "upper": upper, "caveat": lacking(value)}
                found.append(row)
        return found

    def cells(self) -> list[list[str]]:
        """The table as text: a line for each quantity, a column for each class; of more than
        `MOST_COLUMNS` classes, a line for each class."""
        groups = self._groups()
        if len(groups) == 2 or not any(c.means for c in self.by_class):
            groups = groups[:1]
        head = [str(label) if label == "all" else f"class {label}" for label, _ in groups]
        rows = [["", *head]]
        for name, symbol in QUANTITIES.items():
            values = [means.get(name) for _, means in groups]
            if any(v is not None for v in values):
                rows.append([symbol, *map(shown, values)])
        return rows if len(head) <= 1 + MOST_COLUMNS else [*map(list, zip(*rows, strict=True))]

    def title(self) -> str:
        """The queue, the kind of result, its method and source, and the operating point."""
        point = [
            f"{symbol} = {value:.6g}"
            for symbol, value in (("λ", self.arrival_rate), ("ρ", self.load), ("λ*", self.limit))
            if value is not None
        ]
        head = f"{self.model} under {self.policy}, {self.kind}: {self.method} ({self.source})"
        return "\n".join(filter(None, [head, ",  ".join(point)]))

    def notes(self) -> list[str]:
        """The reasons why values have no interval, and how many jobs would be enough."""
        return [*self.reasons(), *enough_for_intervals([self])]

    def reasons(self) -> list[str]:
        """The reasons why values have no interval, each once, and at most `MOST_COLUMNS`."""
        values = (value for _, means in self._groups() for value in means.values())
        notes = [f"no interval: {r}" for r in dict.fromkeys(filter(None, map(lacking, values)))]
        more = len(notes) - MOST_COLUMNS
        last = [f"no interval: {more} more reasons, in rows()"] if more > 0 else []
        return notes[:MOST_COLUMNS] + last

    def _groups(self) -> list[tuple[str | int, Mapping[str, V]]]:
        return [("all", self.means), *((c, one.means) for c, one in enumerate(self.by_class, 1))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability(Table):
    """The queue is stable for λ < `limit` = λ* (jobs per unit of time), that is ρ < `load_limit`.

    No policy is stable for λ ≥ `highest`, so λ* ≤ `highest`. If λ* is not known, `limit` is None
    and the queue may be unstable below `highest`.

    At λ*, `wastage` servers are idle on average while jobs wait, and a share `utilisation` of the
    capacity is at work. `relative_completions` is E[Δ(Y_d)], with E[Q (1 − λ/λ*)] → E[Δ(Y_d)] + 1
    as λ → λ*. Each is None if the method does not give it. `estimate` is λ* if it was simulated.
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

    def title(self) -> str:
        """The queue, and how λ* was found."""
        return f"{self.model} under {self.policy}, stability: {self.method} ({self.source})"

    def cells(self) -> list[list[str]]:
        """Two rows of text: the symbols of the known numbers, and the numbers."""
        values = {
            "λ*": self.limit,
            "ρ*": self.load_limit,
            "wastage": self.wastage,
            "utilisation": self.utilisation,
            "E[Δ]": self.relative_completions,
            "λ* ≤": self.highest if self.limit is None else None,
        }
        known = {name: f"{value:.6g}" for name, value in values.items() if value is not None}
        return [list(known), list(known.values())]

    def __str__(self) -> str:
        pairs = zip(*self.cells(), strict=True)
        values = ",  ".join(f"{name} = {value}".replace("≤ =", "≤") for name, value in pairs)
        if self.estimate is not None:
            values += f"  (λ* = {shown(self.estimate)} at 95 %)"
            if lacking(self.estimate):
                values += f"\nno interval: {lacking(self.estimate)}"
        return f"{self.title()}\n{values}"


def enough_for_intervals(results: Iterable[Result[Any]]) -> list[str]:
    """How many jobs would give all of them their intervals, in words; empty if that is not known,
    or if these were enough."""
    enough = max((found.enough_jobs or 0 for found in results), default=0)
    return [f"about {enough:,} jobs would be enough, as far as is known beforehand"][: bool(enough)]


def _require_mean(means: Mapping[str, V], name: str) -> V:
    """One of the means. Raises `NotKnownError` if the method does not compute it."""
    if name not in means:
        known = ", ".join(QUANTITIES[other] for other in means)
        nothing = "nor anything else of this class: a simulation must have measured jobs of it"
        known = f"but {known}" if known else nothing
        raise NotKnownError(f"this method does not compute {QUANTITIES[name]}, {known}")
    return means[name]
