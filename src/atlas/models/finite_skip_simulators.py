"""The simulator of a finite-skip system under a policy, job by job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from atlas.fields.block import refusing
from multiserver.errors import NotKnownError
from multiserver.queue import Queue
from multiserver.results import Result
from multiserver.simulation import front_policies
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.front import FrontPolicy
from multiserver.sizes import Exponential


def simulate(queue: Queue, **options: Any) -> Result[Estimate]:
    """The result of `Queue.simulate(**options)`. Raises a misfit if the policy cannot be simulated
    job by job with these options."""
    with refusing("a policy that is simulated job by job", "policy", of=NotKnownError):
        return queue.simulate(**options)


def read_server_filling(servers: int, needs: Iterable[int]) -> FrontPolicy:
    """ServerFilling for jobs of these needs. Raises `ValueError` unless they divide each other."""
    kinds = sorted(set(needs))
    sizes, chances = [Exponential(1)] * len(kinds), [1 / len(kinds)] * len(kinds)
    return front_policies.server_filling(Workload(servers, kinds, sizes, chances, 1.0))
