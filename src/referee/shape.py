"""The shape of the files in `reference`, from which their JSON Schema is made.

`reference/README.md` says in words what every field means.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

Number = Annotated[float, Field(allow_inf_nan=False)]
Class = Annotated[str, Field(pattern="^(all|[1-9][0-9]*)$", description="'all' or a number from 1")]
# A quantity of times is a mean or a percentile of one of the times.
OF_TIMES, TIMES = ("mean", "median", "p95", "p99"), ("response_time", "waiting_time")
QUANTITIES = (
    *("mean_jobs", "mean_waiting", "busy_servers", "idle_servers", "limit", "tail", "no_wait"),
    *(f"{of}_{time}" for of in OF_TIMES for time in TIMES),
)


class Part(BaseModel):
    """Fields by name; no others."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Duration(Part):
    """A law of durations."""

    distribution: Literal[
        "exponential", "hyperexponential", "erlang", "deterministic", "bimodal", "pareto"
    ]
    parameters: dict[str, Any]
    mean: Number


class JobClass(Part):
    """Jobs of one kind."""

    number: int
    probability: Number
    duration: Duration
    need: int | None = None
    threshold: int | None = None
    compatible: list[int] | None = None
    degree: int | None = None


class Station(Part):
    """A station of a network: the speeds of its servers, and which of them serve which class."""

    speeds: list[Number]
    compatible: dict[str, list[int]]


class Policy(Part):
    """Who is served."""

    name: str
    options: dict[str, Any]
    definition: str
    preemptive: bool


class Cell(Part):
    """What a value is of."""

    quantity: Literal[QUANTITIES]
    of_class: Class = Field(alias="class")
    k: int | None = None
    value: Number


class Value(Cell):
    """A reference value, its route and what confirms it."""

    half_width: Number | None = None
    jobs: int | None = None
    replications: int | None = None
    route: str
    source: str
    confirmed_by: str | None = None
    second: Number | None = None
    second_half_width: Number | None = None
    difference: Number | None = None
    unconfirmed: str | None = None


class OtherDefinition(Part):
    """What the values would be if something were meant otherwise."""

    definition: str
    values: list[Cell]


class System(Part):
    """A reference system."""

    schema_: str = Field(alias="$schema")
    id: str
    separates: str
    papers: list[str]
    model: Literal[
        *("multiserver-jobs", "threshold-parallelism", "heterogeneous"),
        *("limited-processor-sharing", "parallel-processing", "network"),
    ]
    capacity: Number
    speeds: list[Number] | None = None
    limit: int | None = None
    arrival_rate: Number | None = None
    load: Number | None = None
    mean_size: Number | None = None
    mean_duration: Number | None = None
    classes: list[JobClass] | None = None
    stations: list[Station] | None = None
    arrivals: list[Number] | None = None
    routing: list[list[Number]] | None = None
    populations: list[int] | None = None
    policy: Policy
    values: list[Value]
    other_definitions: list[OtherDefinition]
    same_jobs: list[str]


class Listed(Part):
    """A line of the index."""

    id: str
    file: str
    sha256: str
    model: str
    policy: str
    classes: int
    exact: bool
    made_from: str


class Index(Part):
    """All systems."""

    schema_: str = Field(alias="$schema")
    title: str
    version: str
    fingerprint: str
    licence: str
    cite: str
    systems: list[Listed]


def describe() -> dict[str, Any]:
    """The JSON Schema: a file is a system or the index."""
    places, parts = models_json_schema([(System, "validation"), (Index, "validation")])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Reference systems for simulators of multiserver queues",
        "anyOf": list(places.values()),
        **parts,
    }
