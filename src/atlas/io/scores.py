"""Test whether simulated points scatter about their exact values as they should.

The score z of a point is standard normal if simulation and exact solution are of the same system
and the interval has the right width. There are three tests of the scores:

- *largest*: P(max |z| ≥ observed) for as many independent standard normal scores;
- *normal*: the Kolmogorov-Smirnov test of all scores against the standard normal distribution;
- *coverage*: the binomial test of how many 95 % intervals contain the exact value.

If nothing is wrong, each p-value is below `ALARM` with about that probability.
"""

from __future__ import annotations

import math

import pandas as pd

CONFIDENCE = 0.95
# A run fails below `ALARM`; below `DOUBT` its report says so.
ALARM = 1e-4
DOUBT = 0.01
TESTS = ("p_largest", "p_normal", "p_coverage")


def assess(table: pd.DataFrame) -> dict[str, float]:
    """The number of points, statistics of their scatter, and the three p-values."""
    from scipy.stats import binomtest, kstest, norm

    count, inside = len(table), int(table["inside"].sum())
    if not count:
        found = dict.fromkeys(("points", "largest", "mean", "deviation", "coverage"), 0)
        return found | dict.fromkeys(TESTS, 1.0)
    largest = float(table["z"].abs().max())
    return {
        "points": count,
        "largest": largest,
        "mean": float(table["z"].mean()),
        "deviation": float((table["z"] ** 2).mean() ** 0.5),
        "coverage": inside / count,
        "p_largest": -math.expm1(count * math.log1p(-2 * norm.sf(largest))),
        "p_normal": float(kstest(table["z"], "norm").pvalue),
        "p_coverage": float(binomtest(inside, count, CONFIDENCE).pvalue),
    }
