"""Networks of multi-server queues, open, closed or mixed.

Servers are numbered from 1 in each queue; classes are numbered from 1 across all queues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from atlas.fields.block import AS_WRITTEN, WHOLE, Block, refusing, require, requirement
from atlas.fields.vocabulary import Assignments, Capacities, Share
from atlas.models.systems import require_existing
from multiserver.checks import SUM_TOLERANCE
from multiserver.sharing.networks import Network
from multiserver.sharing.queue import MultiServerQueue
from multiserver.sharing.traffic import RoutingError, solve_traffic


class QueueBlock(Block):
    """A queue: its servers, and which of them process each of its classes."""

    capacities: Capacities
    servers: Assignments

    @requirement
    def _name_servers(self) -> None:
        require_existing(len(self.capacities), self.servers, "servers")


class NetworkBlock(Block):
    """A network of multi-server queues."""

    queues: Annotated[
        list[QueueBlock],
        Field(
            min_length=1,
            max_length=20,
            description="the queues, with the servers of their classes, numbered from 1 in each",
        ),
    ]
    arrivals: Annotated[
        list[Annotated[float, Field(ge=0, le=1e12, description="a rate of arrivals"), AS_WRITTEN]],
        Field(
            min_length=1,
            max_length=100,
            description="the rates at which jobs of each class come from outside",
        ),
    ]
    routing: Annotated[
        list[
            Annotated[
                list[Share],
                Field(min_length=1, max_length=100, description="probabilities, class by class"),
            ]
        ],
        Field(
            min_length=1,
            max_length=100,
            description="the probabilities with which a job of a class goes on as one of another",
        ),
    ]
    populations: Annotated[
        list[Annotated[int, Field(ge=0, le=1000, description="a number of jobs"), WHOLE]],
        Field(max_length=100, description="the numbers of permanent jobs, chain by chain"),
    ] = []

    @requirement
    def _fit(self) -> None:
        classes = self.classes
        columns = ("arrivals", self.arrivals), ("routing", self.routing)
        rows = (("routing", i, row) for i, row in enumerate(self.routing))
        for *at, entries in (*columns, *rows):
            found = f"{len(entries)} of {classes} classes in all queues"
            require(len(entries) == classes, found, "an entry for each class", *at)
        for i, row in enumerate(self.routing):
            found = f"{row}, a sum of {sum(row):.12g}"
            expected = "a sum of at most 1: the rest leave"
            require(sum(row) <= 1 + SUM_TOLERANCE, found, expected, "routing", i)
        with refusing("a network that can exist", "routing"), _numbering():
            _ = self.chains

    @property
    def classes(self) -> int:
        """The number of classes in all queues."""
        return sum(len(queue.servers) for queue in self.queues)

    @property
    def chains(self) -> list[list[int]]:
        """The sets of classes that jobs never leave, numbered from 1."""
        chains = solve_traffic(self.arrivals, self.routing).chains
        return [[i + 1 for i in chain] for chain in chains]

    def require_exists(self, permanent: tuple[int, ...] | None) -> Network:
        """The network with `permanent` jobs. Raises a misfit if there is no such network."""
        with refusing("a network that can exist", "network", of=(ValueError, IndexError)):
            return read_network(self.plain(), permanent=permanent)


def read_network(
    block: Mapping[str, Any], scale: float = 1.0, permanent: tuple[int, ...] | None = None
) -> Network:
    """The network, its arrivals times `scale`, with `permanent` jobs instead of its own."""
    queues = [build_queue(**queue) for queue in block["queues"]]
    populations = block["populations"] if permanent is None else permanent
    arrivals = scale * np.array(block["arrivals"], dtype=float)
    with _numbering():
        return Network(queues, arrivals, block["routing"], populations)


@contextmanager
def _numbering() -> Iterator[None]:
    """Number classes from 1 in an error, as config does."""
    try:
        yield
    except RoutingError as error:
        raise ValueError(error.numbered(1)) from None


def build_queue(capacities: Iterable[float], servers: Iterable[Iterable[int]]) -> MultiServerQueue:
    """The queue of servers numbered from 1."""
    return MultiServerQueue(capacities, ([s - 1 for s in own] for own in servers))
