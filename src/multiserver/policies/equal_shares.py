"""Equal shares of one server: limited processor sharing."""

from __future__ import annotations

from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.policies.conditions import PHASE_TYPE
from multiserver.policies.fronts import FrontProcess
from multiserver.policies.job_level import FrontRule, front_simulation, workload_of
from multiserver.policies.one_at_a_time import one_at_a_time
from multiserver.policies.policy import Policy
from multiserver.policies.pooled import pooled_bounds, whole_capacity
from multiserver.policies.process import process_methods
from multiserver.simulation.workload import Workload
from multiserver.system import System
from multiserver.wcfs import models
from multiserver.wcfs.bounds import Constants


def _front(system: System) -> FrontProcess:
    return FrontProcess.of(LimitedProcessorSharing(system.limit, system.durations[0]))


def _constants(system: System, refined: bool) -> Constants:
    return models.limited_processor_sharing(system.limit, system.durations[0])


def _front_rule(system: System, arrival_rate: float) -> FrontRule:
    from multiserver.simulation import front_policies

    # To the engine, the places at the server are servers.
    k, shared = system.limit, workload_of(system, arrival_rate)
    workload = Workload(k, (1,), system.durations, (1.0,), arrival_rate, judged_by=shared)
    return workload, front_policies.limited_processor_sharing(workload)


EqualShares = Policy(
    name="equal-shares",
    preemptive=False,
    definition=(
        "The oldest jobs, up to the limit of the system, share the server equally; the others wait"
        " in order of arrival."
    ),
    methods={
        "limited-processor-sharing": (
            whole_capacity("`finite-skip`, Section 5"),
            *one_at_a_time(),
            *process_methods(_front, PHASE_TYPE, source="`finite-skip`, Section 5"),
            pooled_bounds(_constants, "`finite-skip`, Corollary 3.8 and Section 5.4"),
            front_simulation(_front_rule, "`finite-skip`, Section 5"),
        )
    },
)
