"""Reference systems as config describes them: a system, a policy and a point of operation.

{multiserver-jobs: {servers: 4, needs: [1, 4], durations: […], probabilities: […]}}
{threshold-parallelism: {servers: 8, thresholds: [1, 8], durations: […], probabilities: […]}}
{heterogeneous: {speeds: [2, 1], duration: …}}
{limited-processor-sharing: {limit: 4, duration: …}}
{parallel-processing: {speeds: [1, 1], compatible: [[1], [1, 2]], durations: […], …}}
{parallel-processing: {servers: 3, degrees: [2], durations: […], probabilities: [1]}}
{network: {queues: […], arrivals: […], routing: […], populations: […]}}

Durations are on as many servers of speed 1 as a job can use; servers are numbered from 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from declared.block import Block, misfit, require
from declared.vocabulary import (
    Assignments,
    Capacities,
    Id,
    Needs,
    Positive,
    Probabilities,
    Servers,
    Text,
)
from models.clusters import NetworkBlock
from models.finite_skip_systems import MultiserverJobsBlock
from models.networks import read_network
from models.sizes import SizeBlock, Sizes, read_size, read_sizes
from multiserver.network import Network
from multiserver.policies import policy
from multiserver.queue import Queue
from multiserver.system import JobClass, System

POINTS = ("load", "fraction_of_limit", "arrival_rate")


class ThresholdsBlock(Block):
    """Jobs that use any number of servers up to a threshold."""

    servers: Servers
    thresholds: Annotated[Needs, Field(description="the most servers of a job, class by class")]
    durations: Sizes
    probabilities: Probabilities


class SpeedsBlock(Block):
    """Servers of different speeds, jobs of one server each."""

    speeds: Capacities
    duration: SizeBlock


class SharingBlock(Block):
    """One server that at most `limit` jobs share."""

    limit: Annotated[int, Field(ge=1, le=1000, description="how many jobs share the server")]
    duration: SizeBlock


class ParallelBlock(Block):
    """Jobs that are served by several servers at once: by their own, or by some drawn at random.

    The `servers` are so many of speed 1, or have `speeds`.
    """

    servers: Servers | None = None
    speeds: Capacities | None = None
    compatible: Assignments | None = None
    degrees: Annotated[Needs, Field(description="how many random servers, by class")] | None = None
    durations: Sizes
    probabilities: Probabilities

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        for names in (("servers", "speeds"), ("compatible", "degrees")):
            given = [name for name in names if getattr(self, name) is not None]
            require(len(given) == 1, f"{given or 'neither'}", f"one of {', '.join(names)}")
        return self


class ReferenceSystem(Block):
    """A system by the name of its model."""

    multiserver_jobs: MultiserverJobsBlock | None = Field(None, alias="multiserver-jobs")
    threshold_parallelism: ThresholdsBlock | None = Field(None, alias="threshold-parallelism")
    heterogeneous: SpeedsBlock | None = None
    limited_processor_sharing: SharingBlock | None = Field(None, alias="limited-processor-sharing")
    parallel_processing: ParallelBlock | None = Field(None, alias="parallel-processing")
    network: NetworkBlock | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = list(self.plain())
        require(len(given) == 1, f"{given or 'no'} models", f"one of {', '.join(READERS)}")
        return self


class ReferenceBlock(Block):
    """A reference system: what it separates, and at which point of operation."""

    separates: Annotated[Text, Field(description="which mistake or difference would show here")]
    papers: Annotated[list[Id], Field(min_length=1, description="whose models or policies it has")]
    system: ReferenceSystem
    policy: Annotated[Text, Field(description="a policy of the library")]
    options: Annotated[dict[Text, Any], Field(description="the options of the policy")] = {}
    load: Annotated[Positive, Field(description="ρ = λ E[S]/n")] | None = None
    fraction_of_limit: Annotated[Positive, Field(description="λ/λ*")] | None = None
    arrival_rate: Annotated[Positive, Field(description="λ")] | None = None
    tail: Annotated[
        list[Annotated[int, Field(ge=0, le=10_000)]], Field(description="k of P(N > k)")
    ] = []

    @model_validator(mode="after")
    def _exists(self) -> Self:
        given = [name for name in POINTS if getattr(self, name) is not None]
        closed = self.system.network is not None
        most = 0 if closed else 1
        expected = "no point: a network has its rates" if closed else f"one of {', '.join(POINTS)}"
        require(len(given) == most, f"{given or 'no point of operation'}", expected)
        try:
            read_queue(self.plain())
        except (ValueError, IndexError) as error:
            raise misfit(str(error), "a system and a policy that can exist") from None
        return self


References = Annotated[
    dict[Id, ReferenceBlock],
    Field(min_length=1, max_length=1000, description="the reference systems, by id"),
]


def read_queue(block: Mapping[str, Any]) -> Queue:
    """The system under its policy. Raises `ValueError` or `IndexError` unless both exist."""
    return _read_queue(json.dumps([block["system"], block["policy"], block.get("options") or {}]))


@cache
def _read_queue(text: str) -> Queue:
    """A queue keeps what it has found of itself: its limit may take a second."""
    system, name, options = json.loads(text)
    ((model, described),) = system.items()
    return READERS[model](described).under(policy(name)(**options))


def require_points(systems: Mapping[str, ReferenceBlock]) -> None:
    """Raise a misfit, at the point of a system, unless it is known and all may be stable there."""
    for id, block in systems.items():
        try:
            read_reference(block.plain())
        except ValueError as error:
            point = next(name for name in POINTS if getattr(block, name) is not None)
            raise misfit(str(error), "a point that can exist", "systems", id, point) from None


def read_reference(block: Mapping[str, Any]) -> tuple[Queue, float | None]:
    """The queue and its λ (None: a network). Raises `ValueError` unless both exist and agree."""
    queue = read_queue(block)
    said = {name: block[name] for name in POINTS if block.get(name) is not None}
    if not said:
        return queue, None
    ((name, value),) = said.items()
    if name == "fraction_of_limit":
        limit = queue.stability().limit
        if limit is None:
            raise ValueError(f"λ* is not known under {queue.policy}: give load or arrival_rate")
        return queue, value * limit
    rate = queue.system.arrival_rate(value) if name == "load" else float(value)
    if rate >= queue.highest_rate:
        raise ValueError(
            f"no policy is stable at λ = {rate:.6g}: it must be below {queue.highest_rate:.6g}"
        )
    return queue, rate


def _classes(block: Mapping[str, Any], use: str, values: Iterable[Any]) -> list[JobClass]:
    rows = zip(values, read_sizes(block["durations"]), block["probabilities"], strict=True)
    return [JobClass(**{use: v}, duration=X, probability=p) for v, X, p in rows]


def _parallel(block: Mapping[str, Any]) -> System:
    servers = block.get("speeds") or block["servers"]
    if "degrees" in block:
        return System(servers, _classes(block, "degree", block["degrees"]))
    sets = [frozenset(s - 1 for s in own) for own in block["compatible"]]
    return System(servers, _classes(block, "compatible", sets))


def _network(block: Mapping[str, Any]) -> Network:
    found = read_network(block)
    return Network(found.queues, found.arrivals, found.routing, found.populations)


READERS: dict[str, Callable[[Mapping[str, Any]], System | Network]] = {
    "multiserver-jobs": lambda b: System(b["servers"], _classes(b, "need", b["needs"])),
    "threshold-parallelism": lambda b: System(
        b["servers"], _classes(b, "threshold", b["thresholds"])
    ),
    "heterogeneous": lambda b: System(b["speeds"], [JobClass(duration=read_size(b["duration"]))]),
    "limited-processor-sharing": lambda b: System(
        1, [JobClass(duration=read_size(b["duration"]))], limit=b["limit"]
    ),
    "parallel-processing": _parallel,
    "network": _network,
}
