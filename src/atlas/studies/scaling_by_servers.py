"""Throughput and relative completions of the 1-or-n system as n grows, exact and asymptotic.

p_n = n^−α; the growth rates are those of `multilevel-scaling`, Theorems 4.1 and 4.2.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import AS_WRITTEN, INCREASING, WHOLE, Block, require, requirement
from atlas.fields.vocabulary import Points, TwoRates
from multiserver.saturated import asymptotics
from multiserver.saturated.one_or_n import one_or_n

UNITS = {
    "exponent": "1",
    "mu1": "1/s",
    "mun": "1/s",
    "servers": "servers",
    "p_n": "1",
    "throughput": "jobs/s",
    "relative_completions": "jobs",
    "throughput_n_dominated": "jobs/s",
    "relative_completions_n_dominated": "jobs",
    "throughput_all_busy": "jobs/s",
    "relative_completions_one_dominated": "jobs",
}


class Parameters(Block):
    exponent: Annotated[
        float, Field(ge=1e-6, le=100, description="alpha in p_n = n^-alpha"), AS_WRITTEN
    ]
    rates: TwoRates
    servers: Annotated[
        list[Annotated[int, Field(ge=2, le=10**15, description="a number of servers"), WHOLE]],
        Field(min_length=2, max_length=2, description="the fewest and the most servers"),
        INCREASING,
    ] = [10, 100_000_000]
    points: Points = 57

    @requirement
    def _fractions_are_floats(self) -> None:
        rarest = self.exponent * math.log10(self.servers[1])
        expected = "at least 1e-300: a smaller exponent, or fewer servers"
        require(rarest <= 300, f"n^-alpha of 1e-{rarest:.0f}", expected, "exponent")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per number of servers, evenly spaced on a logarithmic axis."""
    alpha, (mu1, mun) = parameters.exponent, parameters.rates
    spaced = np.geomspace(*parameters.servers, parameters.points)
    servers = np.unique(np.round(spaced).astype(np.int64))
    p_n = servers.astype(float) ** -alpha
    exact = [one_or_n(int(n), p, mu1, mun) for n, p in zip(servers, p_n, strict=True)]
    return pd.DataFrame(
        {
            "exponent": alpha,
            "mu1": mu1,
            "mun": mun,
            "servers": servers,
            "p_n": p_n,
            "throughput": [means.throughput for means in exact],
            "relative_completions": [means.relative_completions for means in exact],
            "throughput_n_dominated": asymptotics.throughput_n_dominated(p_n, mu1),
            "relative_completions_n_dominated": asymptotics.relative_completions_n_dominated(p_n),
            "throughput_all_busy": asymptotics.throughput_all_busy(servers, mu1),
            "relative_completions_one_dominated": asymptotics.relative_completions_one_dominated(
                servers, alpha
            ),
        }
    )
