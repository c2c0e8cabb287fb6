"""Other definitions in the reference that could explain a result.

Each has a name and predicts a value. Some concern the system: the same jobs under another policy,
or with other durations. Some concern the quantity: waiting for response, other units, a reciprocal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from referee.read import Json, Key, Reference, Result, key_of
from referee.shape import OF_TIMES, TIMES

T, W = TIMES
# Pairs of quantities that may be confused.
SWAPPED = {
    **{(f"{of}_{T}", f"{of}_{W}"): "waiting time taken for response time" for of in OF_TIMES},
    **{(f"{of}_{W}", f"{of}_{T}"): "response time taken for waiting time" for of in OF_TIMES},
    ("mean_jobs", "mean_waiting"): "jobs that wait taken for all jobs",
    ("mean_waiting", "mean_jobs"): "all jobs taken for those that wait",
    ("busy_servers", "idle_servers"): "idle servers taken for busy ones",
    ("idle_servers", "busy_servers"): "busy servers taken for idle ones",
    ("mean_response_time", "mean_jobs"): "numbers of jobs taken for times",
    ("mean_jobs", "mean_response_time"): "times taken for numbers of jobs",
}
SERVERS = ("busy_servers", "idle_servers")


@dataclass(frozen=True)
class Definition:
    """A definition, the value that it predicts, and the half-width of that value; `system` is the
    id of the reference system that has it, if it is another one."""

    name: str
    value: float
    half_width: float = 0.0
    system: str = ""


def other_definitions(result: Result, reference: Reference) -> Iterator[Definition]:
    """The other definitions that the result may follow."""
    system = reference.systems[result.system]
    values = reference.values(result.system)
    truth, width = result.reference, result.reference_half_width
    quantity, which, k = result.key
    for (mine, theirs), name in SWAPPED.items():
        other = values.get((theirs, which, k))
        if mine == quantity and other is not None:
            yield Definition(name, other["value"], other.get("half_width", 0.0))
    yield from _scaled(system, result.key, truth, width)
    if quantity == "no_wait":
        yield Definition("the probability of a wait taken for that of none", 1 - truth, width)
    if truth and quantity.endswith(TIMES):
        yield Definition("rates taken for times: the reciprocal", 1 / truth, width / truth**2)
    classes = len(system.get("classes") or system.get("arrivals") or ())
    if which != "all" and classes > 1:
        mirrored = values.get((quantity, str(classes + 1 - int(which)), k))
        if mirrored is not None and 2 * int(which) != classes + 1:
            width = mirrored.get("half_width", 0.0)
            yield Definition("classes in the opposite order", mirrored["value"], width)
    for other in system["other_definitions"]:
        for value in other["values"]:
            if key_of(value) == result.key:
                yield Definition(other["definition"], value["value"])
    for id in system["same_jobs"]:
        value = reference.values(id).get(result.key)
        if value is not None:
            policy = name_of(reference.systems[id])
            yield Definition(f"as under {policy}", value["value"], value.get("half_width", 0.0), id)


def name_of(system: Json) -> str:
    """The policy of a system, with its options."""
    policy = system["policy"]
    options = ", ".join(f"{k} = {v}" for k, v in policy["options"].items())
    return f"{policy['name']} ({options})" if options else policy["name"]


def _scaled(system: Json, key: Key, truth: float, width: float) -> Iterator[Definition]:
    """The same quantity in other units."""
    quantity, which, _ = key
    units: dict[str, float] = {}
    if quantity.endswith(TIMES):
        units["in units of E[S], the mean work of a job"] = system.get("mean_size") or 0.0
        units["in units of the mean duration"] = system.get("mean_duration") or 0.0
        if which != "all" and system.get("classes"):
            mean = system["classes"][int(which) - 1]["duration"]["mean"]
            units["in units of the mean duration of the class"] = mean
    if quantity in SERVERS:
        units["as a share of all servers"] = system["capacity"]
    if quantity == "limit" and system.get("mean_size"):
        units["as a load, λ* E[S]/n"] = system["capacity"] / system["mean_size"]
    for name, unit in units.items():
        if unit > 0 and unit != 1:
            yield Definition(name, truth / unit, width / unit)
