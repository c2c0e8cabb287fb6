"""Reference systems as config describes them: a system, a policy and a point of operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from atlas.fields.block import Block, refusing, require, requirement
from atlas.fields.vocabulary import Id, Positive, StreamKey, Text
from atlas.models.described_systems import AnySystem, read_queue
from atlas.models.policies import PolicyBlock
from multiserver.policies import names
from multiserver.queue import Queue

POINTS = ("load", "fraction_of_limit", "arrival_rate")


class ReferenceBlock(Block):
    """A reference system: what it separates, and its operating point."""

    separates: Annotated[Text, Field(description="which mistake or difference would show here")]
    papers: Annotated[list[Id], Field(min_length=1, description="whose models or policies it has")]
    system: AnySystem
    policy: PolicyBlock
    load: Annotated[Positive, Field(description="ρ = λ E[S]/n")] | None = None
    fraction_of_limit: Annotated[Positive, Field(description="λ/λ*")] | None = None
    arrival_rate: Annotated[Positive, Field(description="λ")] | None = None
    tail: Annotated[
        list[Annotated[int, Field(ge=0, le=10_000)]], Field(description="k of P(N > k)")
    ] = []
    stream: StreamKey = None

    def stream_key_form(self) -> dict[str, Any]:
        """The block as it enters the stream key. The key was defined when the options were written
        beside the policy, so they still are here."""
        apart = {"policy": self.policy.name, "options": self.policy.options}
        pairs = (apart if k == "policy" else {k: v} for k, v in super().stream_key_form().items())
        return {key: value for pair in pairs for key, value in pair.items()}

    @requirement
    def _exists(self) -> None:
        points = [name for name in POINTS if getattr(self, name) is not None]
        closed = self.system.network is not None
        most = 0 if closed else 1
        expected = "no point: a network has its rates" if closed else f"one of {', '.join(POINTS)}"
        require(len(points) == most, f"{points or 'no point of operation'}", expected)
        if self.policy.name in names():
            self.policy.require_options("policy")
        with refusing("a system and a policy that can exist", of=(ValueError, IndexError)):
            read_queue(self.plain())


References = Annotated[
    dict[Id, ReferenceBlock],
    Field(min_length=1, max_length=1000, description="the reference systems, by id"),
]


def require_points(systems: Mapping[str, ReferenceBlock]) -> None:
    """Raise a misfit, at a system's operating point, unless the point is known and the system may
    be stable there."""
    for id, block in systems.items():
        point = next((name for name in POINTS if getattr(block, name) is not None), "system")
        with refusing("a point that can exist", "systems", id, point):
            read_reference(block.plain())


def read_reference(block: Mapping[str, Any]) -> tuple[Queue, float | None]:
    """The queue and its λ (None for a network). Raises `ValueError` unless both exist and agree."""
    queue = read_queue(block)
    point = {name: block[name] for name in POINTS if block.get(name) is not None}
    if not point:
        return queue, None
    ((name, value),) = point.items()
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
