"""Systems whose durations have phases, as config describes them."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from declared.block import Block, misfit, require
from declared.vocabulary import Needs, Probabilities, Servers
from models.sizes import Sizes, read_sizes
from multiserver.open.head_age import LARGEST, reaches
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.simulation.workload import Workload


class PhasedBlock(Block):
    """n servers, and classes whose durations are phase-type."""

    servers: Servers
    needs: Needs
    durations: Sizes
    probabilities: Probabilities

    @model_validator(mode="after")
    def _exists(self) -> Self:
        expected = "a system that can exist (from servers, needs, durations, probabilities)"
        sizes = read_sizes(block.plain() for block in self.durations)
        try:
            Workload(self.servers, tuple(self.needs), sizes, tuple(self.probabilities), 1.0)
            fronts, _ = count_fronts(self.jobs)
        except ValueError as error:
            raise misfit(str(error), expected) from None
        require(
            reaches(self.jobs),
            f"{fronts:.2g} states of the front",
            f"at most {LARGEST}, or two needs and exponential durations of the smaller: fewer"
            " servers, classes or phases",
            "durations",
        )
        return self

    @property
    def jobs(self) -> PhasedJobs:
        """The jobs as the library knows them."""
        sizes = read_sizes(block.plain() for block in self.durations)
        return PhasedJobs.of(self.servers, self.needs, sizes, self.probabilities)
