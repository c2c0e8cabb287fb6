"""Systems with durations of any distribution, or of phase-type ones, as config describes them."""

from __future__ import annotations

from atlas.fields.block import refusing, require, requirement
from atlas.models.described_systems import MultiserverJobsBlock, read_system
from multiserver.model import MultiserverJobSystem
from multiserver.open.age_process import MAX_SETTLED_FRONTS, is_feasible
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.sizes import Size

EXISTS = "a system that can exist (from servers, needs, durations, probabilities)"


class DurationsBlock(MultiserverJobsBlock):
    """n servers, and classes whose durations have any distribution with a finite mean."""

    @requirement
    def _exists(self) -> None:
        with refusing(EXISTS):
            _ = self.system

    @property
    def distributions(self) -> tuple[Size, ...]:
        """The distributions of the durations, class by class."""
        jobs = self.model_dump(include=set(MultiserverJobsBlock.model_fields), exclude_none=True)
        return read_system({"multiserver-jobs": jobs}).durations

    @property
    def system(self) -> MultiserverJobSystem:
        """The system with exponential durations of the same means."""
        rates = [1 / X.mean for X in self.distributions]
        return MultiserverJobSystem.of(self.servers, self.needs, rates, self.probabilities)


class PhasedBlock(DurationsBlock):
    """n servers, and classes whose durations are phase-type."""

    @requirement
    def _has_phases(self) -> None:
        with refusing(EXISTS):
            fronts, _ = count_fronts(self.jobs)
        require(
            is_feasible(self.jobs),
            f"{fronts:.2g} states of the front",
            f"at most {MAX_SETTLED_FRONTS}, or two needs and exponential durations of the smaller:"
            " fewer servers, classes or phases",
            "durations",
        )

    @property
    def jobs(self) -> PhasedJobs:
        """The jobs as the library knows them."""
        return PhasedJobs.of(self.servers, self.needs, self.distributions, self.probabilities)
