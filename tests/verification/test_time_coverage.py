"""Do intervals of quantiles have their nominal coverage?

`RUNS` runs of each of `SYSTEMS` random systems under first come, first served, with known exact
quantiles. Systems whose runs are known beforehand to be too short are left out. Of the intervals
reported as fair, of waiting and response times of all jobs and of each class, 93 to 97 % must hold
the exact quantile, at each probability. The intervals of one run are not independent, so the error
of a share is computed from independent runs; chance exceeds `DEVIATIONS` of it with probability
below 1e-3 for all limits together.

If a wait is 0 with probability p or more, its quantile is *certain*: its interval is [0, 0] in
nearly every run and holds it. Such quantiles are counted separately, as they would make coverage
look better than it is. The table goes to `results/time-coverage.csv`, and into the documentation as
`benchmarks/measured/time-coverage.csv`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from tests.theory.random_queues import random_queue
from tests.verification.coverage import HIGHEST, LOWEST, RESULTS

import multiserver as ms
from atlas.io.tidy import write_table
from multiserver.errors import NotSampledError

pytestmark = pytest.mark.verification

SYSTEMS, RUNS, JOBS, FIRST = 70, 10, 200_000, 1000
PROBABILITIES = (0.5, 0.9, 0.95, 0.99)
DEVIATIONS = 4.0
UNITS = {
    "system": "name",
    "seed": "1",
    "probability": "1",
    "fair": "intervals",
    "held": "intervals",
    "certain": "intervals",
    "withheld": "intervals",
}


def simulated(queue: ms.Queue, rate: float, seed: int):
    """The times of one run."""
    return queue.simulate(arrival_rate=rate, jobs=JOBS, seed=seed, times=True).distribution


def systems() -> Iterator[tuple[ms.Queue, float]]:
    """Queues at a λ, without those of which it is known beforehand that runs are too short."""
    rng = np.random.default_rng(40)
    found = 0
    while found < SYSTEMS:
        queue, fraction = random_queue(rng)
        rate = min(fraction, 0.95) * queue.stability().limit
        if not simulated(queue, rate, FIRST).response_time.times.length.caveat():
            found += 1
            yield queue, rate


def counted(name: str, exact, found, seed: int) -> Iterator[dict]:
    """One row for each probability."""
    pairs = [(exact, found), *zip(exact.by_class, found.by_class, strict=True)]
    for p in PROBABILITIES:
        row = {"system": name, "seed": seed, "probability": p}
        row |= dict.fromkeys(("fair", "held", "certain", "withheld"), 0)
        for known, told in pairs:
            for time in ("waiting_time", "response_time"):
                true = getattr(known, time).quantile(p)
                try:
                    estimate = getattr(told, time).quantile(p)
                except NotSampledError:
                    row["withheld"] += 1
                    continue
                if estimate.lacking:
                    row["withheld"] += 1
                elif true == 0:
                    row["certain"] += 1
                else:
                    row["fair"] += 1
                    row["held"] += estimate.covers(true)
        yield row


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rows: list[dict] = []
    for k, (queue, rate) in enumerate(systems(), start=1):
        exact = queue.distribution(arrival_rate=rate)
        for seed in range(FIRST + 1, FIRST + RUNS + 1):
            rows += counted(f"random {k}", exact, simulated(queue, rate, seed), seed)
    found = pd.DataFrame(rows, columns=list(UNITS))
    write_table(RESULTS / "time-coverage.csv", found, UNITS)
    return found


@pytest.mark.parametrize("p", PROBABILITIES)
def test_intervals_of_quantiles_hold_what_they_promise(table, p, record_property):
    told = table[(table["probability"] == p) & (table["fair"] > 0)]
    share = told["held"].sum() / told["fair"].sum()
    residuals = (told["held"] - share * told["fair"]).to_numpy()
    error = float(np.sqrt((residuals**2).sum()) / told["fair"].sum())
    record_property(f"coverage at {p}", f"{share:.3f} of {told['fair'].sum()}")
    assert LOWEST - DEVIATIONS * error < share < HIGHEST + DEVIATIONS * error
    assert told["system"].nunique() >= (60 if p < 0.99 else 40)
