"""The transitions of the saturated two-class system, from the enumerated chain.

Each is a completion of class i followed by the entry of j class 1 jobs and k class 2 jobs from the
queue (the one that blocked not counted), and has probability f_i p1^j p2^k (`two-class-stability`,
Section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from multiserver import MultiserverJobSystem
from multiserver.saturated.chain import UNSAMPLED, enumerate_chain

UNITS = {
    "from_h": "jobs",
    "from_a": "jobs",
    "from_b": "jobs",
    "completes": "class",
    "enter_1": "jobs",
    "enter_2": "jobs",
    "to_h": "jobs",
    "to_a": "jobs",
    "to_b": "jobs",
    "probability": "1",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a transition, in the order of the state it starts from, then of where it leads."""
    keys = ("servers", "needs", "rates", "probabilities")
    chain = enumerate_chain(MultiserverJobSystem.of(**{key: parameters[key] for key in keys}))
    fewest, most = parameters.get("class_1_jobs", (0, parameters["servers"]))
    states = [
        (int(head != UNSAMPLED), *map(int, jobs))
        for head, jobs in zip(chain.blocking, chain.in_service, strict=True)
    ]
    rows = []
    for completes, matrix in enumerate(chain.transitions(), start=1):
        entries = matrix.tocoo()
        for i, j, probability in zip(*entries.coords, entries.data, strict=True):
            (h, a, b), (to_h, to_a, to_b) = states[i], states[j]
            enter_1 = to_a - a + (completes == 1)
            enter_2 = to_b + to_h - b - h + (completes == 2)
            if fewest <= a <= most:
                step = (completes, enter_1, enter_2)
                rows.append((h, a, b, *step, to_h, to_a, to_b, probability))
    table = pd.DataFrame(rows, columns=list(UNITS))
    return table.sort_values(["from_a", "to_a", "completes"], ignore_index=True)
