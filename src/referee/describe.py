"""Reference systems in plain words and numbers, from a spec and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

Json = dict[str, Any]
SINGLE = {"exponential": "rate", "deterministic": "value"}
POINT = ("arrival_rate", "load", "mean_size")
# Digits of inputs, of values, and of values under other definitions. Further ones vary between
# processors.
GIVEN, DIGITS, OTHER = 14, 12, 7
# Smaller differences of two routes are rounding errors, which vary between processors.
NOTHING = 1e-12


def describe(
    id: str, block: Json, rows: pd.DataFrame, *, definition: str, preemptive: bool
) -> Json:
    """One system, from its `block` of config, its rows, and the description of its policy."""
    ((model, system),) = block["system"].items()
    inputs = rows[rows["definition"] == "given"].set_index("quantity")["value"].to_dict()
    described: Json = {
        "$schema": "../schema.json",
        "id": id,
        "separates": block["separates"],
        "papers": block["papers"],
        "model": model,
        "capacity": inputs["capacity"],
        **_servers(model, system),
        **{key: rounded(inputs[key], GIVEN) for key in POINT if key in inputs},
    }
    if model == "network":
        described |= _network(system)
    else:
        classes = list(_classes(system))
        mean = sum(c["probability"] * c["duration"]["mean"] for c in classes)
        described |= {"mean_duration": rounded(mean), "classes": classes}
    rule = {"definition": definition, "preemptive": preemptive}
    described["policy"] = name_policy(block["policy"]) | rule
    defined = rows[rows["definition"] == "as defined"]
    described["values"] = [_value(row) for row in defined.to_dict("records")]
    others = rows[~rows["definition"].isin(["given", "as defined"])]
    described["other_definitions"] = [
        {"definition": name, "values": [_cell(row, OTHER) for row in group.to_dict("records")]}
        for name, group in others.groupby("definition", sort=False)
    ]
    return described


def name_policy(policy: str | Json) -> Json:
    """The name of a policy, and its options."""
    return {"name": policy, "options": {}} if isinstance(policy, str) else policy


def relate(systems: Iterable[Json]) -> list[Json]:
    """The systems, each with the ids of those that have the same servers, jobs and arrivals."""
    keyed = [(system, _jobs(system)) for system in systems]
    return [
        system | {"same_jobs": [s["id"] for s, k in keyed if k == key and s is not system]}
        for system, key in keyed
    ]


def _jobs(system: Json) -> str:
    keys = ("model", "capacity", "speeds", "limit", "arrival_rate", "classes", "stations")
    rest = ("arrivals", "routing", "populations")
    return repr([system.get(key) for key in (*keys, *rest)])


def rounded(value: float, digits: int = DIGITS) -> float:
    """A value rounded to the published digits."""
    return float(f"{value:.{digits}g}")


def _servers(model: str, system: Mapping[str, Any]) -> Json:
    if model == "limited-processor-sharing":
        return {"speeds": [1.0], "limit": system["limit"]}
    if model == "network":
        return {}
    return {"speeds": [float(v) for v in system.get("speeds") or [1.0] * system["servers"]]}


def _classes(system: Mapping[str, Any]) -> Iterable[Json]:
    durations = system["durations"]
    probabilities = system.get("probabilities") or [1]
    uses = {"needs": "need", "thresholds": "threshold", "compatible": "compatible"}
    uses["degrees"] = "degree"
    for c, (X, p) in enumerate(zip(durations, probabilities, strict=True)):
        own = {word: system[key][c] for key, word in uses.items() if key in system}
        yield {
            "number": c + 1,
            "probability": float(p),
            **(own or {"need": 1}),
            "duration": _duration(X),
        }


def _duration(block: Mapping[str, Any]) -> Json:
    ((kind, content),) = block.items()
    parameters = {SINGLE[kind]: content} if kind in SINGLE else dict(content)
    means = {
        "exponential": lambda p: 1 / p["rate"],
        "deterministic": lambda p: float(p["value"]),
        "hyperexponential": lambda p: sum(
            q / rate for q, rate in zip(p["probabilities"], p["rates"], strict=True)
        ),
        "erlang": lambda p: p["stages"] / p["rate"],
        "bimodal": lambda p: sum(
            q * v for q, v in zip(p["probabilities"], p["values"], strict=True)
        ),
        "pareto": lambda p: p["scale"] * p["shape"] / (p["shape"] - 1),
    }
    mean = rounded(means[kind](parameters))
    return {"distribution": kind, "parameters": parameters, "mean": mean}


def _network(system: Mapping[str, Any]) -> Json:
    stations, first = [], 1
    for queue in system["queues"]:
        compatible = {str(first + i): servers for i, servers in enumerate(queue["servers"])}
        stations.append({"speeds": queue["capacities"], "compatible": compatible})
        first += len(compatible)
    return {
        "stations": stations,
        "arrivals": system["arrivals"],
        "routing": system["routing"],
        "populations": system.get("populations") or [],
    }


def _cell(row: Mapping[str, Any], digits: int) -> Json:
    found: Json = {"quantity": row["quantity"], "class": str(row["class"])}
    if row["k"] == row["k"]:
        found["k"] = int(row["k"])
    return found | {"value": rounded(row["value"], digits)}


def _value(row: Mapping[str, Any]) -> Json:
    found = _cell(row, DIGITS)
    numbers = {
        **{name: lambda v: float(f"{v:.4g}") for name in ("half_width", "second_half_width")},
        **dict.fromkeys(("jobs", "replications"), int),
        "second": rounded,
        "difference": lambda v: float(f"{max(v, NOTHING):.1e}"),
    }
    if row["difference"] <= NOTHING:
        row = {**row, "second": row["value"]}
    for name, show in numbers.items():
        if row[name] == row[name]:
            found[name] = show(row[name])
    texts = ("route", "source", "confirmed_by", "unconfirmed")
    return found | {name: row[name] for name in texts if isinstance(row[name], str)}
