"""The three formulations of the saturated system against each other and against the product forms.

Formulations I and II are enumerated job by job and compared with the chain of states (u, h) and the
product forms of `product-form-saturated`. All three formulations are also simulated coupled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from atlas.fields.block import Block, require, requirement
from atlas.fields.columns import Truth, Words
from atlas.fields.vocabulary import Seed
from atlas.models.systems import Systems
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary, two_class
from multiserver.saturated.formulations import (
    couple,
    distribution_gap,
    embedded_distribution,
    exactly_k,
    just_enough,
    service_distribution,
)

UNITS = {
    "system": Words("name"),
    "states_1": "count",
    "states_2": "count",
    "gap_1_2": "1",
    "gap_chain": "1",
    "gap_theorem": "1",
    "theorem": "number",
    "coupled": Truth("whether they serve the same jobs"),
}

COMPLETIONS = 2000
# States of formulation I, whose stationary distribution is found by dense algebra.
MOST_STATES = 2000


class Parameters(Block):
    systems: Systems
    seed: Seed

    @requirement
    def _are_covered(self) -> None:
        for name, block in self.systems.items():
            covered = len(set(block.rates)) == 1 or len(block.needs) == 2
            expected = "one rate for all classes, or two classes"
            require(covered, f"needs {block.needs}, rates {block.rates}", expected, "systems", name)
            d, k = len(block.needs), block.servers
            found = f"{d} classes on {k} servers: {d}^{k} states"
            expected = f"at most {MOST_STATES} states: fewer servers or classes"
            require(k * math.log(d) <= math.log(MOST_STATES), found, expected, "systems", name)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per system; gaps are the largest between two distributions embedded at
    completions."""
    rng = np.random.default_rng(parameters.seed)
    systems = {name: block.system for name, block in parameters.systems.items()}
    return pd.DataFrame([{"system": name} | compare(one, rng) for name, one in systems.items()])


def compare(system: MultiserverJobSystem, rng: np.random.Generator) -> dict[str, Any]:
    """All methods on one system, with one rate (Theorem 1) or two classes (Theorem 2)."""
    first, second = (embedded_distribution(system, rule) for rule in (exactly_k, just_enough))
    served = service_distribution(system, first)
    solved = stationary.solve(system)
    chain = _lump(solved.chain.in_service, solved.embedded)
    if len(set(system.rates)) == 1:
        product = {m: np.prod([system.probabilities[c] for c in m]) for m in first}
        theorem, gap = 1, distribution_gap(first, product)
    else:
        distribution = two_class.distribution(system)
        counts = np.stack([distribution.states.class_1, distribution.states.class_2], axis=1)
        theorem, gap = 2, distribution_gap(served, _lump(counts, distribution.embedded))
    return {
        "states_1": len(first),
        "states_2": len(second),
        "gap_1_2": distribution_gap(served, service_distribution(system, second)),
        "gap_chain": distribution_gap(served, chain),
        "gap_theorem": gap,
        "theorem": theorem,
        "coupled": couple(system, COMPLETIONS, rng),
    }


def _lump(counts: np.ndarray, distribution: np.ndarray) -> dict[tuple[int, ...], float]:
    lumped: dict[tuple[int, ...], float] = {}
    for state, chance in zip(map(tuple, counts.tolist()), distribution, strict=True):
        lumped[state] = lumped.get(state, 0.0) + float(chance)
    return lumped
