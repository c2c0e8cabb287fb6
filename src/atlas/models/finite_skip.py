"""The library's results for a finite-skip system under a policy, in the form that studies use.

The capacity is 1: the load is ρ = λ E[S], where S is the size of a job in capacity times time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlas.fields.block import refusing
from atlas.fields.vocabulary import FINELY
from atlas.models.described_systems import read_queue
from atlas.models.systems import class_names
from multiserver.errors import NotKnownError, UnstableError
from multiserver.method_selection import Methods
from multiserver.open.finite_skip import FrontBlocks
from multiserver.policies.policy import MOST_STATES, Method, Question
from multiserver.queue import Queue
from multiserver.results import Result
from multiserver.simulation import front_policies
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.front import FrontPolicy
from multiserver.sizes import Exponential
from multiserver.wcfs.bounds import Constants, pooled_response_time
from multiserver.wcfs.models import zhang_zwart

# The most states of a chain of numbers of jobs by class. A curve may take minutes, a point beside a
# simulated one seconds, a point on one of many policies' curves less than a second.
OF_A_CURVE, OF_A_SCORE, OF_MANY = MOST_STATES, 300_000, 50_000
# A function from ρ to mean response times.
Exact = Callable[[float], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Model:
    """A queue and its properties, with loads and sizes in terms of its capacity."""

    queue: Queue

    @property
    def probabilities(self) -> tuple[float, ...]:
        """p_c of the C classes."""
        return self.queue.system.probabilities

    @property
    def names(self) -> list[str]:
        """The names of the classes and, last, `all`."""
        return [*class_names(len(self.probabilities)), "all"]

    @property
    def mean_size(self) -> float:
        """E[S]."""
        return self._moment(lambda X: X.mean, 1)

    @property
    def second_moment(self) -> float:
        """E[S²]."""
        return self._moment(lambda X: X.second_moment, 2)

    @property
    def limit(self) -> float:
        """The largest stable load, NaN if it is not known."""
        try:
            found = self.queue.stability().load_limit
        except NotKnownError:
            return math.nan
        return math.nan if found is None else found

    @property
    def highest(self) -> float:
        """A load from which on no policy is stable."""
        return self.queue.system.load(self.queue.highest_rate)

    def refuses(self, load: float) -> bool:
        """Whether the queue is known to be unstable at this load."""
        return load >= self.limit or load >= self.highest

    def arrival_rate(self, load: float) -> float:
        """λ in jobs per unit of time."""
        return load / self.mean_size

    def pooled(self, load: float) -> float:
        """E[T] of the resource-pooled M/G/1."""
        return pooled_response_time(self.arrival_rate(load), self.mean_size, self.second_moment)

    def blocks(self) -> FrontBlocks:
        """The blocks of the chain of the front."""
        return self.queue.process().blocks

    @property
    def solvable(self) -> bool:
        """Whether a method gives E[T] exactly, given enough memory."""
        return bool(methods(self.queue, "exact"))

    @property
    def bounded(self) -> bool:
        """Whether the theorem covers the policy and S."""
        return bool(methods(self.queue, "bounds"))

    def exact(self, most_states: int = 0, enough: float = FINELY) -> Exact | None:
        """ρ -> E[T_c] of the classes and, last, E[T] of all jobs, (C + 1,): infinite from `limit`
        on, NaN where the computation is too large. None if no method is known, or if the
        computation is too large at any load.

        Iterative methods compute means to a relative error of `enough`, with chains of at most
        `most_states` states, and give NaN from the first load on that is found too large.
        """
        method = next(iter(methods(self.queue, "exact")), None)
        if method is None or (method.iterates and not most_states):
            return None
        options = {"enough": enough, "most_states": most_states} if method.iterates else {}
        limit, refused = self.limit, math.inf
        try:
            self.queue.exact(load=float(np.fmin(1e-3, limit / 2)))
        except NotKnownError:
            return None
        none = np.full(len(self.probabilities) + 1, math.nan)
        infinite = np.full(len(self.probabilities) + 1, math.inf)

        def at(load: float) -> NDArray[np.float64]:
            nonlocal refused
            if load >= limit:
                return infinite
            if load >= refused:
                return none
            rate = self.arrival_rate(load)
            try:
                found = self.queue.exact(arrival_rate=rate, **options).by_class
            except UnstableError:  # a load that only rounding tells from the limit
                return infinite
            except NotKnownError:
                refused = load if method.iterates else math.inf
                return none
            means = np.array([c.mean_response_time for c in found])
            return np.append(means, means @ np.array(self.probabilities))

        return cache(at)

    def constants(self, *, refined: bool = False) -> Constants | None:
        """The constants of the bounds; None if the theorem does not cover the policy or S."""
        return self.queue.constants(refined=refined) if self.bounded else None

    def approximation(self, arrival_rate: float) -> float:
        """E[T] by Zhang and Zwart, for limited processor sharing; NaN for any other model."""
        system = self.queue.system
        if system.limit is None:
            return math.nan
        return zhang_zwart(system.limit, system.durations[0], arrival_rate)

    def _moment(self, of: Callable[[Any], float], power: int) -> float:
        system = self.queue.system
        shares = [v / system.capacity for v in system.needs]
        return math.fsum(
            p * share**power * of(X)
            for p, share, X in zip(system.probabilities, shares, system.durations, strict=True)
        )


def methods(queue: Queue, question: Question) -> list[Method]:
    """The methods that answer a question, given enough memory."""
    return Methods(queue.system, queue.policy).applying(question)


def read_model(parameters: Mapping[str, Any]) -> Model:
    """The model of a `system` under a `policy`; raises `ValueError` if they do not fit together."""
    return Model(read_queue(parameters))


def simulate(queue: Queue, **options: Any) -> Result[Estimate]:
    """The result of `Queue.simulate(**options)`. Raises a misfit if the policy cannot be simulated
    job by job with these options."""
    with refusing("a policy that is simulated job by job", "policy", of=NotKnownError):
        return queue.simulate(**options)


def read_server_filling(servers: int, needs: Iterable[int]) -> FrontPolicy:
    """ServerFilling for jobs of these needs. Raises `ValueError` unless they divide each other."""
    kinds = sorted(set(needs))
    sizes, chances = [Exponential(1)] * len(kinds), [1 / len(kinds)] * len(kinds)
    return front_policies.server_filling(Workload(servers, kinds, sizes, chances, 1.0))
