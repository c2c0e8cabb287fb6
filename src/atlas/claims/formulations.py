"""Quantities that compare the three formulations of the saturated system with each other.

They are compared over `count` random systems, small enough to list all jobs present, drawn from
`seed`.
"""

from __future__ import annotations

import numpy as np

from atlas.claims import Found
from atlas.claims.product_form import draw_needs
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.formulations import (
    couple,
    distribution_gap,
    embedded_distribution,
    exactly_k,
    in_service,
    just_enough,
    service_distribution,
)

ROUTE = "enumeration job by job"
CONFIRMED = "the enumerated chain of the saturated system"


def gap_of_laws(*, count: int, seed: int) -> float:
    """Largest gap between the distributions of the jobs in service under formulations I and II."""
    gaps = []
    for system in _draw(count, seed, one_rate=False):
        one, two = (
            service_distribution(system, embedded_distribution(system, f))
            for f in (exactly_k, just_enough)
        )
        gaps.append(distribution_gap(one, two))
    return max(gaps)


def gap_to_theorem_1(*, count: int, seed: int) -> float:
    """Largest gap between π_m = ∏ p_{m_i} and the distribution of formulation I, if all rates are
    equal."""
    return max(
        abs(chance - np.prod([system.probabilities[c] for c in m]))
        for system in _draw(count, seed, one_rate=True)
        for m, chance in embedded_distribution(system, exactly_k).items()
    )


def runs_that_differ(*, completions: int, count: int, seed: int) -> Found:
    """The number of runs of `completions` in which the three formulations do not always serve the
    same jobs."""
    rng = np.random.default_rng(seed)
    systems = _draw(count, seed, one_rate=False)
    same = [couple(system, completions, rng) for system in systems]
    return Found(same.count(False), f"{len(same)} runs of {completions} completions")


def most_in_queue(*, formulation: int, count: int, seed: int) -> int:
    """The most jobs waiting in any state of `formulation` 1 or 2."""
    needs_more = {1: exactly_k, 2: just_enough}[formulation]
    return max(
        len(present) - in_service(system, present)
        for system in _draw(count, seed, one_rate=False)
        for present in embedded_distribution(system, needs_more)
    )


def _draw(count: int, seed: int, one_rate: bool) -> list[MultiserverJobSystem]:
    rng = np.random.default_rng(seed)
    systems = []
    for _ in range(count):
        servers, needs = draw_needs(rng, 2, 5, 2, 3)
        classes = len(needs)
        rates = np.ones(classes) if one_rate else 10 ** rng.uniform(-1, 1, size=classes)
        probabilities = rng.dirichlet(np.ones(classes))
        systems.append(MultiserverJobSystem.of(servers, needs, rates, probabilities))
    return systems
