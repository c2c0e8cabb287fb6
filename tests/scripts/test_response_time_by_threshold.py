"""Quickswap at every threshold: the means of the library, and the smallest of them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticCustomError
from tests.blocks import rigid_block
from tests.conftest import compute

import multiserver as ms
from atlas.fields.columns import check_columns
from atlas.models.described_systems import read_system
from atlas.studies import response_time_by_threshold


def given(needs):
    rows = zip(needs, (1.0, 0.5), (0.8, 0.2), strict=True)
    return {"system": rigid_block(6, *rows), "loads": [0.7]}


CONSTANT = {"durations": [{"deterministic": 1}, {"exponential": 1}]}


@pytest.mark.parametrize(("needs", "thresholds"), [([1, 6], 6), ([2, 3], 3)])
def test_all_thresholds_in_both_readings_and_the_least(needs, thresholds):
    table = compute(response_time_by_threshold, given(needs))
    check_columns(table, response_time_by_threshold.UNITS)
    system = read_system(given(needs)["system"])
    assert len(table) == 2 * thresholds
    none = system.under(ms.NonpreemptiveMostServersFirst).exact(load=0.7).mean_response_time
    for reading, rows in table.groupby("last_phase"):
        means = rows.set_index("threshold")["mean_response_time"]
        assert means[0] == pytest.approx(none, rel=1e-7)
        last = system.under(ms.Quickswap(threshold=thresholds - 1, last_phase=reading))
        exact = last.exact(load=0.7).mean_response_time
        assert means[thresholds - 1] == pytest.approx(exact, rel=1e-7)
        assert rows.set_index("threshold")["best"].sum() == 1
        assert means[rows.loc[rows["best"], "threshold"].item()] == pytest.approx(means.min(), 1e-7)


def test_a_load_that_is_not_stable_is_refused():
    block = {"system": rigid_block(5, (2, 1.0, 0.5), (3, 0.5, 0.5)), "loads": [0.99]}
    with pytest.raises(PydanticCustomError, match="expected lower loads"):
        compute(response_time_by_threshold, block)


@pytest.mark.parametrize(
    ("system", "text"),
    [
        (rigid_block(6, (6, 1, 1.0)), "quickswap in this system; expected two needs"),
        (
            {"heterogeneous": {"speeds": [1], "durations": [{"exponential": 1}]}},
            "heterogeneous; expected multiserver-jobs",
        ),
        (
            {"multiserver-jobs": given([1, 6])["system"]["multiserver-jobs"] | CONSTANT},
            "no exact solution is known; expected exponential",
        ),
    ],
)
def test_a_system_of_another_kind_is_refused_at_the_key_that_is_written(system, text):
    with pytest.raises(ValidationError, match=text) as error:
        compute(response_time_by_threshold, {"system": system, "loads": [0.7]})
    assert error.value.errors()[0]["ctx"]["at"] == ("system",)
