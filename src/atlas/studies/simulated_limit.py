"""λ* under FCFS for durations of any distribution, from the servers held in saturation."""

from __future__ import annotations

import pandas as pd

from atlas.models.phased_systems import DurationsBlock
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock
from atlas.models.warm_up import refusing_endless
from multiserver.simulation.saturated import mean_servers_held

UNITS = {
    "scv": "1",
    "limit": "jobs/s",
    "utilisation": "1",
    "half_width": "1",
    "jobs": "jobs",
    "effective_size": "1",
}


class Parameters(DurationsBlock, SimulatedBlock):
    """What to compute."""


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row; c² is that of the first class's durations."""
    system, sizes = parameters.system, parameters.distributions
    key = (stream_key(parameters),)
    with refusing_endless("durations"):
        held = mean_servers_held(system, sizes, key=key, **parameters.effort())
    n = parameters.servers
    row = (
        sizes[0].variance / sizes[0].mean ** 2,
        held.mean / system.mean_demand,
        held.mean / n,
        held.half_width / n,
        held.jobs,
        held.effective_size,
    )
    return pd.DataFrame([row], columns=list(UNITS))
