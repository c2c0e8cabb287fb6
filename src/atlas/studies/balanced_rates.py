"""The rates φ(x) of balanced fairness for two classes, over the numbers x of jobs present.

Beside them stand the ranks μ(A), which bound the capacity set: φ_1 ≤ μ({1}), φ_2 ≤ μ({2}) and
φ_1 + φ_2 ≤ μ({1, 2}).
"""

from __future__ import annotations

from itertools import product
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE, Block, require, requirement
from atlas.fields.markers import Resolution
from atlas.models.clusters import ClusterBlock
from multiserver.sharing.balanced_fairness import rates

UNITS = {
    "jobs_1": "jobs",
    "jobs_2": "jobs",
    "rate_1": "work/s",
    "rate_2": "work/s",
    "rank_1": "work/s",
    "rank_2": "work/s",
    "rank": "work/s",
}


class Parameters(Block):
    system: ClusterBlock
    most: Annotated[
        int, Field(ge=1, le=100, description="the most jobs of a class"), WHOLE, Resolution()
    ] = 6

    @requirement
    def _has_two_classes(self) -> None:
        two = self.system.assigned is not None and self.system.classes == 2
        require(two, f"a system of {self.system.classes} classes", "two assigned classes", "system")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per state with at most `most` jobs of each class, except the empty state."""
    queue = parameters.system.read().queue
    ranks = queue.ranks()[1:].tolist()
    states = [x for x in product(range(parameters.most + 1), repeat=2) if any(x)]
    rows = [(*x, *rates(queue, x).tolist(), *ranks) for x in states]
    return pd.DataFrame(rows, columns=list(UNITS))
