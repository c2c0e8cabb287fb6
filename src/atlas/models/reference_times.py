"""Times of a reference system, computed in two ways: P(W = 0) and quantiles, by class.

Values are keyed by (quantity, class, k) as in `reference_values`; k is None. The name of a quantity
says which percentile it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from atlas.enumeration.route import take_times
from multiserver.distribution import Distribution
from multiserver.errors import NotKnownError
from multiserver.queue import Queue

Key = tuple[str, str, int | None]
Values = dict[Key, Any]
NO_WAIT = "no_wait"
PROBABILITIES = {"median": 0.5, "p95": 0.95, "p99": 0.99}
# With a smaller probability of a wait, cancellation in 1 − p spoils percentiles of the waits.
SOME = 1e-6
AMONG_WAITING = "of those jobs alone that wait"


def distribution_of(queue: Queue, rate: float | None) -> Distribution | None:
    """The library's exact distribution; None if not known."""
    try:
        return queue.distribution(arrival_rate=rate)
    except NotKnownError:
        return None


def tabulate_times(found: Distribution) -> Values:
    """P(W = 0), and quantiles of W and T."""
    values: Values = {}
    for name, group in groups(found):
        values[NO_WAIT, name, None] = group.waiting_time.at_zero
        for word, p in PROBABILITIES.items():
            values[f"{word}_waiting_time", name, None] = group.waiting_time.quantile(p)
            values[f"{word}_response_time", name, None] = group.response_time.quantile(p)
    return values


def second_times(block: Mapping[str, Any], rate: float, classes: int) -> tuple[Values, str]:
    """The same by enumeration, and the name of that route. Raises `Unknown`."""
    times, route = take_times(block, rate, 1 - max(PROBABILITIES.values()))
    values: Values = {}
    for column in range(classes + 1) if classes > 1 else (classes,):
        name = "all" if column == classes else str(column + 1)
        values[NO_WAIT, name, None] = float(times.no_wait[column])
        for word, p in PROBABILITIES.items():
            for time in ("waiting", "response"):
                value = times.quantile(p, column, waiting=time == "waiting")
                values[f"{word}_{time}_time", name, None] = value
    return values, route


def among_waiting(found: Distribution) -> Values:
    """Means and quantiles of the waits that are not 0: P(W ≤ t | W > 0) = p."""
    values: Values = {}
    for name, group in groups(found):
        waiting = group.waiting_time
        some = waiting.sf(0.0)
        if some < SOME:
            continue
        values["mean_waiting_time", name, None] = waiting.mean / some
        for word, p in PROBABILITIES.items():
            value = waiting.quantile(1 - (1 - p) * some)
            values[f"{word}_waiting_time", name, None] = value
    return values


def groups(found: Any) -> Iterator[tuple[str, Any]]:
    """All jobs of a result or a distribution, and its classes if there are several."""
    yield "all", found
    if len(found.by_class) > 1:
        yield from ((str(c), one) for c, one in enumerate(found.by_class, start=1))
