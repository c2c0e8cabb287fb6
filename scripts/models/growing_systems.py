"""Systems of two classes on more and more servers: needs 1 and n, or 1 and n/2, durations
exponential, the large jobs a given share of all jobs or of their demand."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from declared.block import INCREASING, Block, require
from declared.vocabulary import EvenServers, Fraction, InnerProbability, TwoRates
from multiserver.open.head_age import MOST_LISTED
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.sizes import Exponential


class GrowingBlock(Block):
    """The systems, by their numbers of servers."""

    sizes: Annotated[
        list[EvenServers],
        Field(min_length=2, max_length=100, description="the numbers of servers n"),
        INCREASING,
    ]
    large: Annotated[Literal["n", "n/2"], Field(description="the need of the large jobs")]
    rates: TwoRates
    probability: (
        Annotated[InnerProbability, Field(description="of a large job, whatever n is")] | None
    ) = None
    demand: (
        Annotated[Fraction, Field(description="the share of all server-seconds of large jobs")]
        | None
    ) = None

    @model_validator(mode="after")
    def _exist(self) -> Self:
        both = self.probability is not None and self.demand is not None
        neither = self.probability is None and self.demand is None
        found = "probability and demand" if both else "neither probability nor demand"
        require(not both and not neither, found, "one of the two")
        most = sum(count_fronts(self.jobs(self.sizes[-1])))
        found = f"{most:.2g} fronts of {self.sizes[-1]} servers"
        require(most <= MOST_LISTED, found, f"at most {MOST_LISTED}", "sizes")
        return self

    def need(self, servers: int) -> int:
        """That of the large jobs."""
        return servers if self.large == "n" else servers // 2

    def jobs(self, servers: int) -> PhasedJobs:
        """The jobs of the system of so many servers."""
        p, need = self.probability, self.need(servers)
        if self.demand is not None:
            # p v/μ₂ : (1 − p)/μ₁ is the ratio of the demands.
            odds = self.demand / (1 - self.demand) * self.rates[1] / (self.rates[0] * need)
            p = odds / (1 + odds)
        sizes = [Exponential(rate) for rate in self.rates]
        return PhasedJobs.of(servers, (1, need), sizes, (1 - p, p))
