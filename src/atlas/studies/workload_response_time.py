"""Mean response time of the jobs of a trace or a table of classes against the load, simulated.

Several policies are compared. Needs are rounded up to powers of two, as ServerFilling requires,
unless `rounding` is `none`. Jobs arrive in a Poisson process and are drawn independently: a need,
and a duration that is exponential with the mean of that need or (`empirical`) drawn from the
durations of that need. FCFS and ServerFilling are simulated by the numbers of jobs if durations are
exponential; otherwise they are simulated job by job, like every other policy. The load is
λ/λ_naive, which is that of the rounded needs. FCFS is unstable at loads of `limit` = λ*/λ_naive or
more. The limit is exact if durations are exponential and the state space is small enough, and
simulated otherwise. Points that are unstable are infinite. Where a simulated limit does not decide,
as the load is within its error or it has no interval, the point is simulated, and infinite if the
number of jobs grows.
"""

from __future__ import annotations

import math

import pandas as pd
from scipy.special import stdtrit

from atlas.fields.block import requirement
from atlas.fields.columns import Words
from atlas.fields.vocabulary import Loads, Servers
from atlas.models.policies import Policies, PolicyBlock, read_policy, require_policies_of
from atlas.models.sampling import Progress
from atlas.models.scored import scored
from atlas.models.streams import stream_key
from atlas.models.systems import SimulatedBlock, with_sizes
from atlas.models.trace_systems import (
    Durations,
    WorkloadAtLoads,
    make_sizes,
    make_system,
    of_needs,
    read_classes,
)
from atlas.models.traces import are_cpus
from atlas.models.warm_up import refusing_endless, require_short_warm_up
from atlas.models.workloads import RoundedBlock, Rounding, States
from multiserver.errors import UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation import exponential_counts
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.instability_test import FALSE_ALARM
from multiserver.simulation.saturated import mean_servers_held

UNITS = {
    "load": "1",
    "policy": Words("name"),
    "arrival_rate": "jobs/s",
    "mean_response_time": "s",
    "half_width": "s",
    "limit": "1",
    "jobs": "jobs",
    "effective_size": "1",
}
# The policies simulated by the numbers of jobs, and whether each is ServerFilling.
COUNTED = {"fcfs": False, "server-filling": True}


class Parameters(WorkloadAtLoads, RoundedBlock, SimulatedBlock):
    rounding: Rounding = "powers-of-two"
    servers: Servers
    policies: Policies = [
        PolicyBlock(name=name) for name in ("fcfs", "preemptive-first-fit", "server-filling")
    ]
    durations: Durations = "empirical"
    loads: Loads
    states: States = 5000

    @requirement
    def _fit(self) -> None:
        self.require_room(self.servers)
        if self.durations == "empirical":
            self.require_jobs("durations: empirical", "durations", "exponential")
        system = of_needs(self.needs, self.servers, self.rounding)
        require_policies_of(system, self.policies)
        self.require_short_warm_up("classes")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load and policy; all policies at one load get the same jobs."""
    given = parameters.plain()
    cells = read_classes(given)
    system = make_system(cells, parameters.servers, by_cpus=are_cpus(given))
    sizes = make_sizes(cells, parameters.durations)
    key = stream_key(parameters)
    limit = unstable_from = math.nan
    if any(policy.name == "fcfs" for policy in parameters.policies):
        with refusing_endless(parameters.jobs_key):
            limit, unstable_from = find_limit(system, sizes, parameters, key)
    require_short_warm_up(with_sizes(system, sizes), parameters.loads[-1], parameters.jobs_key)
    rows = []
    for i, load in progress(list(enumerate(parameters.loads))):
        arrival_rate = load * system.naive_throughput
        for policy in parameters.policies:
            own = limit if policy.name == "fcfs" else math.nan
            row = {"load": load, "policy": policy.label, "arrival_rate": arrival_rate, "limit": own}
            estimate = None
            if policy.name != "fcfs" or load < unstable_from:
                known = None if math.isnan(own) else own * system.naive_throughput
                jobs = system, sizes, arrival_rate, known
                estimate = simulate(*jobs, policy, parameters, (key, 1, i))
            if estimate is None:
                row |= {"mean_response_time": math.inf, "half_width": 0.0, "jobs": 0}
            else:
                row |= scored(estimate) | {"mean_response_time": estimate.mean}
            rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def find_limit(
    system: MultiserverJobSystem, sizes: tuple, parameters: Parameters, key: int
) -> tuple[float, float]:
    """λ*/λ_naive of FCFS, which is the utilisation of the saturated system, and the load from which
    the queue is unstable but for a probability of `FALSE_ALARM`."""
    source = {"key": (key, 0), **parameters.effort()}
    if parameters.durations != "exponential":
        held = mean_servers_held(system, sizes, **source)
    elif (exact := dispatch.solve_within(system, parameters.states)) is not None:
        return exact.utilisation, exact.utilisation
    else:
        held = exponential_counts.mean_servers_held(system, **source)
    error = -float(stdtrit(held.freedom, FALSE_ALARM)) * held.standard_error
    most = held.mean + error if held.settled else math.inf
    return held.mean / system.servers, min(most / system.servers, 1.0)


def simulate(
    system: MultiserverJobSystem,
    sizes: tuple,
    arrival_rate: float,
    stable_below: float | None,
    policy: PolicyBlock,
    parameters: Parameters,
    key: tuple[int, ...],
) -> Estimate | None:
    """E[T], or None if the queue is unstable; `stable_below` is λ*, if it is known. Raises
    `ValueError` if the policy is not defined for these needs."""
    effort = parameters.effort()
    try:
        if parameters.durations == "exponential" and policy.name in COUNTED:
            effort |= {"filling": COUNTED[policy.name], "stable_below": stable_below}
            return exponential_counts.mean_response_time(system, arrival_rate, key=key, **effort)
        queue = with_sizes(system, sizes).under(read_policy(policy.plain()))
        return queue.simulate(arrival_rate=arrival_rate, key=key, **effort).mean_response_time
    except UnstableError:
        return None
