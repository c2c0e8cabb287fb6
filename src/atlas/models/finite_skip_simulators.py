"""The simulator of a finite-skip system under a policy, job by job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from atlas.fields.block import misfit
from atlas.models.described_systems import read_queue
from multiserver.errors import NotKnownError
from multiserver.simulation import front_policies
from multiserver.simulation.fcfs import Simulation, Workload
from multiserver.simulation.front import FrontPolicy
from multiserver.simulation.replications import Responses
from multiserver.sizes import Exponential


def simulate(
    parameters: Mapping[str, Any],
    arrival_rate: float,
    *,
    jobs: int,
    replications: int,
    seed: int,
    key: tuple[int, ...],
) -> Responses | Simulation:
    """The policy at arrival rate λ, with `jobs` jobs in all replications together.

    Raises a misfit if it is not simulated job by job with such options.
    """
    effort = {"jobs": jobs, "replications": replications, "seed": seed, "key": key}
    try:
        return read_queue(parameters).simulate(arrival_rate=arrival_rate, **effort).counts
    except NotKnownError as error:
        raise misfit(str(error), "a policy that is simulated job by job", "policy") from None


def read_server_filling(servers: int, needs: Iterable[int]) -> FrontPolicy:
    """ServerFilling for jobs of these needs. Raises `ValueError` unless they divide each other."""
    kinds = sorted(set(needs))
    sizes, chances = [Exponential(1)] * len(kinds), [1 / len(kinds)] * len(kinds)
    return front_policies.server_filling(Workload(servers, kinds, sizes, chances, 1.0))
