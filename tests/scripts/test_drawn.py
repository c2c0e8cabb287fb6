"""A claim that is read from a drawn table has the interval of what it reads."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from atlas.claims import Found, drawn, record
from atlas.claims.verdicts import find, holds
from atlas.config.kinds import kinds, module
from atlas.io.claim_values import show_found

MEAN, WIDTH = "mean_response_time", "mean_response_time_half_width"
POINTS = pd.DataFrame(
    [(1e-9, 1.7, 0.04, 1.0), (2e-9, 3.6, 0.3, 1.0), (9e-9, 26.9, math.nan, 1.0)],
    columns=["arrival_rate", MEAN, WIDTH, "exact"],
)


def read(column, rate, table=POINTS):
    return drawn.value({"column": column, "where": {"arrival_rate": rate}}, table)


def test_a_simulated_value_has_its_interval_and_an_exact_one_none():
    found = read(MEAN, 2e-9)
    assert (found.value, found.half_width) == (3.6, 0.3)
    assert holds([3.55, 3.65], found.value, found.half_width) is None
    assert math.isnan(read(MEAN, 9e-9).half_width)
    assert read("exact", 2e-9).half_width is None


def test_an_interval_may_be_in_the_next_column_and_is_none_where_the_method_is_exact():
    table = POINTS.rename(columns={WIDTH: "half_width"}).fillna(0.0)
    assert read(MEAN, 2e-9, table).half_width == 0.3
    assert read(MEAN, 9e-9, table).half_width is None
    assert read("exact", 2e-9, table).half_width is None


def test_a_number_for_which_no_jobs_were_simulated_is_exact():
    """It was taken for a simulated one of too short a run, and its claim remained undecided."""
    table = POINTS.assign(jobs=[1000.0, 1000.0, math.nan])
    assert read(MEAN, 2e-9, table).half_width == 0.3
    assert read(MEAN, 9e-9, table).half_width is None
    assert math.isnan(read(MEAN, 9e-9, table.assign(jobs=1000.0)).half_width)
    curve = {"column": MEAN, "against": "arrival_rate"}
    exact = POINTS.assign(jobs=math.nan, **{WIDTH: math.nan})
    assert drawn.deepest_fall(curve, exact).half_width is None
    assert math.isnan(read(MEAN, 9e-9, table.replace(26.9, math.nan)).half_width)


def test_extremes_of_a_simulated_curve_decide_nothing():
    asked = {"column": MEAN, "against": "arrival_rate"}
    for extreme in (drawn.deepest_fall, drawn.deepest_trough):
        assert math.isnan(extreme(asked, POINTS).half_width)
        assert extreme(asked | {"column": "exact"}, POINTS).half_width is None


def test_what_is_no_number_is_not_judged():
    """An exact NaN failed whatever was stated, so that an erratum followed from nothing."""
    table = POINTS.assign(exact=[1.0, math.nan, 1.0])
    case = {"id": "peak", "row": "peak", "quantity": "drawn/value", "of": ["fig1/points"]}
    given = {"column": "exact", "where": {"arrival_rate": 2e-9}}
    claim = {"differs": "", "cases": [case | {"parameters": given}]}
    with pytest.raises(
        ValueError, match=r"claim peak, .*: found no number at arrival_rate = 2e-09"
    ):
        find({"claims": [claim]}, {"fig1/points": table})
    with pytest.raises(ValueError, match=r"found no number; expected one to judge"):
        record([0.5, math.nan])
    # A run may be too short for a quantile; a longer one may find it.
    short = record(Found(math.nan, half_width=math.nan))
    assert holds([0, 1], short["value"], short["half_width"]) is None
    assert show_found(math.nan, "ρ = 0.9", math.nan) == "no number at ρ = 0.9"


@pytest.mark.parametrize("extreme", [drawn.deepest_fall, drawn.deepest_trough])
def test_an_extreme_is_that_of_one_finite_curve(extreme):
    """Rows of several policies were taken for one curve, and a single point for a monotone one."""
    asked = {"column": "y", "against": "x"}
    both = pd.DataFrame(
        [(1, 0.0, "a"), (2, 0.0, "a"), (3, 3.0, "a"), (1, 9.0, "b"), (2, math.inf, "b")],
        columns=["x", "y", "policy"],
    )
    with pytest.raises(ValueError, match=r"several rows with x = 1; expected one curve: `where`"):
        extreme(asked, both)
    with pytest.raises(ValueError, match=r"no finite y at x = 2"):
        extreme(asked | {"where": {"policy": "b"}}, both)
    with pytest.raises(ValueError, match=r"found 1 row .* of 5; expected a curve of two"):
        extreme(asked | {"where": {"policy": "a", "x": 3}}, both)
    found = extreme(asked | {"where": {"policy": "a"}}, both)
    assert found.value == (1 if extreme is drawn.deepest_trough else 0)


def test_a_column_of_half_widths_is_next_to_the_numbers_that_it_is_of():
    for study in kinds("studies"):
        units = module("studies", study).UNITS
        names = list(units)
        for i, name in enumerate(names):
            if name == "half_width":
                assert units[names[i - 1]] == units[name], study
            elif name.endswith("_half_width") and name != "second_half_width":
                assert name.removesuffix("_half_width") in names, study


def test_what_selects_no_single_row_names_the_claim():
    case = {"id": "peak", "row": "peak", "quantity": "drawn/value", "of": ["fig1/points"]}
    claim = {"differs": "", "cases": [case | {"parameters": {"column": MEAN}}]}
    with pytest.raises(ValueError, match="claim peak, of fig1/points: found 3 rows"):
        find({"claims": [claim]}, {"fig1/points": POINTS})


@pytest.mark.parametrize(
    ("where", "nearest"),
    [
        ({"arrival_rate": 3e-9}, "arrival_rate = 2e-09, 9e-09;"),
        ({"arrival_rate": 1e-10, "exact": 1.0}, "arrival_rate = 1e-09;"),
        ({"method": "simulated"}, "method = exact, resampled;"),
    ],
)
def test_a_place_that_is_not_drawn_is_told_the_nearest_that_are(where, nearest):
    table = POINTS.assign(method=["resampled", "exact", "exact"])
    with pytest.raises(ValueError, match=f"found 0 rows .* of 3; nearest there: {nearest}"):
        drawn.value({"column": MEAN, "where": where}, table)
