"""The jobs that pass before a simulation measures, and whether they are too many.

They are most at the highest load, so that one check there serves all points of a series.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from atlas.fields.block import refusing
from atlas.models.finite_skip import Exact, Model
from multiserver.policies.shared_methods import workload_of
from multiserver.simulation.workload import TooManyJobsError, refuse_endless
from multiserver.system import System


@contextmanager
def refusing_endless(*at: str | int) -> Iterator[None]:
    """Raise a misfit, at a key, in place of the error of a simulation of too many jobs."""
    expected = "durations, or shares of the jobs, that are less far apart"
    with refusing(expected, *at, of=TooManyJobsError):
        yield


def require_short_warm_up(system: System, load: float, *at: str | int) -> None:
    """Raise a misfit, at a key, if too many jobs arrive before a simulation measures."""
    with refusing_endless(*at):
        refuse_endless(workload_of(system, system.arrival_rate(load)))


def require_short_warm_ups(
    models: Iterable[Model], exact: Iterable[Exact | None], loads: Iterable[float]
) -> None:
    """The same for models that are simulated at all loads, as far as they are stable, since no
    exact solution is known. Of parallel processing a simulation itself finds it."""
    for model, solution in zip(models, exact, strict=True):
        if solution is None and model.queue.system.model != "parallel-processing":
            for load in loads:
                if not model.refuses(load):
                    require_short_warm_up(model.queue.system, load, "loads")


class SimulatedAtLoads:
    """For the parameters of a study that simulates its `queue` at `loads`, the highest last."""

    @property
    def known_system(self) -> System | None:
        """The system that is simulated; None if it is known only once a log has been read."""
        return self.queue.system

    def require_short_warm_up(self, *at: str | int) -> None:
        """Raise a misfit, at a key, if the system is known and too many jobs arrive before a
        simulation measures."""
        if system := self.known_system:
            require_short_warm_up(system, self.loads[-1], *at)

    @property
    def further_jobs(self) -> int:
        """The jobs that arrive before the replications of a point measure, at the highest load; 0
        as long as the system is not known."""
        if (system := self.known_system) is None:
            return 0
        workload = workload_of(system, system.arrival_rate(self.loads[-1]))
        return self.replications * workload.least_warm_up
