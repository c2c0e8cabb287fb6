"""The simulator of a finite-skip system under a policy, job by job."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from multiserver.simulation import class_policies, class_queues, fcfs, front, front_policies
from multiserver.simulation.fcfs import Simulation, Workload
from multiserver.simulation.replications import Responses
from multiserver.sizes import Size
from sizing import read_size, read_sizes

BY_CLASS = {
    "inelastic-first": class_policies.inelastic_first,
    "elastic-first": class_policies.elastic_first,
    "max-weight": class_policies.max_weight,
    "least-servers-first": class_policies.least_servers_first,
    "most-servers-first": class_policies.most_servers_first,
    "preemptive-first-fit": class_policies.preemptive_first_fit,
}
RATES, TIMES = {"rate", "rates"}, {"value", "values", "scale"}


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
    workload = read_workload(parameters, arrival_rate)
    effort = {"jobs": math.ceil(jobs / replications), "replications": replications}
    source = {"seed": seed, "key": key}
    policy = parameters["policy"]
    if policy in BY_CLASS:
        return class_queues.simulate(workload, BY_CLASS[policy], **effort, **source)
    ((kind, system),) = parameters["system"].items()
    match kind, policy:
        case "heterogeneous", _:
            model = front_policies.fastest_server_first(workload, system["speeds"])
        case "limited-processor-sharing", _:
            model = front_policies.limited_processor_sharing(workload)
        case "threshold-parallelism", _:
            model = front_policies.threshold_parallelism(workload)
        case _, "server-filling":
            model = front_policies.server_filling(workload)
        case _, "server-filling-divisible":
            model = front_policies.server_filling_divisible(workload)
        case _:
            return fcfs.simulate(workload, **effort, **source)
    return front.simulate(workload, model, **effort, **source)


def read_workload(parameters: Mapping[str, Any], arrival_rate: float) -> Workload:
    """Jobs as the engines take them: needs, and the time that each takes on that many servers."""
    ((kind, block),) = parameters["system"].items()
    if kind == "multiserver-jobs":
        return Workload(
            block["servers"],
            block["needs"],
            read_sizes(block["durations"]),
            block["probabilities"],
            arrival_rate,
        )
    if kind == "threshold-parallelism":
        k, thresholds = block["servers"], block["thresholds"]
        sizes = zip(read_sizes(block["sizes"]), thresholds, strict=True)
        durations = tuple(stretch(size, k / p) for size, p in sizes)
        return Workload(k, thresholds, durations, block["probabilities"], arrival_rate)
    k = block["limit"] if kind == "limited-processor-sharing" else len(block["speeds"])
    return Workload(k, (1,), (read_size(block["size"]),), (1.0,), arrival_rate)


def stretch(size: Size, factor: float) -> Size:
    """The distribution of `factor` times a size."""
    scaled = {}
    for field in fields(size):
        value = getattr(size, field.name)
        if field.name in RATES | TIMES:
            by = factor if field.name in TIMES else 1 / factor
            many = isinstance(value, tuple)
            scaled[field.name] = tuple(by * x for x in value) if many else by * value
    return replace(size, **scaled)
