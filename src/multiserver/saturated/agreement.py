"""The product form of two classes compared with the enumerated chain.

There are two routes to the same saturated system: `two_class`, the closed form of
`two-class-stability` (Theorems 4.1 and 4.2), and `stationary`, linear algebra on the states and
transitions of `chain`, which does not use the product form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary, two_class


@dataclass(frozen=True, slots=True)
class ProductFormGaps:
    """The differences between both routes on one system; `states` is its number of states.

    `throughput_gap` is relative and `wastage_gap` a share of the servers; `embedded_gap` and
    `time_gap` are the largest differences of a probability; `local_balance` is the largest
    violation of local balance by the chain (`two-class-stability`, Eq. (4)).
    """

    states: int
    throughput_gap: float
    wastage_gap: float
    embedded_gap: float
    time_gap: float
    local_balance: float


def compare(system: MultiserverJobSystem) -> ProductFormGaps:
    """The gaps on one system of two classes. Raises `ValueError` unless it has two needs."""
    closed, solved = two_class.distribution(system), stationary.solve(system)
    return ProductFormGaps(
        states=len(closed.time),
        throughput_gap=abs(closed.throughput / solved.throughput - 1),
        wastage_gap=abs(closed.wastage - solved.wastage) / system.servers,
        embedded_gap=np.abs(closed.embedded - solved.embedded).max(),
        time_gap=np.abs(closed.time - solved.time).max(),
        local_balance=np.abs(stationary.local_balance_residuals(solved)).max(),
    )


def draw_system(rng: np.random.Generator, largest: int) -> MultiserverJobSystem:
    """A random two-class system of at most `largest` servers, rates over six decades."""
    servers = int(rng.integers(2, largest + 1))
    need_2 = int(rng.integers(2, servers + 1))
    need_1 = int(rng.integers(1, need_2))
    p2 = rng.uniform(0.001, 0.999)
    rates = 10 ** rng.uniform(-3, 3, size=2)
    return MultiserverJobSystem.of(servers, (need_1, need_2), rates, (1 - p2, p2))
