"""Stability of the queue with arrivals: Theorems 4.3 and 8.1, and the edge of the region.

Jobs arrive at rate λ, and the limit is λ* = X, the throughput of the saturated system
(`two-class-stability`, Theorem 4.3). Above it the number of jobs N grows at the rate λ − λ*; below
it N has a stationary distribution. Three routes share no formula:

- X by the product form, or by the printed sum of Theorem 8.1 over all 𝓜 phase vectors;
- the drift condition of the queue's own chain, a quasi-birth-death process (Neuts);
- the queue itself, job by job, from empty.

Growth rates are measured from the middle of a run to its end. The effect of the empty start has
then faded if a run is long compared with (1 − λ/λ*)⁻² jobs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Unpack

import numpy as np

from atlas.claims import System
from atlas.claims.product_form import draw_systems, draw_with_one_rate
from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import UNSAMPLED, prepare
from multiserver.open.qbd import solve
from multiserver.saturated import two_class
from multiserver.saturated.formulations import in_service
from multiserver.simulation import fcfs
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.workload import Workload

ROUTE = "simulation of the queue job by job, or the drift of its chain"
CONFIRMED = "λ* by the product form or the printed sum, which the simulation does not use"

REPLICATIONS = 16


def growth(*, fraction_of_limit: float, jobs: int, seed: int, **system: Unpack[System]) -> Estimate:
    """The growth rate of N at λ = `fraction_of_limit` λ*, over λ*; λ* is by the product form of two
    classes.

    Simulated with `jobs` jobs in all. Theorem 4.3 says max(λ/λ* − 1, 0).
    """
    system = MultiserverJobSystem.of(**system)
    return _growth(system, two_class.distribution(system).throughput, fraction_of_limit, jobs, seed)


def growth_with_one_rate(
    *,
    servers: int,
    needs: Sequence[int],
    rate: float,
    probabilities: Sequence[float],
    fraction_of_limit: float,
    jobs: int,
    seed: int,
) -> Estimate:
    """The growth rate of N over λ* for any number of classes with one rate μ; λ* is by the sum of
    Theorem 8.1."""
    system = MultiserverJobSystem.of(servers, needs, [rate] * len(needs), probabilities)
    return _growth(system, _limit_of_printed_sum(system), fraction_of_limit, jobs, seed)


def mean_jobs_over_exact(
    *, fraction_of_limit: float, jobs: int, seed: int, **system: Unpack[System]
) -> Estimate:
    """E[N] of the queue simulated job by job, over that of the stationary distribution, below the
    limit."""
    system = MultiserverJobSystem.of(**system)
    arrival_rate = fraction_of_limit * two_class.distribution(system).throughput
    exact = solve(prepare(system).at(arrival_rate)).mean_jobs
    found = fcfs.simulate(
        Workload.of(system, arrival_rate),
        jobs=math.ceil(jobs / REPLICATIONS),
        replications=REPLICATIONS,
        seed=seed,
    ).mean_jobs
    return replace(
        found,
        mean=found.mean / exact,
        margin=found.margin / exact,
        standard_error=found.standard_error / exact,
    )


def drift_gap(*, count: int, largest: int, seed: int) -> float:
    """The largest relative gap between X by the product form and the λ at which the drift of the
    queue's chain changes its sign, over random systems of two classes."""
    return max(
        abs(prepare(s).throughput / two_class.distribution(s).throughput - 1)
        for s in draw_systems(count, largest, seed)
    )


def drift_gap_with_one_rate(*, count: int, largest: int, seed: int) -> float:
    """The largest relative gap between the printed sum of Theorem 8.1 and the λ at which the drift
    of the queue's chain changes its sign, over random systems with up to four needs."""
    rng = np.random.default_rng(seed)
    systems = [draw_with_one_rate(rng, 2, largest, 2) for _ in range(count)]
    return max(abs(prepare(s).throughput / _limit_of_printed_sum(s) - 1) for s in systems)


def queue_nonempty(*, fraction_of_limit: float, **system: Unpack[System]) -> float:
    """P(queue nonempty) at λ = `fraction_of_limit` λ*, which tends to 1 (Section 1.3)."""
    system = MultiserverJobSystem.of(**system)
    return 1 - _edge(system, fraction_of_limit)[0]


def idle_gap(*, fraction_of_limit: float, **system: Unpack[System]) -> list[float]:
    """E[N_idle] and E[N_idle | queue nonempty] at λ = `fraction_of_limit` λ*, both minus the
    wastage of the saturated system, in servers: they tend to 0 (Section 1.3)."""
    system = MultiserverJobSystem.of(**system)
    wastage = two_class.distribution(system).wastage
    empty, idle, idle_when_queueing = _edge(system, fraction_of_limit)
    return [idle - wastage, idle_when_queueing / (1 - empty) - wastage]


def _growth(
    system: MultiserverJobSystem, limit: float, fraction: float, jobs: int, seed: int
) -> Estimate:
    each, workload = math.ceil(jobs / REPLICATIONS), Workload.of(system, fraction * limit)
    grown, lengths = np.array([grow(workload, each, seed, r) for r in range(REPLICATIONS)]).T
    return estimate(grown, limit * lengths, variance=1.0, jobs=each * REPLICATIONS)


def grow(workload: Workload, jobs: int, seed: int, replication: int) -> tuple[float, float]:
    """The growth of the number of jobs over the second half of the arrivals of a run from empty,
    and its length in time."""
    run = fcfs.trace(workload, jobs, seed=seed, key=(replication,))
    middle, end = run.arrivals[jobs // 2], run.arrivals[-1]
    ends = np.sort(run.starts + run.durations)
    completed = np.diff(np.searchsorted(ends, [middle, end], side="right"))[0]
    return float(jobs - jobs // 2 - 1 - completed), float(end - middle)


def _limit_of_printed_sum(system: MultiserverJobSystem) -> float:
    """μ / Σ_m ∏ p_{m_j} / σ(m), term by term over all vectors m of n needs."""
    total = 0.0
    for m in product(range(len(system.needs)), repeat=system.servers):
        total += math.prod(system.probabilities[c] for c in m) / in_service(system, m)
    return system.rates[0] / total


def _edge(system: MultiserverJobSystem, fraction: float) -> tuple[float, float, float]:
    """P(queue empty), E[N_idle] and E[N_idle; queue nonempty], from the queue's chain.

    A job that blocks the head of the queue is in the queue.
    """
    blocks = prepare(system)
    result = solve(blocks.at(fraction * blocks.throughput))
    empty = idle = idle_when_queueing = 0.0
    masses = (*result.boundary, result.above)
    for level, (mass, fronts) in enumerate(zip(masses, blocks.fronts, strict=True)):
        counts = np.array([counts for counts, _ in fronts])
        blocked = np.array([head != UNSAMPLED for _, head in fronts])
        free = system.servers - counts @ np.array(system.needs)
        queueing = (counts.sum(axis=1) + blocked < level) | (blocked > 0)
        empty += mass @ ~queueing
        idle += mass @ free
        idle_when_queueing += mass @ (free * queueing)
    return float(empty), float(idle), float(idle_when_queueing)
