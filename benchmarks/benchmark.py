"""Benchmark the mathematics: time different routes to the same number in one run.

The best of several repeats counts; the time of the first call, which includes compilation, is given
separately. Absolute times depend on the machine and its other load, but the ratios to the last
route of each block can be compared. So can the gap: the relative distance of a route's value from
the value of the last route, which the tests show to be exact. Simulators are timed per job, and
their gaps are sampling errors. Other simulators run after `pip install --group benchmark`.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

import job_logs
from atlas.io.tidy import write_table
from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import solve
from multiserver.saturated import stationary, two_class
from multiserver.saturated.one_half_all import one_half_all
from multiserver.saturated.one_or_n import one_or_n
from multiserver.saturated.single_duration import one_half_all_one_rate
from multiserver.simulation import (
    class_policies,
    class_queues,
    fcfs,
    front,
    front_policies,
    interruptions,
    phase,
)
from multiserver.sizes import Hyperexponential
from open_fcfs import blocks as open_blocks
from pipeline import BLOCKS
from route import Route, Routes, compare
from saturated_chain import blocks as saturated_blocks
from simulators import simulate_in_most_queue, simulate_in_simpy
from summation import sum_in_a_loop, sum_in_chunks

UNITS = {
    "block": "name",
    "route": "name",
    "first": "s",
    "time": "s",
    "ratio": "1",
    "gap": "1",
    "memory": "MiB",
    "target": "s",
}
# The required times, on an idle core of a machine of 2026.
TARGETS = {
    ("E[T] at n = 10, half of capacity", "job level"): 60e-9,
    ("policies at ρ = 0.9, a job", "max_weight"): 150e-9,
    ("E[T] of five needs on 20 servers at .9 λ*", "sweeps over levels"): 0.3,
    ("what there is to do for all papers", "without changes"): 2.0,
}


def main() -> None:
    """`--output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    tables = []
    for name, routes in blocks().items():
        table = pd.DataFrame(compare(name, routes, TARGETS), columns=list(UNITS))
        text = table.drop(columns="block").to_string(index=False, float_format="{:.3g}".format)
        print(f"{name}\n{text}\n", flush=True)
        tables.append(table)
    write_table(arguments.output, pd.concat(tables), UNITS)


def blocks() -> dict[str, Routes]:
    """The routes to compare, by block; each returns one number."""
    p2 = np.linspace(0.001, 0.999, 400)
    region = MultiserverJobSystem.of(200, (1, 100), (2.0, 1.0), (0.936, 0.064))
    large = MultiserverJobSystem.of(10**6, (1, 10**5), (1.0, 1.0), (0.5, 0.5))
    half = (0.98, 0.01, 0.01), (1.0, 2.0, 3.0)
    three = MultiserverJobSystem.of(10**4, (1, 5000, 10**4), half[1], half[0])
    vast = (10**8, 1e-16, 1.0, 1.0)
    return {
        "400 mixes at n = 200": {
            "enumerated chain, one mix": lambda: stationary.solve(region).throughput,
            "product form, one mix": lambda: two_class.distribution(region).throughput,
            "product form, all 400": lambda: two_class.sweep(
                200, (1, 100), (2.0, 1.0), np.append(p2, 0.064)
            ).throughput[-1],
        },
        "λ* at n = 1e6": {"product form": lambda: two_class.distribution(large).throughput},
        "E[Δ] of needs 1 and n at n = 1e8": {
            "naive sum": lambda: sum_in_chunks(*vast),
            "compiled loop": lambda: sum_in_a_loop(*vast),
            "closed form": lambda: one_or_n(*vast).relative_completions,
        },
        "E[Δ] of three needs at n = 1e4": {
            "enumerated chain": lambda: stationary.solve(three).mean_relative_completions,
            "recursion": lambda: one_half_all(10**4, *half).relative_completions,
        },
        "λ* of three needs at n = 1e8": {
            "closed form, one rate": lambda: one_half_all_one_rate(10**8, 1e-8, 1e-8).throughput,
        },
        "E[T] at n = 10, half of capacity": response_time(),
        "policies at ρ = 0.9, a job": policies(),
        "interruptions at ρ = 0.9, a jump": sharing(),
        "mean need of the jobs of a log, a row": job_logs.routes(),
        **saturated_blocks(),
        **open_blocks(),
        **BLOCKS,
    }


def response_time() -> Routes:
    """Routes to E[T] of needs 1 and 10 with p10 = 10^−0.8; simulations are timed per job."""
    p10 = 10**-0.8
    system = MultiserverJobSystem.of(10, (1, 10), (1.0, 1.0), (1 - p10, p10))
    rate = 0.5 * system.naive_throughput
    prepared = prepare(system)
    chain = prepared.at(rate)

    def job_level(jobs: int) -> float:
        load = fcfs.Workload.of(system, rate)
        return fcfs.simulate(load, jobs=jobs, replications=2, seed=1).mean_response_time.mean

    def phase_level(jobs: int, steps: int | None) -> float:
        return phase.simulate(chain, jobs, seed=1, steps=steps).mean_response_time.mean

    others = {
        "SimPy": (simulate_in_simpy, "simpy", 20_000),
        "most-queue": (simulate_in_most_queue, "most_queue", 20_000),
    }
    return {
        **{
            name: Route(lambda run=run, jobs=jobs: run(system, rate, jobs)[0], jobs)
            for name, (run, package, jobs) in others.items()
            if find_spec(package)
        },
        "job level": Route(lambda: job_level(10**6), 2 * 10**6),
        "phase level, single steps": Route(lambda: phase_level(10**7, 1), 10**7),
        "phase level, skeleton": Route(lambda: phase_level(10**8, None), 10**8),
        "exact": lambda: solve(prepared.at(rate)).mean_response_time,
    }


def policies() -> Routes:
    """E[T] under the policies of `finite-skip`, Fig. 7, timed per job. These are not routes to one
    number: the gaps compare the policies."""
    load = MultiserverJobSystem.of(4, (1, 2, 4), (1.0, 8.0, 64.0), (4 / 7, 2 / 7, 1 / 7))
    workload = fcfs.Workload.of(load, 0.9 * load.naive_throughput)
    jobs, replications = 10**5, 2

    def by_class(policy) -> float:
        found = class_queues.simulate(
            workload, policy, jobs=jobs, replications=replications, seed=1
        )
        return found.mean_response_time.mean

    def by_front() -> float:
        policy = front_policies.server_filling(workload)
        found = front.simulate(workload, policy, jobs=jobs, replications=replications, seed=1)
        return found.mean_response_time.mean

    names = ("max_weight", "least_servers_first", "most_servers_first", "preemptive_first_fit")
    runs = {name: getattr(class_policies, name) for name in names}
    routes = {name: Route(lambda p=p: by_class(p), jobs * replications) for name, p in runs.items()}
    return {**routes, "server_filling": Route(by_front, jobs * replications)}


def sharing() -> Routes:
    """γ of `parallel-processing`, Section 8, timed per jump: 3 servers, and 3 of 100."""
    size = Hyperexponential((0.2, 5.0), (1 / 6, 5 / 6))
    jumps = 10**6

    def run(capacities: tuple[float, ...], *classes) -> float:
        rate = 0.9 * sum(capacities) / len(classes)
        jobs = [interruptions.ParallelClass(rate, size, servers) for servers in classes]
        cluster = interruptions.Cluster(capacities, tuple(jobs), 1.0)
        found = interruptions.simulate(
            cluster, seed=1, replications=range(2), warmup=0, jumps=jumps // 2
        )
        return found.service_rate[0].mean

    return {
        "2 classes, 3 servers": Route(lambda: run((1.0, 1.0, 1.0), (0, 2), (1, 2)), jumps),
        "3 of 100 servers": Route(lambda: run((1.0,) * 100, 3), jumps),
    }


if __name__ == "__main__":
    main()
