"""Quantities that compare the product forms with the enumerated chain (`two-class-stability`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import single_duration, stationary, two_class
from multiserver.saturated.agreement import ProductFormGaps, compare, draw_system
from multiserver.saturated.chain import UNSAMPLED

ROUTE = "product form"
CONFIRMED = "sparse solution of the enumerated chain"


def gap_to_chain(
    *,
    of: Literal["embedded-gap", "time-gap", "throughput-gap", "local-balance"],
    count: int,
    largest: int,
    seed: int,
) -> float:
    """Largest gap between the product form and the enumerated chain, over random systems.

    `of` names a gap of `ProductFormGaps`: `embedded-gap` of π, `time-gap` of the distribution in
    time, `throughput-gap`, relative; or `local-balance`, the largest violation of the decomposed
    stationary equations.
    """
    return float(max(getattr(gaps, of.replace("-", "_")) for gaps in _gaps(count, largest, seed)))


def least_violation(*, systems: Sequence[Mapping[str, Any]]) -> float:
    """The least over `systems` of the largest |p_c π_s − Σ_s' π_s' P_c(s', s)| of Eq. (4) over the
    classes c and states s, where π is the stationary distribution by elimination."""
    results = (stationary.solve(MultiserverJobSystem.of(**system)) for system in systems)
    return float(min(np.abs(stationary.local_balance_residuals(r)).max() for r in results))


def least_misfit_of_products(*, systems: Sequence[Mapping[str, Any]]) -> float:
    """The least over `systems` of the root mean square distance, by least squares, between ln of
    π_s over the probabilities of the jobs in s and Σ_c G_c(jobs of class c in service) for any G_c:
    0 if π has a product form such as Eq. (2), where each factor depends on the number of jobs of
    one class in service."""
    return min(_misfit(MultiserverJobSystem.of(**system)) for system in systems)


def lemma_5_2_gap(*, count: int, largest: int, seed: int) -> float:
    """Largest gap between the sides of Lemma 5.2, over random systems and all q ≤ r, relative to
    the terms of the equation."""
    return max(_lemma_5_2(system) for system in draw_systems(count, largest, seed))


def single_duration_gap(*, count: int, largest: int, seed: int) -> float:
    """Largest relative gap between Theorem 8.1's throughput and the chain's, over random systems
    with one rate and up to four needs."""
    rng = np.random.default_rng(seed)
    gaps = []
    for s in (draw_with_one_rate(rng, 1, largest, 3) for _ in range(count)):
        closed = single_duration.single_duration(s.servers, s.needs, s.probabilities, s.rates[0])
        gaps.append(abs(closed.throughput / stationary.solve(s).throughput - 1))
    return max(gaps)


def draw_with_one_rate(
    rng: np.random.Generator, fewest: int, largest: int, decades: float
) -> MultiserverJobSystem:
    """A random system on `fewest` to `largest` servers, of up to four needs and one rate, which is
    up to so many decades below or above 1."""
    servers, needs = draw_needs(rng, fewest, largest, 1, 4)
    probabilities = rng.dirichlet(np.ones(len(needs)))
    rate = 10 ** rng.uniform(-decades, decades)
    return MultiserverJobSystem.of(servers, needs, [rate] * len(needs), probabilities)


def draw_needs(
    rng: np.random.Generator, fewest: int, largest: int, least: int, most: int
) -> tuple[int, list[int]]:
    """A random number of servers, `fewest` to `largest`, and `least` to `most` different needs."""
    servers = int(rng.integers(fewest, largest + 1))
    classes = int(rng.integers(least, min(most, servers) + 1))
    return servers, rng.choice(np.arange(1, servers + 1), size=classes, replace=False).tolist()


def draw_systems(count: int, largest: int, seed: int) -> list[MultiserverJobSystem]:
    """Random systems of two classes."""
    rng = np.random.default_rng(seed)
    return [draw_system(rng, largest) for _ in range(count)]


@cache
def _gaps(count: int, largest: int, seed: int) -> list[ProductFormGaps]:
    return [compare(system) for system in draw_systems(count, largest, seed)]


def _misfit(system: MultiserverJobSystem) -> float:
    result = stationary.solve(system)
    counts, head = result.chain.in_service, result.chain.blocking
    jobs = counts.astype(float)
    blocked = head != UNSAMPLED
    jobs[blocked, head[blocked]] += 1
    logs = np.log(result.embedded) - jobs @ np.log(system.probabilities)
    factors = [counts[:, [c]] == np.unique(counts[:, c]) for c in range(counts.shape[1])]
    design = np.hstack(factors).astype(float)
    fitted = design @ np.linalg.lstsq(design, logs, rcond=None)[0]
    return float(np.sqrt(np.mean((logs - fitted) ** 2)))


def _lemma_5_2(system: MultiserverJobSystem) -> float:
    result = two_class.distribution(system)
    s, p1 = result.states, system.probabilities[0]
    mu1, mu2 = system.rates
    worst = 0.0
    for b in np.unique(s.class_2[s.blocking == 1]):
        chosen = np.flatnonzero((s.blocking == 1) & (s.class_2 == b))[::-1]
        pi, a = result.embedded[chosen], s.class_1[chosen]
        f1 = a * mu1 / (a * mu1 + b * mu2) if b else np.ones(len(a))
        f2 = 1 - f1
        # i counts from the state with most class 1 jobs: p1^i π[1, a − i, b].
        terms = p1 ** np.arange(len(a)) * pi
        for q in range(len(a)):
            left = np.cumsum((terms * f2)[q:])
            right = terms[q] - (terms * f1)[q:]
            worst = max(worst, float(np.abs(left - right).max() / terms[q]))
    return worst
