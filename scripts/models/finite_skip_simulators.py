"""The simulator of a finite-skip system under a policy, job by job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from models.finite_skip_queues import read_queue
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
    """The policy at arrival rate λ, with `jobs` jobs in all replications together."""
    effort = {"jobs": jobs, "replications": replications, "seed": seed, "key": key}
    return read_queue(parameters).simulate(arrival_rate=arrival_rate, **effort).counts


def read_server_filling(servers: int, needs: Iterable[int]) -> FrontPolicy:
    """ServerFilling for jobs of these needs. Raises `ValueError` unless they divide each other."""
    kinds = sorted(set(needs))
    sizes, chances = [Exponential(1)] * len(kinds), [1 / len(kinds)] * len(kinds)
    return front_policies.server_filling(Workload(servers, kinds, sizes, chances, 1.0))
