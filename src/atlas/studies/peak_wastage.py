"""The mix of two classes that wastes the most servers, for each of several systems."""

from __future__ import annotations

from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from atlas.fields.block import Block, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Text
from atlas.models.feasibility import require_states
from atlas.models.systems import TwoClassBlock
from multiserver.saturated import two_class
from multiserver.saturated.peak import find_peak_wastage

UNITS = {
    "system": Words("name"),
    "servers": "servers",
    "need1": "servers",
    "need2": "servers",
    "mu1": "1/s",
    "mu2": "1/s",
    "p2": "1",
    "load_share_2": "1",
    "wastage": "servers",
    "wastage_per_need2": "1",
    "utilisation": "1",
    "throughput": "jobs/s",
    "lambda1": "jobs/s",
    "lambda2": "jobs/s",
}


class Parameters(Block):
    systems: Annotated[
        dict[Text, TwoClassBlock],
        Field(min_length=1, max_length=1000, description="the systems, by name"),
    ]

    @requirement
    def _are_within_reach(self) -> None:
        for block in self.systems.values():
            require_states(block.servers, block.needs[0], 2001)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per system."""
    return pd.DataFrame(
        [_find(name, **block.plain()) for name, block in parameters.systems.items()]
    )


def _find(name: str, servers: int, needs: list[int], rates: list[float]) -> dict[str, Any]:
    peak = find_peak_wastage(servers, needs, rates)
    p2 = peak.probability_2
    throughput = float(two_class.sweep(servers, needs, rates, p2).throughput)
    return {
        "system": name,
        "servers": servers,
        "need1": needs[0],
        "need2": needs[1],
        "mu1": rates[0],
        "mu2": rates[1],
        "p2": p2,
        "load_share_2": peak.load_share_2,
        "wastage": peak.wastage,
        "wastage_per_need2": peak.wastage / needs[1],
        "utilisation": peak.utilisation,
        "throughput": throughput,
        "lambda1": throughput * (1 - p2),
        "lambda2": throughput * p2,
    }
