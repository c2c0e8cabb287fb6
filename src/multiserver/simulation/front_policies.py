"""The work-conserving finite-skip models of `finite-skip`, Sections 4 to 7 and Appendix B.

Each is a small function of the front and the bound n on its jobs; see `FRONT_POLICY` for the
arguments. The k servers are those of the workload. Stability depends on the load alone: a model is
stable if its load is below 1.

===========================  =====================  ==================  ============
model                        requirement of a job   full front          n
===========================  =====================  ==================  ============
`server_filling`             time on its v servers  Σ v ≥ k             ⌊k/min v⌋
`server_filling_divisible`   time on its v servers  k/v jobs of some v  c(k, supp V)
`fastest_server_first`       size, capacity 1       k jobs              k
`limited_processor_sharing`  size, capacity 1       k jobs              k
`threshold_parallelism`      time on its p servers  Σ p ≥ k             ⌈k/min p⌉
===========================  =====================  ==================  ============
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multiserver.checks import SUM_TOLERANCE, require_divisors
from multiserver.simulation.front import FrontPolicy
from multiserver.simulation.workload import Workload


def server_filling(workload: Workload) -> FrontPolicy:
    """ServerFilling in the exponential setting (Section 7.2.3): needs divide each other and k.

    The front is the shortest run of oldest jobs that need k servers or more together, or all jobs
    if they need fewer. Only these are served: the larger needs first, those of equal need in order
    of arrival, each if it still fits. A full front fills all k servers (Lemma 7.1).

    Raises `ValueError` unless, in increasing order, each need divides the next and the last one k.
    """
    k = workload.servers
    require_divisors(k, workload.needs, each_other=True)
    return FrontPolicy(_server_filling, k // min(workload.needs), float(k))


def server_filling_divisible(workload: Workload) -> FrontPolicy:
    """ServerFilling in the divisible setting (Appendix B.2): needs divide k.

    All jobs that are served have the same need v. Of the needs with at least k/v jobs present, the
    rule takes the one whose (k/v)-th oldest job is the oldest, and serves the k/v oldest jobs of
    that need. If there is none, it takes the need whose jobs fill most servers and serves all of
    them; ties go to the need whose newest job is the oldest. The front holds at most n = c(k, supp
    V) = Σ_v (k/v − 1) + 1 jobs.

    Raises `ValueError` unless every need divides k.
    """
    k, needs = workload.servers, set(workload.needs)
    require_divisors(k, workload.needs)
    return FrontPolicy(_server_filling_divisible, sum(k // v - 1 for v in needs) + 1, float(k))


def fastest_server_first(workload: Workload, speeds: Sequence[float]) -> FrontPolicy:
    """The heterogeneous M/G/k under preemptive Fastest Server First (Section 4), by age.

    The i-th oldest job is served by the i-th fastest server. When a job completes, all newer jobs
    move up by one server. This is not the rule by which the newest job takes over the idle server
    (E[T] differs by about 1 %).

    Raises `ValueError` unless needs are 1 and there are k positive speeds with sum 1.
    """
    k = workload.servers
    _require_single_needs(workload)
    if len(speeds) != k or not min(speeds) > 0 or abs(sum(speeds) - 1) > SUM_TOLERANCE:
        raise ValueError(f"speeds must be {k} positive numbers with sum 1, found {speeds!r}")
    total = math.fsum(speeds)
    fastest_first = tuple(sorted((v / total for v in speeds), reverse=True))
    return FrontPolicy(_fastest_server_first, k, 1.0, fastest_first)


def limited_processor_sharing(workload: Workload) -> FrontPolicy:
    """Limited Processor Sharing (Section 5): the k oldest jobs share a capacity of 1 equally.

    k, the multi-programming level, is the number of servers of the workload. Raises `ValueError`
    unless needs are 1.
    """
    _require_single_needs(workload)
    return FrontPolicy(_limited_processor_sharing, workload.servers, 1.0)


def threshold_parallelism(workload: Workload) -> FrontPolicy:
    """Threshold parallelism, first come, first served (Section 6).

    Needs are the thresholds p. Jobs take p servers each in order of arrival, and the last one takes
    what is left. A job of threshold p that holds q servers is served at rate q/p.
    """
    k = workload.servers
    return FrontPolicy(_threshold_parallelism, -(-k // min(workload.needs)), float(k))


def _server_filling(m, needs, servers, speeds, rates):
    demand, v = 0, 0
    for i in range(m):
        rates[i] = 0.0
        demand += needs[i]
        v = max(v, needs[i])
    idle = servers
    while v > 0:
        smaller = 0
        for i in range(m):
            if needs[i] == v and v <= idle:
                rates[i] = 1.0
                idle -= v
            elif smaller < needs[i] < v:
                smaller = needs[i]
        v = smaller
    return demand >= servers


def _server_filling_divisible(m, needs, servers, speeds, rates):
    # Until the choice is made, rates[i] is how many servers job i and the older jobs of its need
    # fill.
    most, last = 0.0, -1
    for i in range(m):
        older = i - 1
        while older >= 0 and needs[older] != needs[i]:
            older -= 1
        rates[i] = needs[i] + (rates[older] if older >= 0 else 0.0)
        if rates[i] > most:
            most, last = rates[i], i
        if most >= servers:
            break
    for i in range(m):
        rates[i] = 1.0 if i <= last and needs[i] == needs[last] else 0.0
    return most >= servers


def _fastest_server_first(m, needs, servers, speeds, rates):
    for i in range(m):
        rates[i] = speeds[i]
    return m == servers


def _limited_processor_sharing(m, needs, servers, speeds, rates):
    for i in range(m):
        rates[i] = 1.0 / m
    return m == servers


def _threshold_parallelism(m, needs, servers, speeds, rates):
    idle = servers
    for i in range(m):
        held = min(needs[i], idle)
        rates[i] = held / needs[i]
        idle -= held
    return idle == 0


def _require_single_needs(workload: Workload) -> None:
    if set(workload.needs) != {1}:
        raise ValueError(f"needs must be 1 in this model, found {workload.needs!r}")
