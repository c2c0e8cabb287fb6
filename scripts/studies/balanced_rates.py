"""The rates φ(x) of balanced fairness for two classes, over the numbers x of jobs present.

Beside them stand the ranks μ(A), which bound the capacity set: φ_1 ≤ μ({1}), φ_2 ≤ μ({2}) and
φ_1 + φ_2 ≤ μ({1, 2}).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from multiserver.sharing.balanced_fairness import rates
from quantities.sharing_models import AssignedServers, read_servers

UNITS = {
    "jobs_1": "jobs",
    "jobs_2": "jobs",
    "rate_1": "work per unit of time",
    "rate_2": "work per unit of time",
    "rank_1": "work per unit of time",
    "rank_2": "work per unit of time",
    "rank": "work per unit of time",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a state of at most `most` jobs of each class, but for the empty one."""
    servers = read_servers(parameters["system"])
    if not isinstance(servers, AssignedServers) or len(servers.servers) != 2:
        raise ValueError(f"the system must have two classes, found {parameters['system']!r}")
    queue = servers.queue
    ranks = queue.ranks()[1:].tolist()
    states = [x for x in product(range(parameters["most"] + 1), repeat=2) if any(x)]
    rows = [(*x, *rates(queue, x).tolist(), *ranks) for x in states]
    return pd.DataFrame(rows, columns=list(UNITS))
