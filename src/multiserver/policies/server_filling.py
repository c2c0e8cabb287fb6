"""ServerFilling, which leaves no server idle, in its two settings."""

from __future__ import annotations

from multiserver.open import server_filling
from multiserver.policies.alike import alike_as_one
from multiserver.policies.conditions import (
    MIXED_EXPONENTIAL,
    NEEDS_DIVIDE_EACH_OTHER,
    NEEDS_DIVIDE_SERVERS,
)
from multiserver.policies.equal_needs import methods_of_fcfs
from multiserver.policies.exponential import exponential_parts
from multiserver.policies.fronts import FrontProcess
from multiserver.policies.job_level import FrontRule, front_simulation, workload_of
from multiserver.policies.policy import Policy
from multiserver.policies.pooled import pooled_bounds, whole_capacity
from multiserver.policies.process import process_methods
from multiserver.system import System
from multiserver.wcfs import models
from multiserver.wcfs.bounds import Constants


def _front(system: System) -> FrontProcess:
    parts = exponential_parts(system)
    return FrontProcess.of(server_filling.ServerFilling(parts.system), parts)


def _divisible_front(system: System) -> FrontProcess:
    parts = exponential_parts(system)
    return FrontProcess.of(server_filling.DivisibleServerFilling(parts.system), parts)


def _constants(system: System, refined: bool) -> Constants:
    k, p = system.servers, system.probabilities
    return models.server_filling(k, system.needs, system.durations, p, refined=refined)


def _divisible_constants(system: System, refined: bool) -> Constants:
    k, p = system.servers, system.probabilities
    return models.divisible_server_filling(k, system.needs, system.durations, p, refined=refined)


def _front_rule(system: System, arrival_rate: float) -> FrontRule:
    from multiserver.simulation import front_policies

    workload = workload_of(system, arrival_rate)
    return workload, front_policies.server_filling(workload)


def _divisible_front_rule(system: System, arrival_rate: float) -> FrontRule:
    from multiserver.simulation import front_policies

    workload = workload_of(system, arrival_rate)
    return workload, front_policies.server_filling_divisible(workload)


ServerFilling = Policy(
    name="server-filling",
    preemptive=True,
    definition=(
        "The oldest jobs whose needs sum to n or more, or all jobs if they need fewer, are the"
        " front; its jobs are served preemptively, largest needs first and those of one need in"
        " order of arrival, each if it still fits. For needs that divide each other and n."
    ),
    requires={"multiserver-jobs": (NEEDS_DIVIDE_EACH_OTHER,)},
    methods={
        "multiserver-jobs": alike_as_one(
            whole_capacity("`finite-skip`, Lemma 7.1"),
            *methods_of_fcfs(),
            *process_methods(_front, MIXED_EXPONENTIAL, source="`finite-skip`, Section 7.2"),
            pooled_bounds(_constants, "`finite-skip`, Corollary 3.8 and Section 7.4"),
            front_simulation(_front_rule, "`finite-skip`, Section 7.2.3"),
        )
    },
)

ServerFillingDivisible = Policy(
    name="server-filling-divisible",
    preemptive=True,
    definition=(
        "Of the needs v with n/v jobs present, the one whose (n/v)-th oldest job is the oldest:"
        " its n/v oldest jobs are served, preemptively. If there is none, all jobs of the need"
        " that fills most servers; of such needs, the one whose newest job is the oldest. For"
        " needs that divide n."
    ),
    requires={"multiserver-jobs": (NEEDS_DIVIDE_SERVERS,)},
    methods={
        "multiserver-jobs": alike_as_one(
            whole_capacity("`finite-skip`, Appendix B.2"),
            *methods_of_fcfs(),
            *process_methods(
                _divisible_front, MIXED_EXPONENTIAL, source="`finite-skip`, Appendix B.2"
            ),
            pooled_bounds(_divisible_constants, "`finite-skip`, Corollary 3.8 and Appendix B.2.1"),
            front_simulation(_divisible_front_rule, "`finite-skip`, Appendix B.2"),
        )
    },
)
