"""Reference systems that are simulated: nothing exact is known, or to confirm a chain of counts.

Where the chain of `enumeration` is exact, its means are the values, and the simulation, job by job,
is the second route, with its score; else the simulated means are the values, with their intervals
and the number of jobs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from multiserver.results import Result
from multiserver.simulation.estimate import Estimate, score

MAIN = ("mean_response_time", "all", None)
LIMIT, LEFT = ("limit", "all", None), "servers that the class served first leaves"
WORK, DEFINED = "λ E[S], the work that comes", "the definition of the policy"


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
    try:
        exact, _, route = second_route(block, queue, rate)
    except Unknown:
        exact, route = {}, ""
    rows = [row(name, key, GIVEN, value=v) for key, v in given(queue, rate).items()]
    rows += _limit(name, limit_of(queue), exact.pop(LIMIT, None))
    for key in exact | simulated:
        told = _tell(key, simulated.get(key), run)
        if key in exact:
            told = _confirm(key, exact, simulated.get(key), told)
            told |= {"value": exact[key], "route": route, "source": DEFINED}
        if isinstance(simulated.get(key), Estimate):
            told |= {"jobs": parameters.jobs, "replications": parameters.replications}
        rows.append(row(name, key, AS_DEFINED, **told))
    for definition, found in other_definitions(block, queue, rate):
        for key, value in found.items():
            rows.append(row(name, key, definition, value=value, route=route))
    return rows


def _tell(key: Key, found: Any, run: Result) -> dict[str, Any]:
    """A simulated value; servers at work need no simulation."""
    if isinstance(found, Estimate):
        told = {"value": found.mean, "half_width": found.half_width}
        return told | {"route": f"simulation {run.method}", "source": run.source}
    return {"value": found, "route": WORK, "source": "all work is done in the end"}


def _confirm(key: Key, exact: Values, found: Any, told: Mapping[str, Any]) -> dict[str, Any]:
    """The second route, if there is one; one row of a system counts among independent scores."""
    if found is None:
        return {}
    value = exact[key]
    rows = {"second": told["value"], "second_half_width": told.get("half_width", math.nan)}
    rows |= {"confirmed_by": told["route"]}
    rows["difference"] = difference(key, value, told["value"], exact)
    if key == MAIN:
        rows |= {"exact": value, "z": score(found, value), "inside": found.covers(value)}
    return rows


def _limit(
    name: str, known: tuple[float, str, str] | None, left: float | None
) -> Iterator[dict[str, Any]]:
    """λ*, by the library, by what the class served first leaves, or by both."""
    routes = [known] if known is not None else []
    routes += [(left, LEFT, DEFINED)] if left is not None else []
    if routes:
        told = dict(zip(("value", "route", "source"), routes[0], strict=True))
        if len(routes) > 1:
            told |= {"second": left, "confirmed_by": LEFT}
            told["difference"] = abs(left / told["value"] - 1)
        yield row(name, LIMIT, AS_DEFINED, **told)
