"""Workloads of one class to three, heavy, light and overloaded, and those of a given load."""

from __future__ import annotations

from multiserver.simulation.fcfs import Workload
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Hyperexponential, Pareto

P10 = 10**-0.8
WORKLOADS = {
    "M/M/1": Workload(1, (1,), (Exponential(1),), (1,), 0.8),
    "1-10-10": Workload(
        10, (1, 10), (Exponential(1),) * 2, (1 - P10, P10), 5 / (1 - P10 + 10 * P10)
    ),
    "several": Workload(
        17,
        (2, 7, 3),
        (Hyperexponential((9, 0.5), (0.6, 0.4)), Erlang(3, 4.0), Pareto(2.5, 0.3)),
        (0.5, 0.2, 0.3),
        3.0,
    ),
    "values": Workload(6, (4, 1), (Bimodal((0.5, 4), (0.8, 0.2)), Deterministic(1)), (0.3, 0.7), 2),
    "many servers": Workload(900, (1, 250), (Exponential(1), Exponential(2)), (0.99, 0.01), 450),
    "overloaded": Workload(5, (1, 3), (Exponential(1), Exponential(1)), (0.5, 0.5), 9.0),
}


def workload_at(load, servers, needs, sizes, probabilities):
    unit = Workload(servers, needs, sizes, probabilities, 1.0)
    return Workload(servers, needs, sizes, probabilities, load / unit.load)
