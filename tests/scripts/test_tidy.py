"""Tables are read back as they were written, and no text in them acts as a formula."""

from __future__ import annotations

import csv

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atlas.io.tidy import guard, read_table, unguard, write_table

FORMULAS = ("=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "-2+3")


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_is_a_formula_gets_an_apostrophe_and_loses_it(text, tmp_path):
    table = pd.DataFrame({"name": [text, "plain"], "x": [-1.5, 2.0]})
    file = tmp_path / "t.csv"
    write_table(file, table, {"name": "name", "x": "1"})
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[1] == [f"'{text}", "-1.5"]
    read, units = read_table(file)
    pd.testing.assert_frame_equal(read, table, check_dtype=False)
    assert units == {"name": "name", "x": "1"}


def test_a_heading_is_no_formula_either(tmp_path):
    table = pd.DataFrame({"=x": ["a"]})
    write_table(tmp_path / "t.csv", table, {"=x": "name"})
    assert (tmp_path / "t.csv").read_text("utf-8").startswith("'=x [name]")
    assert list(read_table(tmp_path / "t.csv")[0]) == ["=x"]


@pytest.mark.parametrize("number", ["-1", "+2.5e-3", "-inf", "1"])
def test_numbers_stay_numbers(number):
    assert guard(number) == number


@given(st.text() | st.from_regex(r"'*[=+\-@].*"))
def test_guarding_loses_nothing(text):
    assert unguard(guard(text)) == text
    assert not str(guard(text)).startswith(("=", "@"))


@pytest.mark.parametrize("texts", [False, True])
def test_null_in_a_column_of_json_is_no_missing_cell(tmp_path, texts):
    file = tmp_path / "table.csv"
    table = pd.DataFrame({"found": ["null", "0.5", '"NA"'], "width": [1.0, 2.0, 3.0]})
    write_table(file, table, {"found": "JSON", "width": "s"})
    read, _ = read_table(file, texts=texts)
    assert read["found"].tolist() == ["null", "0.5", '"NA"']
    assert read["width"].tolist() == (["1.0", "2.0", "3.0"] if texts else [1.0, 2.0, 3.0])
