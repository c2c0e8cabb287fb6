"""Means of an open, closed or mixed network of multi-server queues, class by class, exact.

Swept are the `load`, that of the busiest set of transient classes, for which all arrivals are
scaled, and the number of `permanent` jobs. Without transient jobs the load is 0, without permanent
ones their number is.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, product
from typing import Any

import numpy as np
import pandas as pd

from multiserver.sharing.networks import solve
from quantities.sharing_networks import ceilings, load_of, read_network

UNITS = {
    "load": "1",
    "permanent": "jobs",
    "queue": "1",
    "class": "name",
    "throughput": "jobs per unit of time",
    "ceiling": "jobs per unit of time",
    "mean_jobs": "jobs",
    "mean_sojourn_time": "time",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a load, number of permanent jobs and class."""
    network = parameters["network"]
    loads = parameters["loads"] or [0.0]
    if any(network["arrivals"]) != bool(parameters["loads"]):
        raise ValueError("loads must be given if jobs arrive from outside, and only then")
    none = (0,) if parameters["permanent"] else ()
    full = load_of(read_network(network, permanent=none)) if any(network["arrivals"]) else 1.0
    lasts = list(accumulate(len(queue["servers"]) for queue in network["queues"]))
    rows = []
    for load, permanent in product(loads, parameters["permanent"] or [0]):
        populations = (permanent,) if parameters["permanent"] else ()
        here = read_network(network, load / full, populations)
        means, limits = solve(here), ceilings(here)
        for i in range(lasts[-1]):
            rows.append(
                (
                    load,
                    permanent,
                    1 + int(np.searchsorted(lasts, i, side="right")),
                    f"class-{i + 1}",
                    means.throughputs[i],
                    limits[i],
                    means.mean_jobs[i],
                    means.mean_sojourn_times[i],
                )
            )
    return pd.DataFrame(rows, columns=list(UNITS))
