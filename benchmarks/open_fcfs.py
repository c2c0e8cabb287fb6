"""The cost of an exact point of the open FCFS queue, by servers, phases and classes.

Preparation is left out, as all arrival rates share it. The other routes of a block are compared
with the last one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, fcfs_levels, multiserver_jobs, one_or_n, qbd
from multiserver.open.load_interpolation import along
from multiserver.phased import PhasedJobs
from multiserver.saturated import one_or_n as saturated
from multiserver.sizes import Exponential

Point = Callable[[], float]


def of(n: int, large: int, p_large: float, rate_large: float) -> MultiserverJobSystem:
    """Needs 1 and `large`; small jobs last 1 on average."""
    return MultiserverJobSystem.of(n, (1, large), (1.0, rate_large), (1 - p_large, p_large))


def by_age(system: MultiserverJobSystem, fraction: float, *, interpolated: bool = False) -> Point:
    """E[T] at a fraction of λ*, by the age of the head of the queue."""
    jobs = PhasedJobs.exponential(system)
    process = (age_process.interpolate if interpolated else age_process.prepare)(jobs)
    return lambda: process.at(fraction * process.limit).mean_response_time


def by_sweeps(system: MultiserverJobSystem, fraction: float) -> Point:
    """E[T] by sweeps over levels."""
    process = fcfs_levels.prepare(PhasedJobs.exponential(system))
    return lambda: process.at(fraction * process.limit).mean_response_time


def by_level(system: MultiserverJobSystem, fraction: float) -> Point:
    """E[T] by the QBD process with the number of jobs as the level."""
    blocks = multiserver_jobs.prepare(system)
    rate = fraction * blocks.throughput
    return lambda: qbd.solve(blocks.at(rate)).mean_response_time


def by_large_age(system: MultiserverJobSystem, fraction: float) -> Point:
    """E[T] by the age of a large job, for needs 1 and n."""
    (mu_1, mu_n), p = system.rates, system.probabilities
    rate = fraction * saturated.one_or_n(system.servers, p[1], mu_1, mu_n).throughput

    def point() -> float:
        solution = one_or_n.solve(system.servers, mu_1, Exponential(mu_n), p, rate)
        return solution.mean_response_time

    return point


def curve(system: MultiserverJobSystem, loads: int, *, shared: bool) -> Point:
    """E[T_1] summed over `loads` loads up to .99 λ*, point by point or interpolated from a few."""
    process = age_process.prepare(PhasedJobs.exponential(system))
    rates = np.linspace(0.005, 0.99, loads) * process.limit
    services = 1 / np.array(system.rates)

    def waits(rate: float) -> NDArray[np.float64]:
        return process.at(rate).class_response_times - services

    def total() -> float:
        ends = process.limit, float(rates[0]), float(rates[-1])
        at = along(waits, *ends, 1e-10) if shared else waits
        return float(sum(at(rate)[0] + services[0] for rate in rates.tolist()))

    return total


def blocks() -> dict[str, dict[str, Point]]:
    """The routes to compare, by block."""
    growing = {n: of(n, n, 1 / n, 0.5) for n in (100, 1000, 10**4, 10**6)}
    halves = {n: of(n, n // 2, 0.1, 0.1) for n in (1024, 10**4)}
    rates, p = (1.0, 0.8, 0.6, 0.5, 0.4), (0.4, 0.25, 0.15, 0.12, 0.08)
    five = MultiserverJobSystem.of(20, (1, 2, 5, 10, 20), rates, p)
    four = MultiserverJobSystem.of(48, (1, 3, 7, 24), (1.0,) * 4, (*p[:3], 0.2))
    three = MultiserverJobSystem.of(20, (1, 2, 5), rates[:3], (0.5, 0.3, 0.2))
    return {
        "E[T] of needs 1 and n = 100 at .9 λ*": {
            "number of jobs": by_level(growing[100], 0.9),
            "interpolated fronts": by_age(growing[100], 0.9, interpolated=True),
            "all fronts": by_age(growing[100], 0.9),
            "age of a large job": by_large_age(growing[100], 0.9),
        },
        **{
            f"E[T] of needs 1 and n = {n:.0e} at .98 λ*": {
                "interpolated fronts": by_age(growing[n], 0.98, interpolated=True),
                "age of a large job": by_large_age(growing[n], 0.98),
            }
            for n in (1000, 10**4, 10**6)
        },
        **{
            f"E[T] of needs 1 and n/2, n = {n}, at .98 λ*": {
                "interpolated fronts": by_age(system, 0.98, interpolated=True),
                "sweeps over levels": by_sweeps(system, 0.98),
            }
            for n, system in halves.items()
        },
        "E[T] of three needs on 20 servers at 100 loads": {
            "from few loads": curve(three, 100, shared=True),
            "load by load": curve(three, 100, shared=False),
        },
        "E[T] of five needs on 20 servers at .9 λ*": {
            "number of jobs": by_level(five, 0.9),
            "sweeps over levels": by_sweeps(five, 0.9),
            "age of the head": by_age(five, 0.9),
        },
        "E[T] of needs 1, 3, 7 and 24 of 48 at .9 λ*": {
            "sweeps over levels": by_sweeps(four, 0.9),
            "age of the head": by_age(four, 0.9),
        },
    }
