"""Do intervals have their nominal coverage, for every policy and model, in common and odd systems?

`SEEDS` runs of each system of `tests.verification.systems`. Of the intervals reported as fair, of
all jobs and of each class, 93 to 97 % must hold the exact mean, and the mean score must be within
0.15 of 0. A system with such intervals fails by chance with probability at most `ALARM` for each of
the two limits, by class. Finished runs are kept under the digest of the library, so that a stopped
suite resumes where it was. The table of all goes to `results/coverage.csv`, and into the
documentation as `benchmarks/measured/coverage.csv`.
"""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy.stats import binom, norm
from tests.verification.coverage import (
    BIAS,
    FEWEST,
    HIGHEST,
    LOWEST,
    RESULTS,
    UNITS,
    measured,
    table,
)
from tests.verification.systems import CASES

from atlas.io.tidy import write_table

pytestmark = pytest.mark.verification

SEEDS = 500
ALARM = 1e-4


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_intervals_hold_what_they_promise(case, record_property):
    found = table(case, measured(case, SEEDS))
    for row in found.to_dict("records"):
        name = f"class {row['class']}" if row["class"] != "all" else "all"
        said = f"{row['coverage']:.3f}" if row["withheld"] < 1 else "—"
        record_property(f"{name}: coverage", f"{said}, withheld {row['withheld']:.0%}")
    failed = {row["class"]: failure(row) for row in found.to_dict("records")}
    assert not any(failed.values()), failed


def failure(row: dict) -> str:
    """What is not so, in words; empty if chance explains it."""
    runs = round(row["runs"] * (1 - row["withheld"]))
    if runs < FEWEST:
        return ""
    held = round(row["coverage"] * runs)
    if binom.cdf(held, runs, LOWEST) < ALARM:
        return f"only {held} of {runs} intervals hold the mean"
    if binom.sf(held - 1, runs, HIGHEST) < ALARM:
        return f"as many as {held} of {runs} intervals hold the mean"
    # Scores that are not fair may spread more than they should.
    reach = BIAS + norm.isf(ALARM / 2) * max(row["spread"], 1.0) / math.sqrt(runs)
    return f"a mean score of {row['bias']:.2f}" if abs(row["bias"]) > reach else ""


def test_the_table_of_all():
    """Every system that was run, in one file."""
    found = pd.concat([table(case, measured(case, SEEDS)) for case in CASES])
    write_table(RESULTS / "coverage.csv", found, UNITS)
    assert len(CASES) > 70
    assert found["system"].nunique() == len(CASES)
