"""The two-class product form against the enumerated chain: named systems, then random ones.

The gap of the throughput is relative, that of the wastage a share of the servers, and that of a
distribution the largest difference of a probability. The last column is the largest violation of
local balance (`two-class-stability`, Eq. (4)).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE, Block, require, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Seed
from atlas.models.feasibility import require_enumerable
from atlas.models.sampling import Progress
from atlas.models.systems import Systems
from multiserver.saturated.agreement import compare, draw_system

UNITS = {
    "system": Words("name"),
    "systems": "count",
    "states": "count",
    "throughput_gap": "1",
    "wastage_gap": "1",
    "embedded_gap": "1",
    "time_gap": "1",
    "local_balance": "1",
}


class RandomSystems(Block):
    """The number of random systems, and the most servers of each."""

    count: Annotated[int, Field(ge=1, le=100_000, description="how many systems"), WHOLE] = 500
    largest: Annotated[int, Field(ge=2, le=1000, description="the most servers"), WHOLE] = 80


class Parameters(Block):
    systems: Systems
    random: RandomSystems = RandomSystems()
    seed: Seed

    @requirement
    def _have_two_classes(self) -> None:
        for name, block in self.systems.items():
            found = f"{len(block.needs)} classes"
            require(len(set(block.needs)) == 2, found, "two needs", "systems", name)


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the states of all systems can be enumerated."""
    for name, block in parameters.systems.items():
        require_enumerable(block.servers, block.needs, "systems", name)


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per named system, and one for the worst gaps over all random systems."""
    rows = []
    for name, block in parameters.systems.items():
        gaps = compare(block.system)
        rows.append({"system": name, "systems": 1} | asdict(gaps))
    random = parameters.random
    rng = np.random.default_rng(parameters.seed)
    drawn = [draw_system(rng, random.largest) for _ in range(random.count)]
    worst = pd.DataFrame([asdict(compare(system)) for system in progress(drawn)]).max()
    rows.append({"system": "random", "systems": random.count} | worst.to_dict())
    return pd.DataFrame(rows).astype({"states": int})
