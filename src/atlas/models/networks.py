"""Networks that config describes.

Servers are numbered from 1 in each queue; classes are numbered from 1 across all queues.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multiserver.sharing.networks import Network
from multiserver.sharing.queue import MultiServerQueue


def read_network(
    block: Mapping[str, Any], scale: float = 1.0, permanent: tuple[int, ...] | None = None
) -> Network:
    """The network, its arrivals times `scale`, with `permanent` jobs instead of its own."""
    queues = tuple(
        MultiServerQueue(
            tuple(queue["capacities"]),
            tuple(frozenset(s - 1 for s in servers) for servers in queue["servers"]),
        )
        for queue in block["queues"]
    )
    populations = tuple(block["populations"]) if permanent is None else permanent
    arrivals = scale * np.array(block["arrivals"], dtype=float)
    return Network(queues, arrivals, block["routing"], populations)
