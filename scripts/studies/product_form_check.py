"""The two-class product form against the enumerated chain: named systems, then random ones.

Gaps are relative for the throughput, in servers per server for the wastage, and absolute for the
laws, of which the largest entry counts. The last column is the largest violation of local balance
(`two-class-stability`, Eq. (4)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver import MultiserverJobSystem
from multiserver.saturated import stationary, two_class

UNITS = {
    "system": "name",
    "systems": "count",
    "states": "count",
    "throughput_gap": "1",
    "wastage_gap": "1",
    "embedded_gap": "1",
    "time_gap": "1",
    "local_balance": "1",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a named system, and one for the worst gaps over all random ones."""
    rows = []
    for name, system in parameters["systems"].items():
        rows.append({"system": name, "systems": 1} | compare(MultiserverJobSystem.of(**system)))
    random = parameters["random"]
    rng = np.random.default_rng(random["seed"])
    drawn = [draw_system(rng, random["largest"]) for _ in range(random["count"])]
    worst = pd.DataFrame([compare(system) for system in progress(drawn)]).max()
    rows.append({"system": "random", "systems": random["count"]} | worst.to_dict())
    return pd.DataFrame(rows).astype({"states": int})


def compare(system: MultiserverJobSystem) -> dict[str, Any]:
    """How far the two routes are apart on one system."""
    closed, solved = two_class.law(system), stationary.solve(system)
    return {
        "states": len(closed.time),
        "throughput_gap": abs(closed.throughput / solved.throughput - 1),
        "wastage_gap": abs(closed.wastage - solved.wastage) / system.servers,
        "embedded_gap": np.abs(closed.embedded - solved.embedded).max(),
        "time_gap": np.abs(closed.time - solved.time).max(),
        "local_balance": np.abs(stationary.local_balance_residuals(solved)).max(),
    }


def draw_system(rng: np.random.Generator, largest: int) -> MultiserverJobSystem:
    """A random two-class system of at most `largest` servers, rates over six decades."""
    servers = int(rng.integers(2, largest + 1))
    need_2 = int(rng.integers(2, servers + 1))
    need_1 = int(rng.integers(1, need_2))
    p2 = rng.uniform(0.001, 0.999)
    rates = 10 ** rng.uniform(-3, 3, size=2)
    return MultiserverJobSystem.of(servers, (need_1, need_2), rates, (1 - p2, p2))
