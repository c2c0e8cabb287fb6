"""Reference systems that are simulated, as the only route or to confirm a chain of counts.

If `enumeration` has an exact chain, its means are the values, and the job-by-job simulation is the
second route, with its score. Otherwise the simulated means are the values, with their intervals and
the number of jobs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from atlas.models.reference_rectangle import ROUTE as SQUARE
from atlas.models.reference_rectangle import tails
from atlas.models.reference_systems import (
    ReferenceBlock,
    References,
    read_reference,
    require_points,
)
from atlas.models.reference_values import (
    AS_DEFINED,
    GIVEN,
    LIMIT,
    UNITS,
    Key,
    Values,
    difference,
    limit_of,
    operating_point,
    other_definitions,
    row,
    second_limit,
    second_route,
    tabulate,
)
from atlas.models.sampling import Progress
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from multiserver.queue import Queue
from multiserver.results import Result
from multiserver.simulation.estimate import Estimate, score
from multiserver.values import lacking

MAIN = ("mean_response_time", "all", None)
WORK, DEFINED = "λ E[S], the work that comes", "the definition of the policy"
WORKING = ("busy_servers", "idle_servers")


class Parameters(SimulatedBlock):
    systems: References


def check(parameters: Parameters) -> None:
    """Raise a misfit unless every system is known and may be stable at its operating point."""
    require_points(parameters.systems)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per system, quantity, class and definition."""
    rows: list[dict[str, Any]] = []
    for name, block in progress(parameters.systems.items()):
        rows += estimate(name, block.plain(), parameters, key_of(name, block))
    return pd.DataFrame(rows, columns=list(UNITS))


def key_of(name: str, block: ReferenceBlock) -> int:
    """The key of the random streams of a system."""
    return stream_key(block, name=name)


def estimate(
    name: str, block: dict[str, Any], parameters: Parameters, key: int
) -> list[dict[str, Any]]:
    """The rows of one system."""
    queue, rate = read_reference(block)
    run = queue.simulate(arrival_rate=rate, key=(key,), **parameters.effort())
    simulated = tabulate(run, block.get("tail") or [])
    # A value without a fair interval cannot serve as a reference.
    simulated = {key: v for key, v in simulated.items() if not lacking(v)}
    exact, _, route = second_route(block, queue, rate)
    squared = tails(queue, rate, block.get("tail") or [])
    rows = [row(name, key, GIVEN, value=v) for key, v in operating_point(queue, rate).items()]
    rows += _limit(name, limit_of(queue), second_limit(block))
    for key in exact | simulated:
        columns = _estimate_columns(simulated.get(key), run)
        if key[0] in WORKING and key not in exact:
            columns = _work(key, queue, rate, columns)
        if key in exact:
            columns = _confirm(key, exact, simulated.get(key), columns, squared)
            columns |= {"value": exact[key], "route": route, "source": DEFINED}
        if isinstance(simulated.get(key), Estimate):
            columns |= {"jobs": parameters.jobs, "replications": parameters.replications}
        rows.append(row(name, key, AS_DEFINED, **columns))
    return [*rows, *other_definitions(name, block, queue, rate, route)]


def _estimate_columns(estimate: Any, run: Result) -> dict[str, Any]:
    """A simulated value with its interval, route and source."""
    if estimate is None:
        return {}
    columns = {"value": estimate.mean, "half_width": estimate.half_width}
    return columns | {"route": f"simulation {run.method}", "source": run.source}


def _work(key: Key, queue: Queue, rate: float, simulated: Mapping[str, Any]) -> dict[str, Any]:
    """Busy or idle servers: exact, since a stable queue loses no work; the simulation confirms."""
    capacity = queue.system.capacity
    busy = rate * queue.system.mean_size
    value = busy if key[0] == "busy_servers" else capacity - busy
    columns = {"value": value, "route": WORK, "source": "all work is done in the end"}
    if not simulated:
        return columns
    return columns | _second(key, value, simulated, {("busy_servers", *key[1:]): busy})


def _confirm(
    key: Key,
    exact: Values,
    estimate: Any,
    simulated: Mapping[str, Any],
    squared: Mapping[int, float],
) -> dict[str, Any]:
    """The columns of the second route, if there is one. One row per system has a score that counts
    as independent."""
    value = exact[key]
    if key[0] == "tail" and key[2] in squared:
        simulated = {"value": squared[key[2]], "route": SQUARE}
    elif estimate is None:
        return {}
    columns = _second(key, value, simulated, exact)
    if key == MAIN:
        columns |= {"exact": value, "z": score(estimate, value), "inside": estimate.covers(value)}
    return columns


def _second(
    key: Key, value: float, found: Mapping[str, Any], values: Mapping[Key, float]
) -> dict[str, Any]:
    """The columns of the value that a second route `found`; `values` are those of the first."""
    return {
        "second": found["value"],
        "second_half_width": found.get("half_width", math.nan),
        "confirmed_by": found["route"],
        "difference": difference(key, value, found["value"], values),
    }


def _limit(
    name: str, known: dict[str, Any] | None, counted: tuple[float, str] | None
) -> Iterator[dict[str, Any]]:
    """λ*, by the library, by enumeration, or by both."""
    columns = known or {}
    if counted is not None and not columns:
        columns = {"value": counted[0], "route": counted[1], "source": DEFINED}
    elif counted is not None:
        columns |= {"second": counted[0], "confirmed_by": counted[1]}
        columns["difference"] = abs(counted[0] / columns["value"] - 1)
    if columns:
        yield row(name, LIMIT, AS_DEFINED, **columns)
