"""Policies by load: exact where that takes seconds, otherwise simulated and marked as such."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tests.blocks import rigid_block
from tests.conftest import compute

import multiserver as ms
from atlas.claims import drawn
from atlas.models.described_systems import read_system
from atlas.studies import policies_by_load

SYSTEM = rigid_block(2, (1, 1.0, 0.6), (2, 2.0, 0.4))
GIVEN = {
    "system": SYSTEM,
    "policies": ["fcfs", "max-weight", "first-fit"],
    "loads": [0.3, 0.6, 0.95],
    "jobs": 200_000,
    "points": 8,
    "seed": 1,
}


@pytest.fixture(scope="module")
def table():
    return compute(policies_by_load, GIVEN)


def of(table, policy, name="all"):
    return table[(table["policy"] == policy) & (table["class"] == name)]


def test_what_is_known_is_the_curve_of_the_library(table):
    queue = read_system(SYSTEM).under(ms.FCFS)
    curve = of(table, "fcfs")
    curve = curve[curve["exact"].astype(bool)]
    limit = queue.stability().load_limit
    assert curve["load"].max() == pytest.approx(0.99 * limit, rel=1e-12)
    assert {0.3, 0.6} < set(curve["load"]) and curve["load"].is_monotonic_increasing
    at = {"column": "mean_response_time", "where": {"policy": "fcfs", "class": "all", "load": 0.6}}
    assert drawn.value(at, table).half_width is None  # as of an exact number
    for row in curve.itertuples():
        exact = queue.exact(load=row.load)
        assert row.mean_response_time == pytest.approx(exact.mean_response_time, rel=1e-9)
        assert row.arrival_rate == pytest.approx(exact.arrival_rate, rel=1e-12)
        assert row.fraction_of_limit == pytest.approx(row.load / limit, rel=1e-12)
    first = table[(table["policy"] == "fcfs") & (table["class"] == "class-2")].iloc[0]
    by_class = queue.exact(load=first["load"]).by_class
    assert first["mean_response_time"] == pytest.approx(by_class[1].mean_response_time, rel=1e-9)


def test_chains_of_few_states_are_curves(table):
    queue = read_system(SYSTEM).under(ms.MaxWeight)
    curve = of(table, "max-weight")
    assert curve["exact"].all() and len(curve) > 4
    assert curve["load"].max() > GIVEN["loads"][-1]
    some = curve.iloc[[0, len(curve) // 2, -1]]
    exact = [queue.exact(load=load).mean_response_time for load in some["load"]]
    assert list(some["mean_response_time"]) == pytest.approx(exact, rel=1e-6)


def test_what_takes_minutes_is_simulated_and_holds_what_is_known_of_it(monkeypatch):
    """Either mean is four half-widths off by chance with a probability of less than 2e-7: Student's
    t of 20 degrees of freedom or more."""
    monkeypatch.setattr(policies_by_load, "OF_MANY", 300)
    queue = read_system(SYSTEM).under(ms.MaxWeight)
    given = GIVEN | {"policies": ["max-weight"], "loads": [0.3, 0.6, 0.8]}
    found = of(compute(policies_by_load, given), "max-weight")
    curve, points = (found[found["exact"] == known] for known in (True, False))
    assert 0 < curve["load"].max() < points["load"].min()
    assert set(points["load"]) < set(given["loads"])
    for row in points.itertuples():
        exact = queue.exact(load=row.load).mean_response_time
        assert abs(row.mean_response_time - exact) < 4 * row.half_width
        assert row.half_width < 0.05 * exact


def test_where_a_policy_is_not_stable_it_is_infinite_and_not_simulated(table):
    """Needs of 1 and 2 of 2 servers under FCFS waste more than a twentieth of them."""
    rows = of(table, "fcfs")
    assert rows["limit"].iloc[0] < 0.95 and rows["load"].max() < 0.95
    constant = rigid_block(2, (1, {"deterministic": 1.0}, 0.6), (2, {"deterministic": 0.5}, 0.4))
    given = GIVEN | {"policies": ["fcfs"], "jobs": 1000, "system": constant}
    last = of(compute(policies_by_load, given), "fcfs").iloc[-1]
    assert last["load"] == 0.95 and math.isinf(last["mean_response_time"])
    assert np.isnan(last["effective_size"])


def test_a_policy_that_is_not_for_the_system_is_refused_at_its_place():
    with pytest.raises(ValidationError, match="balanced-fairness"):
        compute(policies_by_load, GIVEN | {"policies": ["fcfs", "balanced-fairness"]})
