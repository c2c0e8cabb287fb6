"""Finite-skip systems and their policies, as config describes them.

Each system is of one of four kinds, of total capacity 1; `models.finite_skip` says what is known of
it.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from declared.block import DIFFERENT, SUMMING_TO_1, WHOLE, Block, require
from declared.vocabulary import Id, Needs, Positive, Probabilities, Servers
from models.finite_skip_queues import KINDS, read_system
from models.sizes import SizeBlock, Sizes
from models.systems import require_equal, require_room
from multiserver.policies import names, policy

Policy = Annotated[
    Id, Field(description="a policy of the library that is defined for the system, by its name")
]
Policies = Annotated[
    list[Policy],
    Field(min_length=1, max_length=20, description="the policies, none twice"),
    DIFFERENT,
]


class HeterogeneousBlock(Block):
    """Servers of these speeds."""

    speeds: Annotated[
        list[Positive],
        Field(min_length=1, max_length=100, description="the speeds of the servers"),
        SUMMING_TO_1,
    ]
    size: SizeBlock


class LimitedProcessorSharingBlock(Block):
    """A server that at most `limit` jobs share."""

    limit: Annotated[
        int, Field(ge=1, le=10_000, description="how many jobs share the server"), WHOLE
    ]
    size: SizeBlock


class ThresholdParallelismBlock(Block):
    """Jobs that run on any number of servers up to a threshold."""

    servers: Servers
    thresholds: Annotated[Needs, Field(description="the most servers of a job, class by class")]
    sizes: Annotated[Sizes, Field(description="in capacity times time, class by class")]
    probabilities: Probabilities

    @model_validator(mode="after")
    def _fit(self) -> Self:
        require_equal(thresholds=self.thresholds, sizes=self.sizes, p=self.probabilities)
        require_room(self.servers, self.thresholds)
        return self


class MultiserverJobsBlock(Block):
    """Jobs that hold a number of servers for a time."""

    servers: Servers
    needs: Needs
    durations: Sizes
    probabilities: Probabilities

    @model_validator(mode="after")
    def _fit(self) -> Self:
        require_equal(needs=self.needs, durations=self.durations, p=self.probabilities)
        require_room(self.servers, self.needs)
        return self


class FiniteSkipSystem(Block):
    """A system of capacity 1 by the name of its model."""

    heterogeneous: HeterogeneousBlock | None = None
    limited_processor_sharing: LimitedProcessorSharingBlock | None = Field(
        None, alias="limited-processor-sharing"
    )
    threshold_parallelism: ThresholdParallelismBlock | None = Field(
        None, alias="threshold-parallelism"
    )
    multiserver_jobs: MultiserverJobsBlock | None = Field(None, alias="multiserver-jobs")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = list(self.plain())
        require(len(given) == 1, f"{given or 'no'} models", f"one of {', '.join(KINDS)}")
        return self

    @property
    def kind(self) -> str:
        """The name of the model."""
        return next(iter(self.plain()))

    @property
    def classes(self) -> int:
        """The number of classes."""
        many = self.multiserver_jobs or self.threshold_parallelism
        return len(many.probabilities) if many else 1


class FiniteSkipBlock(Block):
    """A finite-skip system under a policy."""

    system: FiniteSkipSystem
    policy: Policy

    @model_validator(mode="after")
    def _belong(self) -> Self:
        require_policy(self.system, self.policy, "policy")
        return self

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.system.classes


def require_policy(system: FiniteSkipSystem, name: str, *at: str | int) -> None:
    """Raise a misfit unless the policy is defined for the system."""
    known = names(system.kind)
    require(name in known, repr(name), f"for {system.kind}, one of {', '.join(known)}", *at)
    lacks = policy(name).lacks(read_system(system.plain()))
    require(not lacks, f"{name} in this system", lacks, *at)
