"""Mean service rates under balanced fairness against the load, class by class, exact.

With exponential sizes these are the rates of the service interruptions of `parallel-processing` as
well, however many there are. Towards a load of 0 they tend to the capacity of a class's servers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from declared.block import Block
from declared.vocabulary import Load, Points
from models.clusters import ClusterBlock
from models.sharing import names_of

UNITS = {
    "load": "1",
    "class": "name",
    "mean_service_rate": "work per unit of time",
    "mean_jobs": "jobs",
    "limit": "1",
}


class Parameters(Block):
    """What to compute."""

    system: ClusterBlock
    load: Load = 0.99
    points: Points = 99

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.system.classes


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row a load and class; loads from `limit` on are left out."""
    servers = parameters.system.read()
    names, limit = names_of(servers), servers.limit
    rows = []
    for load in np.linspace(0, parameters.load, parameters.points + 1)[1:]:
        if load < limit:
            rates, work = servers.service_rates(load), servers.work(load)
            rows += [
                (load, name, rate, brought / rate, limit)
                for name, rate, brought in zip(names, rates, work, strict=True)
            ]
    return pd.DataFrame(rows, columns=list(UNITS))
