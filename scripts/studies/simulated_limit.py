"""λ* under FCFS for durations of any law, from the servers held while jobs always wait."""

from __future__ import annotations

from typing import Self

import pandas as pd
from pydantic import model_validator

from declared.block import misfit
from declared.vocabulary import Needs, Probabilities, Servers
from models.sizes import Sizes, read_sizes
from models.streams import stream_key
from models.systems import SimulatedBlock
from multiserver.model import MultiserverJobSystem
from multiserver.simulation.saturated import hold
from multiserver.sizes import Size

UNITS = {
    "scv": "1",
    "limit": "jobs/s",
    "utilisation": "1",
    "half_width": "1",
    "jobs": "jobs",
    "effective_size": "1",
}


class Parameters(SimulatedBlock):
    """What to compute."""

    servers: Servers
    needs: Needs
    durations: Sizes
    probabilities: Probabilities

    @model_validator(mode="after")
    def _exists(self) -> Self:
        try:
            _ = self.system
        except ValueError as error:
            expected = "a system that can exist (from servers, needs, durations, probabilities)"
            raise misfit(str(error), expected) from None
        return self

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The durations, class by class."""
        return read_sizes(block.plain() for block in self.durations)

    @property
    def system(self) -> MultiserverJobSystem:
        """The system with exponential durations of the same means."""
        rates = [1 / X.mean for X in self.sizes]
        return MultiserverJobSystem.of(self.servers, self.needs, rates, self.probabilities)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row; c² is that of the first class's durations."""
    system, sizes = parameters.system, parameters.sizes
    held = hold(
        system,
        sizes,
        jobs=parameters.jobs,
        replications=parameters.replications,
        seed=parameters.seed,
        key=(stream_key(parameters),),
    )
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
