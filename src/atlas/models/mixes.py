"""Mixes of jobs that need 1, n/2 or n servers, where large jobs are rare: a fraction of about n^−α.

Large jobs have probabilities s_half n^−α and s_all n^−α, with `shares` s, and `rates` μ_half and
μ_n; small jobs have rate μ_1 n^e (`multilevel-scaling`, Section 10). On a *growing* number of
servers n there is one kind of large jobs, with a given share of all jobs or of the demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from atlas.fields.block import INCREASING, WHOLE, Block, require, require_one, requirement
from atlas.fields.vocabulary import (
    LARGEST,
    InnerProbability,
    RateExponent,
    Shares,
    ThreeRates,
    TwoRates,
)
from multiserver.model import ExponentialClass, MultiserverJobSystem

# With jobs of n/2 servers an exact solution takes time and memory in proportion to n.
MOST_HALVES = 10**7


class MixBlock(Block):
    """The shares of the large jobs, and the rates."""

    shares: Shares
    rates: ThreeRates = [1.0, 1.0, 1.0]
    rate_1_exponent: RateExponent = 0

    @requirement
    def _is_within_reach(self) -> None:
        sizes = getattr(self, "sizes", None) or [self.servers]
        found = f"{max(sizes)} servers and jobs that need half of them"
        reach = self.shares[0] == 0 or max(sizes) <= MOST_HALVES
        require(reach, found, f"at most {MOST_HALVES} servers, or shares [0, 1]")

    def needs_of(self, servers: int) -> list[int]:
        """The needs of the existing classes. At an end of the axis the class of need 1 may have
        probability 0."""
        pairs = zip((servers // 2, servers), self.shares, strict=True)
        return [1, *(need for need, share in pairs if share > 0)]


def build_mix(parameters: Mapping[str, Any], alpha: float) -> MultiserverJobSystem:
    """The system at one exponent; classes of probability 0 are left out."""
    n, (mu_1, mu_half, mu_all) = parameters["servers"], parameters["rates"]
    half, all_ = (share * n**-alpha for share in parameters["shares"])
    columns = (
        (1, mu_1 * n ** parameters["rate_1_exponent"], 1 - half - all_),
        (n // 2, mu_half, half),
        (n, mu_all, all_),
    )
    return MultiserverJobSystem(
        n, tuple(ExponentialClass(*column) for column in columns if column[2] > 0)
    )


class GrowingBlock(Block):
    """Systems on growing numbers of servers, with exponential durations: needs 1 and n, or 1 and
    n/2."""

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

    @requirement
    def _exist(self) -> None:
        require_one(self, "probability", "demand")
        for i, n in enumerate(self.sizes if self.large == "n/2" else ()):
            require(n % 2 == 0 and n >= 4, f"{n} servers", "even numbers from 4 on", "sizes", i)

    def system(self, servers: int) -> MultiserverJobSystem:
        """The system with this number of servers."""
        p, need = self.probability, servers if self.large == "n" else servers // 2
        if self.demand is not None:
            # p v/μ₂ : (1 − p)/μ₁ is the ratio of the demands.
            odds = self.demand / (1 - self.demand) * self.rates[1] / (self.rates[0] * need)
            p = odds / (1 + odds)
        return MultiserverJobSystem.of(servers, (1, need), self.rates, (1 - p, p))
