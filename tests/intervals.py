"""Whether simulated estimates agree with exact values, by their scores and their intervals."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

import multiserver as ms
from atlas.io.scores import TESTS, assess


def assert_scores_below(
    largest: float, found, exact, names: tuple[str, ...] = ("mean_response_time",)
) -> None:
    """Of the means `names` of all jobs, and of each class."""
    for mine, theirs in zip((found, *found.by_class), (exact, *exact.by_class), strict=True):
        for name in names:
            assert abs(ms.z_score(getattr(mine, name), getattr(theirs, name))) < largest, name


def assert_intervals_hold(
    estimates: Iterable[ms.Estimate], exact: Iterable[float], false_alarm: float
) -> None:
    """As often as they should, and scores have their distribution: each of the three tests fails by
    chance with the probability `false_alarm`."""
    pairs = list(zip(estimates, exact, strict=True))
    scores = {
        "z": [ms.z_score(estimate, value) for estimate, value in pairs],
        "inside": [abs(estimate.mean - value) <= estimate.margin for estimate, value in pairs],
    }
    told = assess(pd.DataFrame(scores))
    assert min(told[test] for test in TESTS) > false_alarm, told
