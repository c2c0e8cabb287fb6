"""Fastest Server First on servers of different speeds."""

from __future__ import annotations

from multiserver.errors import NotKnownError
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.policies.conditions import PHASE_TYPE
from multiserver.policies.fronts import FrontProcess
from multiserver.policies.job_level import FrontRule, front_simulation, workload_of
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Policy
from multiserver.policies.pooled import pooled_bounds, whole_capacity
from multiserver.policies.process import process_methods
from multiserver.simulation.workload import Workload
from multiserver.sizes import Size, scaled
from multiserver.system import System
from multiserver.wcfs import models
from multiserver.wcfs.bounds import Constants


def _normalised(system: System) -> tuple[tuple[float, ...], Size]:
    """The speeds as shares of the capacity, and the size in capacity times time."""
    total, duration = system.capacity, system.durations[0]
    # A sum of 1 + 1e-10 is not 1: near ρ = 1 its digits are those of 1 − ρ.
    if total == 1:
        return system.speeds, duration
    return tuple(v / total for v in system.speeds), scaled(duration, 1 / total)


def _front(system: System, migration: str) -> FrontProcess:
    return FrontProcess.of(HeterogeneousServers(system.speeds, system.durations[0], migration))


def _constants(system: System, refined: bool) -> Constants:
    speeds, size = _normalised(system)
    return models.heterogeneous(speeds, size, fastest_first=True)


def _front_rule(system: System, arrival_rate: float, migration: str) -> FrontRule:
    from multiserver.simulation import front_policies

    if migration != "age":
        raise NotKnownError(
            f"migration {migration!r} is not simulated job by job; ask exact(), bounds(),"
            " simulate(level='phases')"
        )
    speeds, size = _normalised(system)
    equal = workload_of(system, arrival_rate)
    workload = Workload(len(speeds), (1,), (size,), (1.0,), arrival_rate, judged_by=equal)
    return workload, front_policies.fastest_server_first(workload, speeds)


FastestServerFirst = Policy(
    name="fastest-server-first",
    preemptive=True,
    definition=(
        "Jobs start in order of arrival, and with j jobs present the j fastest servers work. When a"
        " job completes, by migration='age', all younger jobs move up by one server; by 'slot' the"
        " next job of the queue, or the job on the slowest busy server, takes the idle one."
    ),
    options={"migration": "age"},
    choices={"migration": ("age", "slot")},
    methods={
        "heterogeneous": (
            whole_capacity("`finite-skip`, Section 4"),
            *one_at_a_time(),
            *process_methods(_front, PHASE_TYPE, source="`finite-skip`, Section 4"),
            pooled_bounds(_constants, "`finite-skip`, Corollary 3.8 and Section 4.4"),
            front_simulation(_front_rule, "`finite-skip`, Section 4"),
        )
    },
)
