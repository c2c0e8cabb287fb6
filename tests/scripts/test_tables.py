"""Tables keep their digits and units, and what LaTeX cannot print is escaped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scripts import tabulate

from atlas.io import latex, tabulars, tidy


def test_a_table_comes_back_exactly(tmp_path):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"x": rng.random(200) * 10.0 ** rng.integers(-300, 300, 200), "name": "a, b"}
    )
    tidy.write_table(tmp_path / "t.csv", table, {"x": "jobs/s", "name": "text"})
    back, units = tidy.read_table(tmp_path / "t.csv")
    pd.testing.assert_frame_equal(back, table, check_exact=True)
    assert units == {"x": "jobs/s", "name": "text"}


def test_a_table_without_its_units_is_refused(tmp_path):
    with pytest.raises(ValueError, match="differ from units"):
        tidy.write_table(tmp_path / "t.csv", pd.DataFrame({"x": [1]}), {"y": "1"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "style", "shown"),
    [
        (0.064117, ".1%", r"6.4\,\%"),
        (1.5e-15, ".1e", r"$1.5 \cdot 10^{-15}$"),
        (100, ".0e", r"$10^{2}$"),
        (0.0, ".1e", "0"),
        (True, "", "yes"),
        ("10% of n_2", "", r"10\% of n\_2"),
        (-2.5, "g", "$-$2.5"),
        (0.9618871264350061, "", "0.961887"),
        (2.2305109139562594e-09, "", r"$2.23051 \cdot 10^{-9}$"),
        (12345678.5, "", r"$1.23457 \cdot 10^{7}$"),
        (0.95, "", "0.95"),
        (1234567, "", "1234567"),
        (float("nan"), ".3f", "--"),
        (None, "", "--"),
    ],
)
def test_cells_are_latex(value, style, shown):
    assert tabulate.show(value, style) == shown


def test_times_and_rates_may_be_in_another_unit_than_seconds():
    data = pd.DataFrame({"wait": [7200.0, np.nan], "rate": [0.5, 1.0], "jobs": [3, 4]})
    columns = {
        "wait": {"format": ".1f", "unit": "h"},
        "rate": {"format": "", "unit": "min"},
        "jobs": {"format": ""},
    }
    cells = tabulate.typeset(data, columns, {"wait": "s", "rate": "jobs/s", "jobs": "jobs"})
    assert cells == [["2.0", "30.0", "3"], ["--", "60.0", "4"]]
    assert data["wait"][0] == 7200


def test_a_tabular_has_a_row_for_each_row():
    text = tabulars.tabular(["a", "b"], [["1", "2"], ["3", "4"]])
    assert text.count(r"\\") == 3
    assert r"\begin{tabular}{lr}" in text


def test_words_of_a_heading_stand_one_above_the_other_and_mathematics_stays_whole():
    assert tabulate.stack("share") == "share"
    assert tabulate.stack(r"refined $a + b$") == r"\shortstack[r]{refined\\$a + b$}"
    assert tabulate.stack(r"$a + b$") == r"$a + b$"
    assert tabulate.stack(r"95 \% wait") == r"\shortstack[r]{95\,\%\\wait}"
    assert tabulate.stack(r"\emph{two \textbf{bold words}} more") == (
        r"\shortstack[r]{\emph{two \textbf{bold words}}\\more}"
    )
    assert tabulate.stack(r"a\ b \{c d\}") == r"\shortstack[r]{a\ b\\\{c\\d\}}"


def test_symbols_become_commands_and_an_unknown_one_is_refused():
    assert latex.escape("μ2/μ1 → ∞") == r"$\mu$2/$\mu$1 $\to$ $\infty$"
    with pytest.raises(ValueError, match="no LaTeX for ☃"):
        latex.escape("a ☃")


def test_rows_that_a_table_is_to_keep_must_be_there():
    loads, policies = [0.3, 0.3, 0.6], ["fcfs", "first-fit", "fcfs"]
    data = pd.DataFrame({"load": loads, "policy": policies, "x": [1, 2, 3]})
    kept = tabulate.keep(data, {"load": [0.3], "policy": ["fcfs", "first-fit"]})
    assert kept["x"].tolist() == [1, 2]
    assert tabulate.keep(data, {}) is data
    with pytest.raises(ValueError, match=r"load = 0.4; the first values of load are 0.3, 0.6"):
        tabulate.keep(data, {"load": [0.3, 0.4]})
    with pytest.raises(ValueError, match="policy = first-fit"):
        tabulate.keep(data, {"load": [0.6], "policy": ["fcfs", "first-fit"]})
