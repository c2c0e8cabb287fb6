"""Reference systems that are simulated: nothing exact is known, or to confirm a chain of counts.

Where the chain of `enumeration` is exact, its means are the values, and the simulation, job by job,
is the second route, with its score; else the simulated means are the values, with their intervals
and the number of jobs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from enumeration.route import Unknown
from models.reference_systems import References, read_reference
from models.reference_values import (
    AS_DEFINED,
    GIVEN,
    UNITS,
    Key,
    Values,
    difference,
    given,
    limit_of,
    other_definitions,
    row,
    second_route,
    tabulate,
)
from models.streams import stream_key
from models.systems import SimulatedBlock
from multiserver.simulation.estimate import Estimate, score

MAIN = ("mean_response_time", "all", None)
LIMIT, LEFT = ("limit", "all", None), "servers that the class served first leaves"


class Parameters(SimulatedBlock):
    """What to compute."""

    systems: References


def compute(
    parameters: Parameters, progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a system, quantity, class and definition."""
    rows: list[dict[str, Any]] = []
    for name, block in progress(parameters.plain()["systems"].items()):
        rows += estimate(name, block, parameters)
    return pd.DataFrame(rows, columns=list(UNITS))


def estimate(name: str, block: dict[str, Any], parameters: Parameters) -> list[dict[str, Any]]:
    """The rows of one system."""
    queue, rate = read_reference(block)
    run = queue.simulate(
        arrival_rate=rate,
        jobs=parameters.jobs,
        seed=parameters.seed,
        replications=parameters.replications,
        key=(stream_key({"name": name, **block}),),
    )
    simulated = tabulate(run, block.get("tail") or [])
    effort = {"jobs": parameters.jobs, "replications": parameters.replications}
    try:
        exact, _, route = second_route(block, queue, rate)
    except Unknown:
        exact, route = {}, ""
    rows = [row(name, key, GIVEN, value=v) for key, v in given(queue, rate).items()]
    if (limit := limit_of(queue)) is not None:
        told = dict(zip(("value", "route", "source"), limit, strict=True))
        if LIMIT in exact:
            told |= {"second": exact.pop(LIMIT), "confirmed_by": LEFT}
            told["difference"] = abs(told["second"] / told["value"] - 1)
        rows.append(row(name, LIMIT, AS_DEFINED, **told))
    for key, value in (exact | simulated).items():
        about = effort if isinstance(value, Estimate) else {}
        if key in exact:
            told = {"value": exact[key], "route": route, "source": "the definition of the policy"}
            if key in simulated:
                told |= about | _confirm(key, exact, value, run.method)
        else:
            told = about | _spread(value) | {"route": f"simulation {run.method}"}
            told["source"] = run.source
        rows.append(row(name, key, AS_DEFINED, **told))
    for definition, found in other_definitions(block, queue, rate):
        for key, value in found.items():
            rows.append(row(name, key, definition, value=value, route=route))
    return rows


def _spread(value: Any) -> dict[str, float]:
    if isinstance(value, Estimate):
        return {"value": value.mean, "half_width": value.half_width}
    return {"value": value}


def _confirm(key: Key, exact: Values, found: Any, method: str) -> dict[str, Any]:
    """The second route; one row of a system counts among independent scores."""
    value, told = exact[key], _spread(found)
    rows = {"second": told["value"], "second_half_width": told.get("half_width", math.nan)}
    rows |= {"confirmed_by": f"simulation {method}"}
    rows["difference"] = difference(key, value, told["value"], exact)
    if key == MAIN:
        rows |= {"exact": value, "z": score(found, value), "inside": found.covers(value)}
    return rows
