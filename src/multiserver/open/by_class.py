"""Mean response times class by class under FCFS, from the law of fronts and levels.

A job is first *unsampled* behind the front, then perhaps blocks the head of the queue, then is in
service. While it is unsampled its class has had no effect on anything, so the class is independent
of how long that lasts: by Little's law E[N_unsampled]/λ for all classes alike. Jobs of class c
arrive at rate λ p_c, and one blocks the head with probability P(h = c); by Little's law again

    E[T_c] = E[N_unsampled]/λ + P(h = c)/(λ p_c) + 1/μ_c.

The states (u, h) are those of `multiserver_jobs`. Beyond the papers, which have E[T] over all
classes by simulation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multiserver.open.multiserver_jobs import UNSAMPLED, FcfsBlocks
from multiserver.open.qbd import StationaryLaw, solve


def response_times(blocks: FcfsBlocks, arrival_rate: float) -> NDArray[np.float64]:
    """E[T_c] (classes,) in units of time at arrival rate λ.

    Raises `UnstableError` unless λ < λ*.
    """
    return of_law(blocks, solve(blocks.at(arrival_rate)))


def of_law(blocks: FcfsBlocks, law: StationaryLaw) -> NDArray[np.float64]:
    """The same, given the law of these blocks at the arrival rate λ."""
    system, arrival_rate = blocks.system, law.qbd.arrival_rate
    blocking = np.zeros(len(system.classes))
    for fronts, masses in zip(blocks.fronts, (*law.boundary, law.above), strict=True):
        for (_, head), mass in zip(fronts, masses, strict=True):
            if head != UNSAMPLED:
                blocking[head] += mass
    unsampled = law.mean_waiting - blocking.sum()
    p, rate = np.array(system.probabilities), np.array(system.rates)
    return unsampled / arrival_rate + blocking / (arrival_rate * p) + 1 / rate
