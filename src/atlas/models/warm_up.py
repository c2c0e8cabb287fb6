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


def require_warm_up(system: System, load: float, *at: str | int) -> None:
    """Raise a misfit, at a key, if too many jobs arrive before a simulation measures."""
    with refusing_endless(*at):
        refuse_endless(workload_of(system, system.arrival_rate(load)))


def require_warm_ups(
    models: Iterable[Model], exact: Iterable[Exact | None], loads: Iterable[float]
) -> None:
    """The same for models that are simulated at all loads, as far as they are stable, since no
    exact solution is known. Of parallel processing a simulation itself finds it."""
    for model, solution in zip(models, exact, strict=True):
        if solution is None and model.queue.system.model != "parallel-processing":
            for load in loads:
                if not model.refuses(load):
                    require_warm_up(model.queue.system, load, "loads")


def count_warm_up(system: System, load: float, replications: int) -> int:
    """The jobs that arrive before the replications of a point measure, in all of them together."""
    return replications * workload_of(system, system.arrival_rate(load)).least_warm_up
