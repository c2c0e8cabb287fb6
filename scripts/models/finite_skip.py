"""What is known of a finite-skip system and a policy: its bounds, and E[T] where it is exact.

A `system` is one of four kinds (see the vocabulary of the schemas), each of total capacity 1. The
load is ρ = λ E[S], S the size of a job in capacity times time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.finite_skip_systems import POLICIES
from models.sizes import read_size, read_sizes
from multiserver.errors import TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.open import elastic, finite_skip, multiserver_jobs
from multiserver.open.by_class import response_times
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.least_servers_first import stability_limit
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.phase_count import block_entries
from multiserver.open.qbd import solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.saturated import dispatch
from multiserver.sizes import Bimodal, Deterministic, Exponential, Pareto, Size
from multiserver.wcfs import models
from multiserver.wcfs.bounds import Constants, pooled_response_time

PHASELESS = (Deterministic, Bimodal, Pareto)

# From λ, or ρ, to mean response times.
Exact = Callable[[float], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Model:
    """E[S] and E[S²], the probabilities of the C classes, and what is known of the policy.

    `limit` is the largest stable load, NaN if it is not known. The exact solution, if there is one,
    is that of a `front`, for a finite-skip model, or that of a `solver`; both are built when asked
    for, and `fits` raises `TooLargeError` at a ρ at which the latter is out of reach. `theorem`
    gives the constants of the bounds, printed or refined, if the policy is work-conserving
    finite-skip and rem_max finite; `approximation` is Zhang and Zwart's, λ -> E[T].
    """

    mean_size: float
    second_moment: float
    probabilities: tuple[float, ...]
    limit: float
    front: Callable[[], finite_skip.FiniteSkipModel] | None = None
    solver: Callable[[], Exact] | None = None
    fits: Callable[[float], object] | None = None
    theorem: Callable[[bool], Constants] | None = None
    approximation: Callable[[float], float] | None = None

    def arrival_rate(self, load: float) -> float:
        """λ in jobs per unit of time."""
        return load / self.mean_size

    def pooled(self, load: float) -> float:
        """E[T] of the resource-pooled M/G/1."""
        return pooled_response_time(self.arrival_rate(load), self.mean_size, self.second_moment)

    def blocks(self) -> finite_skip.FrontBlocks:
        """The chain of the front."""
        return finite_skip.prepare(self.front())

    def exact(self) -> Exact | None:
        """ρ -> E[T_c] of the classes and, last, E[T] of all jobs, (C + 1,), infinite from `limit`
        on, NaN where it is out of reach; None if it is not known, or of smaller fronts only."""
        if self.front is not None:
            try:
                blocks = self.blocks()
            except TooLargeError:
                return None

            def times(arrival_rate: float) -> NDArray[np.float64]:
                return blocks.response_times(solve(blocks.at(arrival_rate)))

        elif self.solver is not None:
            times = self.solver()
        else:
            return None

        def at(load: float) -> NDArray[np.float64]:
            if load >= self.limit:
                return np.full(len(self.probabilities) + 1, math.inf)
            try:
                means = times(self.arrival_rate(load))
            except TooLargeError:
                return np.full(len(self.probabilities) + 1, math.nan)
            return np.append(means, means @ np.array(self.probabilities))

        return at

    def constants(self, *, refined: bool = False) -> Constants | None:
        """The constants of the bounds; None if the theorem does not cover the policy or S."""
        if self.theorem is None or not self.second_moment < math.inf:
            return None
        return self.theorem(refined)


def read_model(parameters: Mapping[str, Any]) -> Model:
    """The model of a `system` under a `policy`; raises `ValueError` if they do not go together."""
    ((kind, system),) = parameters["system"].items()
    policy = parameters["policy"]
    if policy not in POLICIES[kind]:
        known = ", ".join(POLICIES[kind])
        raise ValueError(f"the policy of {kind} must be one of {known}, found {policy!r}")
    match kind:
        case "heterogeneous":
            return _heterogeneous(system)
        case "limited-processor-sharing":
            return _limited_processor_sharing(system)
        case "threshold-parallelism":
            return _threshold_parallelism(system, policy)
        case _:
            return _multiserver_jobs(system, policy)


def _heterogeneous(block: Mapping[str, Any]) -> Model:
    speeds, size = tuple(block["speeds"]), read_size(block["size"])
    return Model(
        size.mean,
        size.second_moment,
        (1.0,),
        limit=1.0,
        front=_front(lambda: HeterogeneousServers(speeds, size), size),
        theorem=_theorem(lambda _: models.heterogeneous(speeds, size, fastest_first=True), size),
    )


def _limited_processor_sharing(block: Mapping[str, Any]) -> Model:
    k, size = block["limit"], read_size(block["size"])
    return Model(
        size.mean,
        size.second_moment,
        (1.0,),
        limit=1.0,
        front=_front(lambda: LimitedProcessorSharing(k, size), size),
        theorem=_theorem(lambda _: models.limited_processor_sharing(k, size), size),
        approximation=lambda arrival_rate: models.zhang_zwart(k, size, arrival_rate),
    )


def _threshold_parallelism(block: Mapping[str, Any], policy: str) -> Model:
    sizes = read_sizes(block["sizes"])
    k, thresholds, p = block["servers"], block["thresholds"], block["probabilities"]
    front = solver = fits = theorem = None
    if policy == "fcfs":
        front = _front(lambda: ThresholdParallelism(k, thresholds, sizes, p), *sizes)
        theorem = _theorem(
            lambda refined: models.threshold_parallelism(k, thresholds, sizes, p, refined=refined),
            *sizes,
        )
    elif thresholds == [1, k] and all(isinstance(size, Exponential) for size in sizes):
        solver, fits = _elastic_solver(k, sizes, p, policy)
    mean, second = _moments(sizes, p)
    return Model(mean, second, tuple(p), 1.0, front, solver, fits, theorem)


def _multiserver_jobs(block: Mapping[str, Any], policy: str) -> Model:
    durations = read_sizes(block["durations"])
    k, needs, p = block["servers"], block["needs"], block["probabilities"]
    shares = [v / k for v in needs]
    mean = math.fsum(q * s * X.mean for q, s, X in zip(p, shares, durations, strict=True))
    second = math.fsum(
        q * s**2 * X.second_moment for q, s, X in zip(p, shares, durations, strict=True)
    )
    limit = 1.0 if policy in ("server-filling", "server-filling-divisible") else math.nan
    front = solver = theorem = None
    filling = {
        "server-filling": (ServerFilling, models.server_filling),
        "server-filling-divisible": (DivisibleServerFilling, models.divisible_server_filling),
    }
    if policy in filling:
        _, constants = filling[policy]
        theorem = _theorem(
            lambda refined: constants(k, needs, durations, p, refined=refined), *durations
        )
    if all(isinstance(X, Exponential) for X in durations):
        system = MultiserverJobSystem.of(k, needs, [X.rate for X in durations], p)
        if policy in filling:
            front = _front(lambda: filling[policy][0](system))
        elif policy == "fcfs":
            limit = math.nan
            if block_entries(k, needs) <= multiserver_jobs.LARGEST:
                blocks = multiserver_jobs.prepare(system)
                limit = blocks.throughput * mean

                def solver() -> Exact:
                    return lambda arrival_rate: response_times(blocks, arrival_rate)
            else:
                with suppress(ValueError):
                    means = dispatch.solve(system, relative_completions=False)
                    limit = means.throughput * mean

        elif policy == "least-servers-first":
            with suppress(ValueError):  # of few classes only
                limit = stability_limit(system) * mean
    return Model(mean, second, tuple(p), limit, front, solver, theorem)


def _front(
    build: Callable[[], finite_skip.FiniteSkipModel], *sizes: Size
) -> Callable[[], finite_skip.FiniteSkipModel] | None:
    """What builds the front, unless a size has no phases."""
    return None if any(isinstance(size, PHASELESS) for size in sizes) else build


def _elastic_solver(
    k: int, sizes: tuple[Size, ...], probabilities: list[float], policy: str
) -> tuple[Callable[[], Exact], Callable[[float], object]]:
    first = policy.removesuffix("-first")
    jobs = elastic.ElasticInelastic(k, sizes[0].rate, sizes[1].rate, probabilities[0], first)

    def prepare() -> Exact:
        def at(arrival_rate: float) -> NDArray[np.float64]:
            found = elastic.response_times(jobs, arrival_rate)
            return np.array([found.inelastic, found.elastic])

        return at

    return prepare, lambda load: elastic.truncation(jobs, load / jobs.mean_size)


def _theorem(
    constants: Callable[[bool], Constants], *sizes: Size
) -> Callable[[bool], Constants] | None:
    """The constants, unless rem_max is infinite."""
    return constants if all(s.largest_remaining < math.inf for s in sizes) else None


def _moments(sizes: tuple[Size, ...], probabilities: list[float]) -> tuple[float, float]:
    classes = list(zip(probabilities, sizes, strict=True))
    return (
        math.fsum(p * size.mean for p, size in classes),
        math.fsum(p * size.second_moment for p, size in classes),
    )
