"""A system by the name of its model, in the words of `multiserver.System` and `JobClass`.

{multiserver-jobs: {servers: 4, needs: [1, 4], durations: […], probabilities: […]}}
{threshold-parallelism: {servers: 8, thresholds: [1, 8], sizes: […], probabilities: […]}}
{heterogeneous: {speeds: [2, 1], durations: […]}}
{limited-processor-sharing: {limit: 4, durations: […]}}
{parallel-processing: {speeds: [1, 1], compatible: [[1], [1, 2]], durations: […], probabilities: …}}
{parallel-processing: {servers: 3, degrees: [2], durations: […], probabilities: [1]}}
{network: {queues: […], arrivals: […], routing: […], populations: […]}}

The length of jobs is given class by class under one of two keys: `durations` X_c, on the v_c
servers of speed 1 that a job can use, or `sizes` S_c = v_c X_c/n, in capacity times time, where the
capacity is 1. Servers are numbered from 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from atlas.fields.block import WHOLE, Block, require, require_one, requirement
from atlas.fields.vocabulary import Assignments, Capacities, Needs, Probabilities, Servers
from atlas.models.networks import NetworkBlock, read_network
from atlas.models.policies import PolicyBlock, read_policy
from atlas.models.sizes import Sizes, read_sizes
from atlas.models.systems import require_equal, require_existing, require_room
from multiserver.checks import SUM_TOLERANCE
from multiserver.network import Network
from multiserver.queue import Queue
from multiserver.sizes import Size, scaled
from multiserver.system import JobClass, System

# The keyword for a class, by the key that lists all classes.
USES = {"needs": "need", "thresholds": "threshold", "compatible": "compatible", "degrees": "degree"}
TIMES = ("durations", "sizes")
Durations = Annotated[Sizes | None, Field(description="on the servers that a job can use")]
WorkSizes = Annotated[Sizes | None, Field(description="in capacity times time, instead")]
Thresholds = Annotated[Needs, Field(description="the most servers of a job, class by class")]
Degrees = Annotated[Needs | None, Field(description="how many random servers, by class")]


class DescribedBlock(Block):
    """Servers, and the classes of their jobs."""

    @requirement
    def _fit(self) -> None:
        require_one(self, *TIMES)
        values = self.plain()
        lengths = [word for word in TIMES if word in values]
        columns = {k: values[k] for k in (*USES, *TIMES, "probabilities") if k in values}
        if "probabilities" in columns:
            require_equal(**columns)
        else:
            count = len(columns[lengths[0]])
            require(count == 1, f"{count} {lengths[0]}", "one: all jobs are alike", lengths[0])
        for use in ("needs", "thresholds"):
            if use in values:
                require_room(values["servers"], values[use], use)

    def stream_key_form(self) -> dict[str, Any]:
        """The block as it enters the stream key. The key was defined when a single duration or
        size was written without a list, so it still is here."""
        values = super().stream_key_form()
        if "probabilities" in values:
            return values
        alone = {word: word.removesuffix("s") for word in TIMES if word in values}
        return {alone.get(key, key): v[0] if key in alone else v for key, v in values.items()}


class MultiserverJobsBlock(DescribedBlock):
    """Jobs that hold a number of servers for a duration."""

    servers: Servers
    needs: Needs
    durations: Durations = None
    sizes: WorkSizes = None
    probabilities: Probabilities


class ThresholdParallelismBlock(DescribedBlock):
    """Jobs that run on any number of servers up to a threshold."""

    servers: Servers
    thresholds: Thresholds
    durations: Durations = None
    sizes: WorkSizes = None
    probabilities: Probabilities


class HeterogeneousBlock(DescribedBlock):
    """Servers of these speeds, jobs of one server each."""

    speeds: Capacities
    durations: Durations = None
    sizes: WorkSizes = None


class LimitedProcessorSharingBlock(DescribedBlock):
    """A server that at most `limit` jobs share."""

    limit: Annotated[
        int, Field(ge=1, le=10_000, description="how many jobs share the server"), WHOLE
    ]
    durations: Durations = None
    sizes: WorkSizes = None


class ParallelProcessingBlock(DescribedBlock):
    """Jobs that are served by several servers at once: those of their class, or some drawn at
    random.

    There are `servers` of speed 1, or servers with the given `speeds`.
    """

    servers: Servers | None = None
    speeds: Capacities | None = None
    compatible: Assignments | None = None
    degrees: Degrees = None
    durations: Durations = None
    sizes: WorkSizes = None
    probabilities: Probabilities

    @requirement
    def _is_one(self) -> None:
        require_one(self, "servers", "speeds")
        require_one(self, "compatible", "degrees")
        servers = self.servers or len(self.speeds)
        require_existing(servers, self.compatible or [], "compatible")


class FiniteSkipSystem(Block):
    """A system by the name of its model, one of the finite-skip models."""

    multiserver_jobs: MultiserverJobsBlock | None = Field(None, alias="multiserver-jobs")
    threshold_parallelism: ThresholdParallelismBlock | None = Field(
        None, alias="threshold-parallelism"
    )
    heterogeneous: HeterogeneousBlock | None = None
    limited_processor_sharing: LimitedProcessorSharingBlock | None = Field(
        None, alias="limited-processor-sharing"
    )

    @requirement
    def _is_one(self) -> None:
        given = list(self.plain())
        known = [field.alias or name for name, field in type(self).model_fields.items()]
        require(len(given) == 1, f"{given or 'no'} models", f"one of {', '.join(known)}")

    @property
    def classes(self) -> int:
        """The number of classes."""
        ((_, block),) = self.plain().items()
        return len(block.get("probabilities", [1]))

    def read(self) -> System | Network:
        """The system as the library knows it."""
        return read_system(self.plain())


class FiniteSkipBlock(Block):
    """A finite-skip system under a policy."""

    system: FiniteSkipSystem
    policy: PolicyBlock

    @requirement
    def _belong(self) -> None:
        self.policy.require_of(self.system.read(), "policy")

    @property
    def queue(self) -> Queue:
        """The queue as the library knows it."""
        return read_queue({"system": self.system.plain(), "policy": self.policy.plain()})

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.system.classes


class OneSystem(FiniteSkipSystem):
    """A system by the name of its model, other than a network: it has one arrival rate."""

    parallel_processing: ParallelProcessingBlock | None = Field(None, alias="parallel-processing")


class AnySystem(OneSystem):
    """A system by the name of its model."""

    network: NetworkBlock | None = None


def read_queue(parameters: Mapping[str, Any]) -> Queue:
    """The `system` under the `policy`. Raises `ValueError` or `IndexError` unless both exist and
    fit together."""
    return _read_queue(json.dumps([parameters["system"], parameters["policy"]]))


@cache
def _read_queue(text: str) -> Queue:
    """The queue, cached: it keeps its own results, and its limit may take a second to compute."""
    system, policy = json.loads(text)
    return read_system(system).under(read_policy(policy))


def read_system(system: Mapping[str, Any]) -> System | Network:
    """The system by the name of its model."""
    ((model, block),) = system.items()
    if model == "network":
        found = read_network(block)
        return Network(found.queues, found.arrivals, found.routing, found.populations)
    servers = block.get("speeds") or block.get("servers", 1)
    probabilities = block.get("probabilities", [1.0])
    use = next((word for word in USES if word in block), None)
    values = block[use] if use else [1]
    used = values if use in ("needs", "thresholds") else [1] * len(values)
    durations = _durations(block, servers, used)
    if use == "compatible":
        values = [frozenset(s - 1 for s in own) for own in values]
    rows = zip(values, durations, probabilities, strict=True)
    classes = [
        JobClass(**{USES[use]: v} if use else {}, duration=X, probability=p) for v, X, p in rows
    ]
    return System(servers, classes, limit=block.get("limit"))


def _durations(block: Mapping[str, Any], servers: Any, used: list[int]) -> tuple[Size, ...]:
    """X_c, given the number of servers a job can use: X_c = S_c n/v_c from sizes."""
    if "durations" in block:
        return read_sizes(block["durations"])
    capacity = servers if isinstance(servers, int) else math.fsum(servers)
    if math.isclose(capacity, 1, rel_tol=0, abs_tol=SUM_TOLERANCE):
        capacity = 1
    pairs = zip(read_sizes(block["sizes"]), used, strict=True)
    return tuple(S if capacity == v else scaled(S, capacity / v) for S, v in pairs)
