"""Mean response time under Quickswap at every threshold ℓ and some loads, in both readings, exact.

Threshold 0, nonpreemptive Most Servers First, is the same in both readings. `best` marks the
threshold with the least E[T] at its load and reading; of two equal ones, the smaller.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from atlas.fields.block import Block, refusing, require, requirement
from atlas.fields.columns import Truth, Words
from atlas.fields.vocabulary import Loads
from atlas.models.described_systems import OneSystem
from atlas.models.finite_skip import methods
from atlas.models.sampling import Progress
from multiserver.errors import NotKnownError, UnstableError
from multiserver.policies import Quickswap
from multiserver.system import System

UNITS = {
    "load": "1",
    "last_phase": Words("name"),
    "threshold": "1",
    "mean_response_time": "s",
    "best": Truth("whether no other threshold has a smaller mean"),
}
# The relative error of a mean, far below what a figure shows. Means that differ by no more are
# equal, so that rounding does not decide which is best.
ENOUGH = 1e-5


class Parameters(Block):
    system: OneSystem
    loads: Loads

    @requirement
    def _belong(self) -> None:
        rule, system = Quickswap(threshold=0), self.system.read()
        expected = f"{' or '.join(rule.models)}, for which {rule.name} is defined"
        require(system.model in rule.models, system.model, expected, "system")
        unmet = rule.lacks(system)
        require(not unmet, f"{rule.name} in this system", unmet, "system")
        found = f"{rule.name} in this system, of which no exact solution is known"
        known = bool(methods(system.under(rule), "exact"))
        require(known, found, "exponential durations, alike for all jobs of a need", "system")


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per load, reading and threshold."""
    system = parameters.system.read()
    thresholds = range(1, max(1, system.servers // min(system.needs)))
    rows = []
    for load in progress(parameters.loads):
        never = _mean(system, load, threshold=0)
        for reading in Quickswap.choices["last_phase"]:
            further = (_mean(system, load, threshold=k, last_phase=reading) for k in thresholds)
            means = [never, *further]
            best = next(k for k, mean in enumerate(means) if mean <= (1 + ENOUGH) * min(means))
            rows += [(load, reading, k, mean, k == best) for k, mean in enumerate(means)]
    return pd.DataFrame(rows, columns=list(UNITS))


def _mean(system: System, load: float, **options: Any) -> float:
    # A load may be too high to be stable, or too near the limit for the levels within reach.
    with refusing("lower loads", "loads", of=(UnstableError, NotKnownError)):
        return system.under(Quickswap(**options)).exact(load=load, enough=ENOUGH).mean_response_time
