"""The product form of networks against their chains, enumerated job by job.

`law_gap` is the largest difference between a probability of the chain and the product form on the
same states; a chain that loses transient jobs beyond some number keeps the product form. Gaps of
means are relative to the exact solution of the untruncated network.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import WHOLE, Block, requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Text
from atlas.models.feasibility import require_chain, require_means
from atlas.models.networks import NetworkBlock, read_network
from atlas.models.sampling import Progress
from multiserver.sharing.chain import compare

UNITS = {
    "network": Words("name"),
    "queues": "count",
    "classes": "count",
    "states": "count",
    "law_gap": "1",
    "mean_jobs_gap": "1",
    "throughput_gap": "1",
}


class CheckedBlock(Block):
    """A network, and the number of transient jobs at which its chain is truncated."""

    network: NetworkBlock
    most: Annotated[
        int, Field(ge=0, le=20, description="the transient jobs that the chain holds"), WHOLE
    ] = 0

    @requirement
    def _exists(self) -> None:
        network = self.network.require_exists(None)
        require_means(network.queues, network.populations, "network")
        require_chain(network, self.most)


class Parameters(Block):
    networks: Annotated[
        dict[Text, CheckedBlock],
        Field(min_length=1, max_length=100, description="networks, by name"),
    ]


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per network."""
    rows = []
    for name, block in progress(parameters.networks.items()):
        network = read_network(block.network.plain())
        gaps, classes = compare(network, block.most), sum(q.classes for q in network.queues)
        largest_gaps = (gaps.states, gaps.distribution, gaps.mean_jobs, gaps.throughput)
        rows.append((name, len(network.queues), classes, *largest_gaps))
    return pd.DataFrame(rows, columns=list(UNITS))
