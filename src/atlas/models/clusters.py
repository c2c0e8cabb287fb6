"""Clusters and networks of servers that process jobs in parallel, as config describes them.

`models.sharing` and `models.networks` turn them into objects of the library.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from atlas.fields.block import AS_WRITTEN, SUMMING_TO_1, WHOLE, Block, misfit, refusing, require
from atlas.fields.vocabulary import (
    Assignments,
    Capacities,
    Positive,
    Probability,
    Share,
)
from atlas.models.networks import read_network
from atlas.models.sharing import Servers, read_servers
from multiserver.errors import TooLargeError


class AssignedBlock(Block):
    """Every class has a set of servers of its own."""

    capacities: Capacities
    servers: Assignments
    shares: Annotated[
        list[Probability],
        Field(min_length=1, max_length=20, description="the shares of the classes"),
        SUMMING_TO_1,
    ]


class RandomBlock(Block):
    """Every job has some of the servers, chosen uniformly at random."""

    servers: Annotated[int, Field(ge=1, le=10_000, description="the number of servers"), WHOLE]
    degree: Annotated[
        int, Field(ge=1, le=10_000, description="the number d of servers of a job"), WHOLE
    ]
    capacity: Positive = 1


class ClusterBlock(Block):
    """Servers that process jobs in parallel, assigned to classes or at random."""

    assigned: AssignedBlock | None = None
    random: RandomBlock | None = None

    @model_validator(mode="after")
    def _exists(self) -> Self:
        given = list(self.plain())
        require(len(given) == 1, f"{given or 'no'} assignments", "one of assigned, random")
        try:
            _ = self.read().limit
        except (ValueError, IndexError) as error:
            expected = "servers and classes that can exist"
            if isinstance(error, TooLargeError):
                expected = "classes with the same servers made one, or all servers alike: `random`"
            raise misfit(str(error), expected, given[0]) from None
        return self

    def read(self) -> Servers:
        """The servers and classes as the library knows them."""
        return read_servers(self.plain())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.assigned.servers) if self.assigned else 1


class QueueBlock(Block):
    """A queue: its servers, and which of them process each of its classes."""

    capacities: Capacities
    servers: Assignments


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

    @property
    def classes(self) -> int:
        """The number of classes in all queues."""
        return sum(len(queue.servers) for queue in self.queues)

    def require_exists(self, permanent: tuple[int, ...] | None, *at: str | int) -> Any:
        """The network with `permanent` jobs. Raises a misfit if there is no such network."""
        with refusing("a network that can exist", *at, of=(ValueError, IndexError)):
            return read_network(self.plain(), permanent=permanent)
