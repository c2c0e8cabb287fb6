"""Elastic and inelastic jobs under Inelastic First and Elastic First.

There are k servers of capacity 1/k each. Inelastic jobs, Exp(μ_I) in capacity times time, use one
server; elastic ones, Exp(μ_E), any number. One class has preemptive priority (`finite-skip`,
Section 6.3.1), and is a queue of its own: under Inelastic First (IF) the inelastic jobs are an
M/M/k, under Elastic First (EF) the elastic jobs are an M/M/1. The other class has the remaining
servers. With this class as the level and the first class as the phase, the system is a
quasi-birth-death process of infinitely many phases.

Arrivals of the first class that find K of it are turned away. Without this, there would be more
than K with probability ρ_E^(K+1) under EF and C ρ_I^(K+1−k) under IF, where C is the probability
that all k servers of the M/M/k are busy. K is the least for which this *lost mass* is at most
1e-18. The mean number of the first class is taken from its own queue, exactly. That of the other
class comes out too small, as it meets less work. Measured with K cut to a half and less, its
relative error is at most a few times lost mass · (K + 1/(1 − ρ)); with the full K this is below
rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from multiserver.checks import require_integer
from multiserver.errors import TooLargeError, UnstableError
from multiserver.open.qbd import Level, QuasiBirthDeath, solve

LARGEST_LOST_MASS = 1e-18
MAX_PHASES = 1500
# At most so many levels, whose blocks are dense. (`qbd` rescales before distributions overflow.)
MAX_LEVELS = 300


@dataclass(frozen=True, slots=True)
class ElasticInelastic:
    """k = `servers`, a positive integer; rates μ_I and μ_E per unit of capacity times time.

    A job is inelastic with probability `inelastic_probability` in (0, 1); `first` has priority.
    Raises `ValueError` if a parameter is out of range.
    """

    servers: int
    inelastic_rate: float
    elastic_rate: float
    inelastic_probability: float
    first: Literal["inelastic", "elastic"]

    def __post_init__(self) -> None:
        require_integer("servers", self.servers)
        for rate in (self.inelastic_rate, self.elastic_rate):
            if not 0 < rate < math.inf:
                raise ValueError(f"rates must be positive finite numbers, found {rate!r}")
        if not 0 < self.inelastic_probability < 1:
            raise ValueError(
                f"inelastic_probability must lie in (0, 1), found {self.inelastic_probability!r}"
            )
        if self.first not in ("inelastic", "elastic"):
            raise ValueError(f"first must be 'inelastic' or 'elastic', found {self.first!r}")

    @property
    def mean_size(self) -> float:
        """E[S] in capacity times time."""
        p = self.inelastic_probability
        return p / self.inelastic_rate + (1 - p) / self.elastic_rate


@dataclass(frozen=True, slots=True)
class ElasticTimes:
    """E[T] of all jobs, of the inelastic and of the elastic ones, in units of time; the largest
    number K of jobs of the first class, and the probability that it has more."""

    response: float
    inelastic: float
    elastic: float
    largest_first: int
    lost_mass: float


def response_times(model: ElasticInelastic, arrival_rate: float) -> ElasticTimes:
    """Mean response times at arrival rate λ (jobs of both classes per unit of time).

    Raises `UnstableError` unless ρ = λ E[S] < 1, and `TooLargeError` if the first class is so close
    to saturation that K would exceed `MAX_PHASES`, or servers make more than `MAX_LEVELS` levels.
    """
    inelastic, elastic = _arrival_rates(model, arrival_rate)
    largest, lost = truncation(model, arrival_rate)
    second = solve(blocks(model, arrival_rate, largest)).mean_jobs
    if model.first == "inelastic":
        load = inelastic / model.inelastic_rate
        waiting = _all_busy(model.servers, load) * load / (1 - load)
        jobs = model.servers * load + waiting, second
    else:
        load = elastic / model.elastic_rate
        jobs = second, load / (1 - load)
    return ElasticTimes(
        sum(jobs) / arrival_rate, jobs[0] / inelastic, jobs[1] / elastic, largest, lost
    )


def truncation(model: ElasticInelastic, arrival_rate: float) -> tuple[int, float]:
    """K and the probability that the first class has more than K jobs; raises as above."""
    inelastic, elastic = _arrival_rates(model, arrival_rate)
    if model.first == "inelastic":
        load, servers = inelastic / model.inelastic_rate, model.servers
        busy = _all_busy(servers, load)
    else:
        load = elastic / model.elastic_rate
        servers, busy = 1, load
    # P(more than K) is `busy` times load^(K + 1 − servers) for K ≥ servers − 1.
    beyond = 0
    if busy > LARGEST_LOST_MASS:  # `busy` may underflow to 0
        beyond = math.ceil(math.log(LARGEST_LOST_MASS / busy) / math.log(load))
    largest = max(servers, servers - 1 + beyond)
    if largest > MAX_PHASES:
        raise TooLargeError(
            f"the class that goes first has a load of {load!r}:"
            f" more than {MAX_PHASES} of its jobs would have to be told apart"
        )
    if model.first == "elastic" and model.servers > MAX_LEVELS:
        raise TooLargeError(
            f"{model.servers} servers make as many levels, more than {MAX_LEVELS}, where elastic"
            " jobs go first"
        )
    return largest, busy * load ** (largest + 1 - servers)


def blocks(model: ElasticInelastic, arrival_rate: float, largest_first: int) -> QuasiBirthDeath:
    """The process with the number of the second class as level, and of the first, 0 … K, as phase.

    Its arrival rate and jobs in service are those of the second class.
    Raises `UnstableError` unless ρ < 1, `ValueError` unless K = `largest_first` is at least 1.
    """
    if largest_first < 1:
        raise ValueError(f"largest_first must be at least 1, found {largest_first!r}")
    inelastic, elastic = _arrival_rates(model, arrival_rate)
    k, first = model.servers, np.arange(largest_first + 1)
    busy = np.minimum(first, k) / k
    if model.first == "inelastic":
        arrivals, departures = inelastic, model.inelastic_rate * busy
        others, levels = elastic, 1
        speeds, served = model.elastic_rate * (1 - busy), (busy < 1).astype(float)
    else:
        arrivals, departures = elastic, model.elastic_rate * (first > 0)
        others, levels = inelastic, k
        speeds, served = model.inelastic_rate * (first == 0), k * (first == 0).astype(float)

    up = others * np.eye(len(first))
    stay = np.diag(np.full(largest_first, arrivals), 1) + np.diag(departures[1:], -1)
    ground = Level(up, stay, np.zeros((len(first), 0)), np.zeros(len(first)))
    upper = [
        Level(up, stay, np.diag(n / levels * speeds), n / levels * served)
        for n in range(1, levels + 1)
    ]
    return QuasiBirthDeath(others, (ground, *upper), upper[-1])


def _arrival_rates(model: ElasticInelastic, arrival_rate: float) -> tuple[float, float]:
    """λ p_I and λ p_E; raises an error unless λ > 0 and ρ < 1."""
    if not 0 < arrival_rate < math.inf:
        raise ValueError(f"arrival_rate must be a positive finite number, found {arrival_rate!r}")
    if arrival_rate * model.mean_size >= 1:
        limit = 1 / model.mean_size
        raise UnstableError(
            f"the arrival rate {arrival_rate!r} must be below λ* = {limit!r}",
            arrival_rate=arrival_rate,
            limit=limit,
        )
    inelastic = arrival_rate * model.inelastic_probability
    return inelastic, arrival_rate * (1 - model.inelastic_probability)


def _all_busy(servers: int, load: float) -> float:
    """Erlang's C formula for k servers of load ρ, from his B formula."""
    blocked = 1.0
    for j in range(1, servers + 1):
        blocked = servers * load * blocked / (j + servers * load * blocked)
    return blocked / (1 - load * (1 - blocked))
