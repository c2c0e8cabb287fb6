"""Curves are sampled where they bend."""

from __future__ import annotations

import math

import numpy as np
import pytest

from atlas.models.sampling import HAIR, sample


def off(rows, curve, ends):
    """How far the drawn line is from the curve, in parts of the curve's height."""
    x = np.linspace(*ends, 20_001)
    true = np.array([curve(at) for at in x])
    drawn = np.interp(x, [row[0] for row in rows], [row[1] for row in rows])
    return np.abs(drawn - true).max() / np.ptp(true)


def peak(x):
    return math.exp(-(((x - 1.234) / 0.1) ** 2))


@pytest.mark.parametrize(
    ("curve", "ends"),
    [
        (peak, (0, 3)),
        (lambda x: abs(x - 0.7312), (0, 1)),
        (lambda x: -math.log(1 - x), (0.01, 0.999)),
        (lambda x: math.sqrt(x), (0, 1)),
        (lambda x: math.sin(20 * x), (0, 1)),
    ],
)
def test_the_line_is_a_hair_from_the_curve(curve, ends):
    rows = sample(lambda x: (x, curve(x)), ends, 400, lambda row: row[1:])
    assert len(rows) < 400
    # Where |y''| grows within an interval, its ends say too little of it.
    assert off(rows, curve, ends) < 3 * HAIR
    x = [row[0] for row in rows]
    assert x == sorted(set(x)) and (x[0], x[-1]) == ends


def test_a_peak_takes_fewer_points_than_an_even_grid():
    rows = sample(lambda x: (x, peak(x)), (0, 3), 121, lambda row: row[1:])
    even = [(x, peak(x)) for x in np.linspace(0, 3, 121)]
    assert off(rows, peak, (0, 3)) < off(even, peak, (0, 3)) / 5


def test_a_straight_line_takes_no_more_than_the_grid():
    assert len(sample(lambda x: (x, 3 * x), (0, 1), 100, lambda row: row[1:])) == 34


def test_every_height_is_seen_to():
    rows = sample(lambda x: (x, x, peak(x)), (0, 3), 300, lambda row: row[1:])
    assert off([(x, y) for x, _, y in rows], peak, (0, 3)) < 3 * HAIR


def test_the_end_of_a_curve_is_found():
    curve = lambda x: (x, x**2 if x < 0.6543 else math.nan)  # noqa: E731
    rows = sample(curve, (0, 1), 60, lambda row: row[1:])
    last = max(x for x, y in rows if not math.isnan(y))
    assert 0 < 0.6543 - last < 0.003


def test_no_more_points_than_allowed():
    for points in (2, 3, 5, 50):
        rows = sample(lambda x: (x, math.sin(1 / (x + 0.01))), (0, 1), points, lambda row: row[1:])
        assert len(rows) == points
