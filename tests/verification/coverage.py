"""The quality of the intervals of many independent runs of one system.

The run of each seed estimates E[T], of all jobs and of each class. For the estimates reported as
fair, this computes the share whose interval holds the exact mean (`coverage`), the mean of their
scores (`bias`), the root mean square of the scores (`spread`) and the mean half-width over the
exact mean (`width`); for all, the share that is `withheld`. If every interval of the first runs is
withheld, because the runs are known beforehand to be too short, no more are run.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
from scipy.stats import binom
from tests.verification.systems import Case

import multiserver as ms

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FIRST = 1000
# Of intervals at 95 % that are given, as many must hold; with fewer than `FEWEST` nothing is said.
LOWEST, HIGHEST, FEWEST = 0.93, 0.97, 50
# The largest mean score but for chance.
BIAS = 0.15
UNITS = {
    "system": "name",
    "class": "name",
    "jobs": "jobs",
    "exact": "time",
    "route": "name",
    "runs": "runs",
    "withheld": "1",
    "coverage": "1",
    "bias": "1",
    "spread": "1",
    "width": "1",
}
# Runs that are done at a time, and after as many it is seen whether all are withheld.
BLOCK = 20


def require_nominal(held: dict[str, list[bool]], record_property, alarm: float) -> None:
    """That of the intervals by name, each held or not, 93 to 97 % may hold: each of the two limits
    is missed by chance with probability at most `alarm`."""
    for name, those in held.items():
        record_property(name, f"{sum(those)} of {len(those)}")
        assert binom.cdf(sum(those), len(those), LOWEST) > alarm, name
        assert binom.sf(sum(those) - 1, len(those), HIGHEST) > alarm, name


def measured(case: Case, seeds: int) -> pd.DataFrame:
    """One row a run and class (`seed`, `class`, `fair`, `held`, `z`, `width`); what was done before
    by the same library is read."""
    folder = RESULTS / "coverage" / _digest()
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-")
    file = folder / f"{name}.csv"
    done = pd.read_csv(file, dtype={"class": str}) if file.exists() else pd.DataFrame()
    count = 0 if done.empty else done["seed"].nunique()
    while count < seeds and not (count and not done["fair"].any()):
        block = range(FIRST + count, FIRST + min(count + BLOCK, seeds))
        rows = [row for seed in block for row in run(case, seed)]
        done = pd.concat([done, pd.DataFrame(rows)]) if count else pd.DataFrame(rows)
        partial = file.with_suffix(f".{os.getpid()}")
        done.to_csv(partial, index=False)
        partial.replace(file)
        count += len(block)
    return done[done["seed"] < FIRST + seeds]


def run(case: Case, seed: int) -> Iterator[dict]:
    """All jobs and each class."""
    found = case.queue.simulate(arrival_rate=case.rate, jobs=case.jobs, seed=seed, level=case.level)
    estimates = {"all": found.mean_response_time}
    if len(found.by_class) > 1:
        rows = enumerate(found.by_class, start=1)
        estimates |= {str(c): row.means.get("mean_response_time") for c, row in rows}
    for name, exact in case.means.items():
        e = estimates[name]
        row = {"seed": seed, "class": name, "fair": e is not None and not e.lacking}
        if row["fair"]:
            z, width = ms.z_score(e, exact), e.half_width / exact
            yield row | {"held": e.covers(exact), "z": z, "width": width}
        else:
            yield row | {"held": False, "z": math.nan, "width": math.nan}


def table(case: Case, done: pd.DataFrame) -> pd.DataFrame:
    """One row for all jobs and for each class."""
    rows = []
    for name, exact in case.means.items():
        told = done[done["class"] == name]
        fair = told[told["fair"]]
        rows.append(
            {
                "system": case.name,
                "class": name,
                "jobs": case.jobs,
                "exact": exact,
                "route": case.route,
                "runs": len(told),
                "withheld": 1 - len(fair) / len(told),
                "coverage": fair["held"].mean(),
                "bias": fair["z"].mean(),
                "spread": (fair["z"] ** 2).mean() ** 0.5,
                "width": fair["width"].mean(),
            }
        )
    return pd.DataFrame(rows, columns=list(UNITS))


@cache
def _digest() -> str:
    """Of the library's sources."""
    files = sorted((ROOT / "src/multiserver").rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
