"""Systems of two classes on a growing number of servers n: needs 1 and n, or 1 and n/2, exponential
durations, and a given share of large jobs among all jobs or in the demand."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from atlas.fields.block import INCREASING, WHOLE, Block, require
from atlas.fields.vocabulary import LARGEST, InnerProbability, TwoRates
from multiserver.model import MultiserverJobSystem


class GrowingBlock(Block):
    """The systems, by their numbers of servers."""

    sizes: Annotated[
        list[
            Annotated[
                int,
                Field(ge=2, le=LARGEST, description="a number of servers n, even for needs of n/2"),
                WHOLE,
            ]
        ],
        Field(min_length=2, max_length=100, description="the numbers of servers n"),
        INCREASING,
    ]
    large: Annotated[Literal["n", "n/2"], Field(description="the need of the large jobs")]
    rates: TwoRates
    probability: Annotated[
        InnerProbability | None, Field(description="of a large job, whatever n is")
    ] = None
    demand: Annotated[
        InnerProbability | None, Field(description="the share of all server-seconds of large jobs")
    ] = None

    @model_validator(mode="after")
    def _exist(self) -> Self:
        given = [key for key in ("probability", "demand") if getattr(self, key) is not None]
        found = " and ".join(given) or "neither probability nor demand"
        require(len(given) == 1, found, "one of the two")
        for i, n in enumerate(self.sizes if self.large == "n/2" else ()):
            require(n % 2 == 0 and n >= 4, f"{n} servers", "even numbers from 4 on", "sizes", i)
        return self

    def system(self, servers: int) -> MultiserverJobSystem:
        """The system with this number of servers."""
        p, need = self.probability, servers if self.large == "n" else servers // 2
        if self.demand is not None:
            # p v/μ₂ : (1 − p)/μ₁ is the ratio of the demands.
            odds = self.demand / (1 - self.demand) * self.rates[1] / (self.rates[0] * need)
            p = odds / (1 + odds)
        return MultiserverJobSystem.of(servers, (1, need), self.rates, (1 - p, p))
