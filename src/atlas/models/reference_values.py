"""Values of a reference system: by the library, by the second route, under other definitions.

Values are keyed by (quantity, class, k): the class is "all" or its number from 1, and k is that of
the tail P(N > k), otherwise None.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any

from atlas.enumeration.fronts import Means
from atlas.enumeration.limits import Unknown, take_limit
from atlas.enumeration.route import take
from atlas.fields.columns import Words, kind_of
from atlas.models.policies import read_policy
from atlas.models.reference_systems import read_reference
from atlas.models.reference_times import Key, Values, distribution_of, groups, tabulate_times
from atlas.models.scored import AGAINST_EXACT
from multiserver.errors import NotKnownError
from multiserver.network import Network
from multiserver.queue import Queue
from multiserver.results import Result
from multiserver.system import System

Block = Mapping[str, Any]
Row = dict[str, Any]
LIMIT: Key = ("limit", "all", None)
# The relative accuracy of a simulated λ*.
LIMIT_HALF_WIDTH = 0.0004

GIVEN, AS_DEFINED = "given", "as defined"
MEANS_FOR_RATES = "rates taken for mean durations, at the same arrival rate"
MEANS_AT_LOAD = "rates taken for mean durations, at the same load"
AT_LEAST = "P(N ≥ k) taken for P(N > k)"
BEHIND_HEAD = "the job at the head of the line not counted as waiting"
# Quantities not reported under other definitions of the durations.
NOT_REPORTED = ("busy_servers", "idle_servers", "limit", "tail")

UNITS = {
    "system": Words("name"),
    "quantity": Words("name"),
    "class": Words("name"),
    "k": "jobs",
    "definition": Words("text"),
    "value": "of the quantity",
    "half_width": "of the quantity",
    "route": Words("text"),
    "source": Words("text"),
    "second": "of the quantity",
    "second_half_width": "of the quantity",
    "confirmed_by": Words("text"),
    "unconfirmed": Words("text"),
    "difference": "1",
    "jobs": "jobs",
    "replications": "1",
    "exact": "of the quantity",
    **AGAINST_EXACT,
}


def operating_point(queue: Queue, rate: float | None) -> Values:
    """λ, ρ, E[S] and the capacity n."""
    system = queue.system
    rate = system.outside if isinstance(system, Network) else rate
    values = {"arrival_rate": rate, "capacity": system.capacity}
    if rate:
        values |= {"load": system.load(rate), "mean_size": system.mean_size}
    return {(name, "all", None): value for name, value in values.items()}


def limit_of(queue: Queue) -> dict[str, Any] | None:
    """λ*, its method and source, with its interval if it is simulated; None if it is not known or
    not finite."""
    try:
        stability = queue.stability(half_width=LIMIT_HALF_WIDTH)
    except NotKnownError:
        return None
    if stability.limit is None or not math.isfinite(stability.limit):
        return None
    columns = {"value": stability.limit, "route": stability.method, "source": stability.source}
    if (estimate := stability.estimate) is None:
        return columns
    return columns | {
        "route": "simulation of the saturated system",
        "half_width": estimate.half_width,
        "jobs": estimate.jobs,
        "replications": estimate.replications,
    }


def tabulate(result: Result, tail: list[int]) -> Values:
    """The values in a result of the library."""
    values: Values = {}
    for name, group in groups(result):
        values |= {(quantity, name, None): value for quantity, value in group.means.items()}
    for k in tail:
        try:
            values["tail", "all", k] = result.tail(k)
        except NotKnownError:
            break
    return values


def second_route(
    block: Block, queue: Queue, rate: float | None
) -> tuple[Values, Means | None, str]:
    """The same by enumeration; no values if not known."""
    try:
        means, limit, name = take(block, rate)
    except Unknown:
        return {}, None, ""
    system, values = queue.system, {}
    values["mean_jobs", "all", None] = means.jobs
    values["busy_servers", "all", None] = means.busy
    values["idle_servers", "all", None] = system.capacity - means.busy
    if limit is not None:
        values[LIMIT] = limit
    many = len(means.class_jobs) > 1
    for c, jobs in enumerate(means.class_jobs, start=1):
        if many:
            values["mean_jobs", str(c), None] = jobs
    if means.levels:
        values |= {("tail", "all", k): means.tail(k) for k in block.get("tail") or ()}
    network = isinstance(system, Network)
    if not (network and system.populations):
        outside = system.outside if network else rate
        values["mean_response_time", "all", None] = means.jobs / outside
    flows = means.flows if network else [rate * p for p in system.probabilities]
    for c, (jobs, flow) in enumerate(zip(means.class_jobs, flows, strict=True), start=1):
        if many or network:
            values["mean_response_time", str(c), None] = jobs / flow
    if network:
        return values, means, name
    if means.waiting is not None:
        values["mean_waiting", "all", None] = means.waiting
        values["mean_waiting_time", "all", None] = means.waiting / rate
    if system.model == "multiserver-jobs" and many:
        for c, X in enumerate(system.durations, start=1):
            time = values["mean_response_time", str(c), None]
            values["mean_waiting_time", str(c), None] = time - X.mean
    return values, means, name


def second_limit(block: Block) -> tuple[float, str] | None:
    """λ* by enumeration, if `second_route` does not give it, and its route; None if not known."""
    try:
        return take_limit(block)
    except Unknown:
        return None


def other_definitions(
    id: str, block: Block, queue: Queue, rate: float | None, route: str
) -> Iterator[Row]:
    """The rows of each system that this one could be mistaken for."""
    system = queue.system
    if not isinstance(system, System) or not (inverted := _with_reciprocal_rates(block)):
        return
    other, _ = read_reference(inverted)
    same_load = other.system.arrival_rate(system.load(rate))
    for name, at in ((MEANS_FOR_RATES, rate), (MEANS_AT_LOAD, same_load)):
        try:
            values = tabulate(other.exact(arrival_rate=at), [])
            if (times := distribution_of(other, at)) is not None:
                values |= tabulate_times(times)
        except ValueError:  # not stable, or not known
            values, _, _ = second_route(inverted, other, at)
        for key, value in values.items():
            if key[0] not in NOT_REPORTED:
                yield row(id, key, name, value=value, route=route)


def at_least(result: Result, tail: list[int]) -> Values:
    """P(N ≥ k) for each k, if the result has the tail."""
    tails = tabulate(result, [k - 1 for k in tail if k])
    return {("tail", "all", key[2] + 1): v for key, v in tails.items() if key[0] == "tail"}


def behind_head(block: Block, means: Means | None) -> dict[Key, float]:
    """E[Q] under FCFS if the job that blocks the line is not counted, if it is known."""
    if (
        means is None
        or means.behind is None
        or read_policy(block["policy"]).name != "fcfs"
        or "multiserver-jobs" not in block["system"]
    ):
        return {}
    return {("mean_waiting", "all", None): means.behind}


def _with_reciprocal_rates(block: Block) -> dict[str, Any] | None:
    """The block with every exponential rate replaced by 1/rate; None if some duration is not
    exponential, or nothing changes."""
    inverted = copy.deepcopy(dict(block))
    ((_, system),) = inverted["system"].items()
    durations = system.get("durations") or []
    rates = [X.get("exponential") for X in durations]
    if None in rates or not rates or all(rate == 1 for rate in rates):
        return None
    for X in durations:
        X["exponential"] = 1 / X["exponential"]
    return inverted


def difference(key: Key, value: float, second: float, values: Mapping[Key, float]) -> float:
    """The relative difference of two routes to a value. Waiting may be nearly 0, so its difference
    is relative to waiting plus service; that of idle servers is relative to busy ones."""
    wider = {"mean_waiting": "mean_jobs", "idle_servers": "busy_servers"}
    same = key[0].replace("_waiting_time", "_response_time")
    scale = abs(values.get((wider.get(key[0], same), *key[1:]), value))
    return abs(second - value) / scale if scale else abs(second)


def row(name: str, key: Key, definition: str, **rest: Any) -> Row:
    """A row of the table; columns that are not given are missing values."""
    quantity, which, k = key
    head = {"system": name, "quantity": quantity, "class": which, "k": math.nan if k is None else k}
    empty = {c: None if kind_of(unit) == "text" else math.nan for c, unit in UNITS.items()}
    return {**empty, **head, "definition": definition, "inside": None, **rest}
