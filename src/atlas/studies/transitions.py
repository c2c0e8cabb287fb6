"""The transitions of the saturated two-class system, from the enumerated chain.

Each is a completion of class i followed by the entry of j class 1 jobs and k class 2 jobs from the
queue (the one that blocked not counted), and has probability f_i p1^j p2^k (`two-class-stability`,
Section 3.2).
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import INCREASING, require
from atlas.fields.vocabulary import Count, TwoProbabilities, TwoRates
from atlas.models.feasibility import require_enumerable
from atlas.models.systems import TwoNeedsBlock
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import enumerate_chain

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


class Parameters(TwoNeedsBlock):
    rates: TwoRates = [1.0, 1.0]
    probabilities: TwoProbabilities = [0.5, 0.5]
    class_1_jobs: (
        Annotated[
            list[Count],
            Field(
                min_length=2,
                max_length=2,
                description="the fewest and the most class 1 jobs of the states that transitions"
                " start from",
            ),
            INCREASING,
        ]
        | None
    ) = None


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the states can be enumerated."""
    require_enumerable(parameters.servers, parameters.needs, "servers")
    fewest, most = parameters.class_1_jobs or (0, parameters.servers)
    system = MultiserverJobSystem.of(parameters.servers, parameters.needs, (1.0, 1.0), (0.5, 0.5))
    counts = sorted({a for _, a, _ in enumerate_chain(system).states()})
    found = f"no state with {fewest} to {most} class 1 jobs"
    expected = f"some of {counts[0]} to {counts[-1]}"
    require(any(fewest <= a <= most for a in counts), found, expected, "class_1_jobs")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per transition, ordered by its initial state, then by its final state."""
    columns = parameters.needs, parameters.rates, parameters.probabilities
    chain = enumerate_chain(MultiserverJobSystem.of(parameters.servers, *columns))
    fewest, most = parameters.class_1_jobs or (0, parameters.servers)
    states = chain.states()
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
