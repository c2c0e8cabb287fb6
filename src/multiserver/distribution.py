"""The distributions of waiting and response times, by class and for all jobs.

P(time > t) is computed to a relative precision, so that small probabilities are right too;
P(time ≤ t) is 1 minus that. Times are in the unit of time of the system.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.checks import LARGEST_FACTORIAL, as_float, require_integer
from multiserver.errors import NotKnownError, TooLargeError
from multiserver.limits import Limits
from multiserver.method_selection import Methods
from multiserver.policies.policy import PRECISE, Method, Times
from multiserver.tables import SHOWN_QUANTILES, Table


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    """The values as floats; NaN if they are not numbers."""
    try:
        found = np.asarray(values)
    except ValueError:
        return np.array(math.nan)
    if found.dtype.kind in "iuf":
        return found.astype(float)
    # Fractions, decimals and large integers are objects here.
    each = [as_float(value) for value in found.ravel().tolist()]
    return np.array(each, dtype=float).reshape(found.shape)


@dataclass(frozen=True, slots=True)
class TimeDistribution:
    """One time W (waiting) or T (response): column `column` of the `times` of a queue."""

    times: Times = field(repr=False)
    column: int

    def sf(self, t: ArrayLike) -> float | NDArray[np.float64]:
        """P(time > t), of the shape of `t` (units of time): 1 for t < 0, and 0 where it falls
        below 1e-250."""
        points = _numbers(t)
        if np.isnan(points).any():
            raise ValueError(f"times must be numbers, found {t!r}")
        found = np.ones(points.size)
        flat = points.ravel()
        finite = (flat >= 0) & (flat < np.inf)
        found[flat == np.inf] = 0.0
        if finite.any():
            found[finite] = self.times.survival(flat[finite])[:, self.column]
        found = np.minimum(found, 1.0).reshape(points.shape)
        return float(found) if points.ndim == 0 else found

    def cdf(self, t: ArrayLike) -> float | NDArray[np.float64]:
        """P(time ≤ t), of the shape of `t` (units of time)."""
        return 1 - self.sf(t)

    def quantile(self, probability: ArrayLike) -> float | NDArray[np.float64]:
        """The least t with P(time ≤ t) ≥ p (units of time), of the shape of `probability` p: 0 up
        to P(time = 0). Raises `ValueError` unless 0 ≤ p < 1."""
        points = _numbers(probability)
        if not ((points >= 0) & (points < 1)).all():
            raise ValueError(f"a probability must lie in [0, 1), found {probability!r}")
        if not points.size:
            return points
        levels = 1 - points.ravel()
        columns = np.full(levels.size, self.column)
        found = self.times.quantiles(levels, columns).reshape(points.shape)
        found = np.where(points <= self.at_zero, 0.0, found)
        return float(found) if points.ndim == 0 else found

    def moment(self, k: int) -> float:
        """E[time^k] (units of time^k), k ≥ 1. Raises `ValueError` unless k is such an integer, and
        `TooLargeError` if the moment, or k!, is larger than any float."""
        k = require_integer("k", k)
        found = math.inf
        # Every method multiplies by k!, after k steps.
        if k <= LARGEST_FACTORIAL:
            with contextlib.suppress(OverflowError), np.errstate(over="ignore", invalid="ignore"):
                found = float(self.times.moments(k)[self.column])
        if not math.isfinite(found):
            raise TooLargeError(f"E[time^{k}], or {k}!, is larger than any float")
        return found

    @property
    def mean(self) -> float:
        """E[time]."""
        return self.moment(1)

    @property
    def at_zero(self) -> float:
        """P(time = 0): the probability of no wait for a waiting time, 0 for a response time."""
        waits = self.times.at_once
        return float(waits[self.column]) if self.column < len(waits) else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDistribution:
    """One class: its `waiting_time` W_c and its `response_time` T_c."""

    waiting_time: TimeDistribution
    response_time: TimeDistribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution(Table):
    """A queue at one arrival rate λ, of load ρ. `waiting_time` W, from arrival to start, and
    `response_time` T, from arrival to departure, are for all jobs; `by_class` has them in the order
    of the system's classes. `imprecision` is the method's own estimate of its relative error,
    within a factor of about ten; that of P(time > t) is up to −ln P(time > t) times as large, as
    that of its rate of decay. `limit` is λ*, None if it is not known.

    >>> import multiserver as ms
    >>> system = ms.System(servers=1, classes=[ms.JobClass(duration=ms.Exponential(rate=1.0))])
    >>> found = system.under(ms.FCFS).distribution(load=0.5)
    >>> round(found.response_time.quantile(0.95), 9), round(found.waiting_time.at_zero, 9)
    (5.991464547, 0.5)
    """

    model: str
    policy: str
    method: str
    source: str
    arrival_rate: float
    load: float
    limit: float | None
    imprecision: float
    waiting_time: TimeDistribution
    response_time: TimeDistribution
    by_class: tuple[ClassDistribution, ...]

    def rows(self, probabilities: Sequence[float] = SHOWN_QUANTILES) -> list[dict[str, Any]]:
        """A row for each class, time and quantity, as plain values.

        `class` is "all" or the number of a class, from 1; `time` is "waiting" or "response"; the
        quantities are the mean, the probability of 0 (`at_zero`) and a `quantile` for each of the
        `probabilities`, NaN otherwise.
        """
        names = ("model", "policy", "method", "arrival_rate", "load", "limit")
        same = {name: getattr(self, name) for name in names}
        found, shown = [], np.atleast_1d(probabilities)
        for label, time, distribution in self._distributions():
            values = [
                ("mean", math.nan, distribution.mean),
                ("at_zero", math.nan, distribution.at_zero),
            ]
            pairs = zip(shown.tolist(), distribution.quantile(shown).tolist(), strict=True)
            values += [("quantile", p, t) for p, t in pairs]
            for quantity, p, value in values:
                place = {"class": label, "time": time, "quantity": quantity}
                found.append({**same, **place, "probability": p, "value": value})
        return found

    def title(self) -> str:
        """The queue, and how it was solved."""
        limit = "" if self.limit is None else f",  λ* = {self.limit:.6g}"
        return (
            f"{self.model} under {self.policy}, distribution: {self.method} ({self.source})\n"
            f"λ = {self.arrival_rate:.6g},  ρ = {self.load:.6g}{limit}"
        )

    def cells(self) -> list[list[str]]:
        """Means, probabilities of no wait and quantiles."""
        table = [["", "mean", "P(0)", *(f"{100 * p:g} %" for p in SHOWN_QUANTILES)]]
        for label, time, distribution in self._distributions():
            name = f"{time}, all" if label == "all" else f"{time}, class {label}"
            values = [
                distribution.mean,
                distribution.at_zero,
                *distribution.quantile(np.array(SHOWN_QUANTILES)).tolist(),
            ]
            table.append([name, *(f"{value:.6g}" for value in values)])
        return table

    def _distributions(self) -> Iterator[tuple[str | int, str, TimeDistribution]]:
        groups = [("all", self), *enumerate(self.by_class, start=1)]
        # With one class, its rows would repeat those of all jobs.
        for label, group in groups if len(self.by_class) > 1 else groups[:1]:
            yield label, "waiting", group.waiting_time
            yield label, "response", group.response_time


class Distributions:
    """The distributions of one queue, by the first of its `methods` that succeeds; each method is
    prepared once."""

    def __init__(self, methods: Methods, limits: Limits) -> None:
        self._methods, self._limits = methods, limits
        self._prepared: dict[str, Callable[[float], Times]] = {}

    def at(self, rate: float) -> Distribution:
        """The distributions at λ = `rate`. Raises `NotKnownError` if no method succeeds."""
        refused: list[ValueError] = []
        for method in self._methods.applying("distribution"):
            try:
                return self._result(method, rate, self._answer(method)(rate))
            except (NotKnownError, TooLargeError) as error:
                refused.append(error)
        if isinstance(refused[0], TooLargeError):
            raise self._methods.too_large("distribution", refused[0]) from refused[0]
        raise refused[0]

    def _result(self, method: Method, rate: float, times: Times) -> Distribution:
        C = len(times.at_once) - 1
        waits, responses = (
            [TimeDistribution(times, first + c) for c in range(C + 1)] for first in (0, C + 1)
        )
        pairs = zip(waits[:C], responses[:C], strict=True)
        system = self._methods.system
        imprecision = max(times.imprecision, self._limits.rounding(rate))
        rough = imprecision > PRECISE
        return Distribution(
            model=system.model,
            policy=repr(self._methods.policy),
            method=method.name + f", good to about {imprecision:.0e}" * rough,
            source=method.source,
            arrival_rate=rate,
            load=system.load(rate),
            limit=self._limits.known,
            imprecision=imprecision,
            waiting_time=waits[C],
            response_time=responses[C],
            by_class=tuple(ClassDistribution(waiting_time=w, response_time=t) for w, t in pairs),
        )

    def _answer(self, method: Method) -> Callable[[float], Times]:
        if method.name not in self._prepared:
            answer = method.answer(self._methods.system, **self._methods.policy.options)
            self._prepared[method.name] = answer
        return self._prepared[method.name]
