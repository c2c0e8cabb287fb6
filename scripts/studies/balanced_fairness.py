"""Mean service rates under balanced fairness against the load, class by class, exact.

With exponential sizes these are the rates of the service interruptions of `parallel-processing` as
well, however many there are. Towards a load of 0 they tend to the capacity of a class's servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from quantities.sharing_models import names_of, read_servers

UNITS = {
    "load": "1",
    "class": "name",
    "mean_service_rate": "work per unit of time",
    "mean_jobs": "jobs",
    "limit": "1",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a load and class; loads from `limit` on are left out."""
    servers = read_servers(parameters["system"])
    names, limit = names_of(servers), servers.limit
    rows = []
    for load in np.linspace(0, parameters["load"], parameters["points"] + 1)[1:]:
        if load < limit:
            rates, work = servers.service_rates(load), servers.work(load)
            rows += [
                (load, name, rate, brought / rate, limit)
                for name, rate, brought in zip(names, rates, work, strict=True)
            ]
    return pd.DataFrame(rows, columns=list(UNITS))
