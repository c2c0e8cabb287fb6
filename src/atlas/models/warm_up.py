"""What is found out before a series is simulated: λ*, exact solutions, and whether too many jobs
pass before a simulation measures.

These jobs are most at the highest load, so that one check there serves all points of a series.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from atlas.fields.block import refusing
from atlas.models.finite_skip import Exact, Model, read_model
from atlas.models.policies import PolicyBlock
from multiserver.policies.job_level import workload_of
from multiserver.queue import Queue
from multiserver.simulation.workload import TooManyJobsError, refuse_endless
from multiserver.system import System

# The relative half-width of a simulated λ*.
LIMIT_HALF_WIDTH = 1e-3


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


def find_limit(queue: Queue, seed: int) -> float:
    """λ*; simulated to a relative half-width of `LIMIT_HALF_WIDTH` if no chain within reach gives
    it. Raises a misfit, at the rates, if too many jobs arrive before that measures."""
    with refusing_endless("rates"):
        return queue.stability(half_width=LIMIT_HALF_WIDTH, seed=seed).limit


def solve_policies(
    parameters: Any, most_states: int
) -> list[tuple[PolicyBlock, Model, Exact | None]]:
    """The `policies` of a study with their models, and their exact solutions if known. Raises a
    misfit, at the loads, if one without is stable at a load and too many jobs arrive there before a
    simulation measures. Of parallel processing a simulation itself finds it."""
    system, found = parameters.system.plain(), []
    for policy in parameters.policies:
        model = read_model({"system": system, "policy": policy.plain()})
        exact = model.exact(most_states, parameters.enough)
        if exact is None and model.queue.system.model != "parallel-processing":
            for load in parameters.loads:
                if not model.refuses(load):
                    require_short_warm_up(model.queue.system, load, "loads")
        found.append((policy, model, exact))
    return found


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
