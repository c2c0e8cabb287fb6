"""Reference systems with exact means, and perhaps exact times, confirmed by a second route.

The values are the library's; `enumeration`, which shares no code with it, solves the same systems
from their definitions. The table also has the values under other definitions: a program that
matches one of these has computed another system.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pandas as pd

from atlas.enumeration.limits import Unknown
from atlas.fields.block import Block
from atlas.models.reference_systems import References, read_reference, require_points
from atlas.models.reference_times import (
    AMONG_WAITING,
    among_waiting,
    distribution_of,
    second_times,
    tabulate_times,
)
from atlas.models.reference_values import (
    AS_DEFINED,
    AT_LEAST,
    BEHIND_HEAD,
    GIVEN,
    LIMIT,
    UNITS,
    at_least,
    behind_head,
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
from multiserver.errors import NotKnownError


class Parameters(Block):
    systems: References


def check(parameters: Parameters) -> None:
    """Raise a misfit unless every system is known and may be stable at its operating point."""
    require_points(parameters.systems)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per system, quantity, class and definition."""
    rows: list[dict[str, Any]] = []
    for name, block in progress(parameters.plain()["systems"].items()):
        rows += solve(name, block)
    return pd.DataFrame(rows, columns=list(UNITS))


def solve(name: str, block: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of one system. Raises `ValueError` if nothing exact is known of it."""
    queue, rate = read_reference(block)
    try:
        result = queue.exact(arrival_rate=rate)
    except NotKnownError:
        raise ValueError(f"{name}: no exact means are known; list it as simulated") from None
    columns = {"route": result.method, "source": result.source}
    found = tabulate(result, block.get("tail") or [])
    values = {key: {"value": value, **columns} for key, value in found.items()}
    if (limit := limit_of(queue)) is not None:
        values[LIMIT] = limit
    second, means, route = second_route(block, queue, rate)
    routes = dict.fromkeys(second, route)
    if (times := distribution_of(queue, rate)) is not None:
        columns = {"route": times.method, "source": times.source}
        values |= {key: {"value": v, **columns} for key, v in tabulate_times(times).items()}
        with suppress(Unknown):
            followed, tagged = second_times(block, rate, len(times.by_class))
            second |= followed
            routes |= dict.fromkeys(followed, tagged)
    if limit is not None and LIMIT not in second and (other := second_limit(block)):
        second[LIMIT], routes[LIMIT] = other
    plain = {key: columns["value"] for key, columns in values.items()}
    rows = [row(name, key, GIVEN, value=v) for key, v in operating_point(queue, rate).items()]
    for key, columns in values.items():
        if key in second:
            columns |= {"second": second[key], "confirmed_by": routes[key]}
            columns["difference"] = difference(key, columns["value"], second[key], plain)
        rows.append(row(name, key, AS_DEFINED, **columns))
    for key, value in behind_head(block, means).items():
        rows.append(row(name, key, BEHIND_HEAD, value=value, route=route))
    if times is not None:
        for key, value in among_waiting(times).items():
            rows.append(row(name, key, AMONG_WAITING, value=value, route=times.method))
    for key, value in at_least(result, block.get("tail") or []).items():
        rows.append(row(name, key, AT_LEAST, value=value, route=result.method))
    return [*rows, *other_definitions(name, block, queue, rate, result.method)]
