"""Stability limit of preemptive priority by need: Least Servers First and Most Servers First.

There are n servers. Jobs of class c arrive at rate λ p_c and need v_c servers for an exponential
time of rate μ_c. Classes are numbered in the order in which they are served, v_1 < v_2 < … < v_C
or, under Most Servers First, v_1 > v_2 > … > v_C. Of the N_c present,
u_c = min(N_c, ⌊(n − Σ_{b<c} u_b v_b)/v_c⌋) are served, preemptively (`finite-skip`, Section 7.5).
No class is affected by those after it. So for class c the classes before it are an autonomous
random environment. If that is stable and many jobs of class c are present, these leave at the rate
μ_c s_c, where s_c = ⌊(n − Σ_{b<c} u_b v_b)/v_c⌋. Class c is stable if and only if

    λ p_c < μ_c E[s_c],

where the mean is over the stationary distribution of the classes before it at the arrival rate λ.
The limit λ* is the least of the roots for c = 1, …, C. (The paper says only that it is below n/E[S]
under Least Servers First.) As all s_c servers are at work on class C while many of its jobs are
present, its durations may have any distribution of mean 1/μ_C.

N_1 is a birth-and-death process, and (N_1, N_2) a quasi-birth-death one with level N_2 and phase
N_1, which is cut off where N_1 is larger with a probability of 1e-13.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from multiserver.errors import TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.open.birth_and_death import scale_down
from multiserver.open.qbd import Level, QuasiBirthDeath, solve

MOST_CLASSES = 3
NEGLIGIBLE = 1e-13
LARGEST_PHASE = 2000
# The most jobs in service: the masses of so many take minutes for a limit.
MOST_JOBS = 10_000_000
RELATIVE_TOLERANCE = 1e-13


def stability_limit(system: MultiserverJobSystem, *, largest_first: bool = False) -> float:
    """λ* (jobs per unit of time) under Least Servers First, or under Most Servers First, to a
    relative accuracy of 1e-10.

    Raises `ValueError` if two classes have the same need or if there are more than three classes,
    and `TooLargeError` if the class served first uses nearly all that it can at a λ that has to be
    tried.
    """
    classes = sorted(system.classes, key=lambda c: c.need, reverse=largest_first)
    needs, rates, probabilities = zip(
        *((c.need, c.rate, c.probability) for c in classes), strict=True
    )
    if len(set(needs)) < len(needs) or len(needs) > MOST_CLASSES:
        raise ValueError(
            f"classes must be at most {MOST_CLASSES} of different needs, found {system.needs!r}"
        )
    n, demand = system.servers, probabilities[0] * needs[0] / rates[0]
    limit = n // needs[0] * rates[0] / probabilities[0]
    for c in range(1, len(classes)):

        def surplus(arrival_rate: float, c: int = c, before: float = limit) -> float:
            """μ_c E[s_c] − λ p_c, with no servers once a class before c is unstable."""
            servers = 0.0
            if arrival_rate == 0:
                servers = n // needs[c]
            elif arrival_rate < before:
                flows = [arrival_rate * p for p in probabilities[:c]]
                servers = _mean_servable(n, needs[: c + 1], rates[:c], flows)
            return rates[c] * servers - arrival_rate * probabilities[c]

        # Classes 1 … c cannot use more than all servers.
        demand += probabilities[c] * needs[c] / rates[c]
        highest = min(limit, n / demand)
        # If no server is wasted, the surplus is 0 but for rounding.
        if surplus(highest) < -RELATIVE_TOLERANCE * highest * probabilities[c]:
            highest = brentq(surplus, 0.0, highest, xtol=RELATIVE_TOLERANCE * highest, rtol=1e-15)
        limit = highest
    return float(limit)


def _mean_servable(
    n: int, needs: tuple[int, ...], rates: tuple[float, ...], flows: list[float]
) -> float:
    """E[s_c] of the last of the needs, given the rates and arrival rates of those before it."""
    most = n // needs[0]
    if len(needs) == 2:
        if most > MOST_JOBS:
            raise TooLargeError(f"{most} jobs of need {needs[0]} may be in service")
        weight = np.ones(most + 1)
        for i in range(1, most + 1):
            weight[i] = weight[i - 1] * flows[0] / (i * rates[0])
            scale_down(weight, i)
        # All N_1 ≥ most, whose masses are geometric, leave the same servers.
        weight[most] /= 1 - flows[0] / (most * rates[0])
        left = (n - np.arange(most + 1) * needs[0]) // needs[1]
        return float(weight @ left) / float(weight.sum())

    idle = _idle_of_first(n, needs[0], flows[0] / (most * rates[0]))
    distribution = solve(_second_class(n, needs, rates, flows, idle))
    masses = [*distribution.boundary[:-1], distribution.boundary[-1] + distribution.above]
    servable = [
        (idle - np.minimum(level, idle // needs[1]) * needs[1]) // needs[2]
        for level in range(len(masses))
    ]
    return math.fsum(float(m @ s) for m, s in zip(masses, servable, strict=True))


def _idle_of_first(n: int, need: int, load: float) -> NDArray[np.int64]:
    """The servers that each N_1 = 0, 1, … leaves, up to one beyond which little mass lies."""
    largest = n // need + math.ceil(math.log(NEGLIGIBLE) / math.log(load))
    if largest > LARGEST_PHASE:
        raise TooLargeError(
            f"jobs of need {need} use {load:.4f} of what they can: too close to 1 to go on"
        )
    return n - np.minimum(np.arange(largest + 1), n // need) * need


def _second_class(
    n: int,
    needs: tuple[int, ...],
    rates: tuple[float, ...],
    flows: list[float],
    idle: NDArray[np.int64],
) -> QuasiBirthDeath:
    """The process of N_2 (level) and N_1 (phase)."""
    phases = np.arange(len(idle))
    up = flows[1] * np.eye(len(idle))
    stay = np.diag(np.full(len(idle) - 1, flows[0]), 1)
    stay += np.diag(rates[0] * np.minimum(phases, n // needs[0])[1:], -1)

    def level(jobs: int, below: int) -> Level:
        served = np.minimum(jobs, idle // needs[1]).astype(float)
        down = np.diag(rates[1] * served) if below else np.zeros((len(idle), 0))
        return Level(up=up, stay=stay, down=down, in_service=served)

    top = n // needs[1]
    boundary = tuple(level(jobs, jobs) for jobs in range(top + 1))
    return QuasiBirthDeath(flows[1], boundary, level(top, top))
