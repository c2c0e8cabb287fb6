"""Tables of classes: how they are read, and the errors for tables that cannot be read."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from tests.conftest import ROOT, compute

from atlas.config.errors import ConfigError
from atlas.config.read import read_yaml
from atlas.config.series import complete_series
from atlas.models.class_tables import TableError, read_class_table
from atlas.plan.resolve import Plan
from atlas.studies import workload_system

pytestmark = pytest.mark.usefixtures("unedited")

CELLS = ROOT / "config/cells/borg.csv"
GOOD = "# from nowhere\nneed,share,mean_duration\n1,0.75,2.5\n8,0.25,0.5\n"
MINE = """paper: mine
figures:
  needs:
    title: Needs in {{ cell.classes.servers }} servers
    series:
      cell: {study: workload-system, classes: {file: cells.csv, cell: A}}
    drawing: {kind: classes-by-need, columns: [share_of_jobs]}
"""


def test_the_published_cells_are_read_as_they_are():
    with CELLS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    for cell, servers, count in (("A", 3072, 29), ("B", 2048, 26)):
        own = [row for row in rows if row["cell"] == cell]
        found = read_class_table(CELLS.read_text("utf-8"), cell)
        assert found["servers"] == servers
        assert len(found["needs"]) == count
        assert found["needs"] == [int(row["need"]) for row in own]
        assert found["mean_durations"] == [float(row["mean_duration"]) for row in own]
        # Shares are scaled to a sum of 1, which they have but for rounding.
        assert found["shares"] == pytest.approx([float(row["share"]) for row in own], rel=1e-15)
        assert math.fsum(found["shares"]) == pytest.approx(1, abs=1e-15)


def test_the_source_stands_in_the_file():
    head = CELLS.read_text("utf-8").splitlines()[1]
    assert "10.1109/TPDS.2024.3497792" in head
    assert "CC BY" in head


def test_columns_may_stand_in_any_order_and_cells_may_lack():
    other = "share, mean_duration ,need\n\n0.25,0.5,8\n0.75,2.5,1\n"
    for text in (GOOD, other):
        found = read_class_table(text)
        rows = zip(found["needs"], found["shares"], found["mean_durations"], strict=True)
        assert sorted(rows) == [(1, 0.75, 2.5), (8, 0.25, 0.5)]
        assert "servers" not in found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("share,", "part,", "line 2: no column share among need, part, mean_duration"),
        ("duration\n", "duration,queue\n", "line 2: a column 'queue'"),
        ("need,share", "need,need,share", "line 2: the column need twice"),
        (
            GOOD,
            GOOD.replace(",", "\t"),
            "line 2: columns between tabs; expected columns between com",
        ),
        (
            GOOD,
            GOOD.replace(",", ";"),
            "line 2: columns between semicolons; expected .* commas, and n",
        ),
        (GOOD, GOOD.replace(",", "|"), "line 2: columns between bars; expected"),
        ("1,0.75,2.5", "1_0,0.75,2.5", "line 3: need '1_0'; expected a whole number"),
        ("1,0.75,2.5", "١٠,0.75,2.5", "line 3: need '١٠'; expected a whole number"),
        ("1,0.75,2.5", "1,0.7_5,2.5", "line 3: share '0.7_5'; expected a number"),
        ("1,0.75,2.5", "1,0.75,٢.٥", "line 3: mean_duration '٢.٥'; expected a number"),
        ("1,0.75,2.5", "1,0.75", "line 3: 2 fields; expected 3: need, share, mean_duration"),
        ("1,0.75,2.5", "1,0.75,2,5", "4 fields; expected 3: .*, and numbers with decimal points"),
        ("1,0.75,2.5", '1,"0,75",2.5', "share '0,75'; expected .*, with a decimal point"),
        ("1,0.75,2.5", '1,0.75,"2.5', "line 3: unexpected end of data; expected a line of a table"),
        ("1,0.75,2.5", "1.5,0.75,2.5", r"line 3: need '1\.5'; expected a whole number"),
        ("1,0.75,2.5", "0,0.75,2.5", "line 3: need 0; expected a whole number of 1"),
        ("8,0.25,0.5", "8,many,0.5", "line 4: share 'many'; expected a number"),
        ("8,0.25,0.5", "8,-0.25,0.5", r"line 4: share -0\.25"),
        ("8,0.25,0.5", "8,0.2,0.5", r"line 4: shares that sum to 0\.95 up to here"),
        ("8,0.25,0.5", "8,0.25,0", "line 4: mean_duration 0;"),
        ("8,0.25,0.5", "8,0.25,nan", "line 4: mean_duration nan;"),
        ("8,0.25,0.5", "8,0.25,inf", "line 4: mean_duration inf;"),
        ("8,0.25,0.5", "1,0.25,0.5", "line 4: need 1 again; expected each need once"),
        ("8,0.25,0.5", "8,0.25," + "5" * 140_000, "line 4: field larger than field limit"),
        (GOOD, "", r"no row; expected a header \(need, share, mean_duration\)"),
        ("1,0.75,2.5\n8,0.25,0.5\n", "", "a header and no row"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old, new, message):
    assert old in GOOD
    with pytest.raises(TableError, match=message):
        read_class_table(GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "cell", "message"),
    [
        ("", "", None, "no cell; expected cell: one of A, B"),
        ("", "", "C", "the cell 'C'; expected cell: one of A, B"),
        ("A,4,2", "A,5,2", "A", "line 3: servers 5; expected one number in all of a cell"),
        ("A,4,2", "A,4,5", "A", "line 3: need 5 of 4 servers; expected needs of at most all"),
    ],
)
def test_cells_are_told_apart(old, new, cell, message):
    text = "cell,servers,need,share,mean_duration\nA,4,1,0.5,1\nA,4,2,0.5,1\nB,9,9,1,1\n"
    assert read_class_table(text, "A")["needs"] == [1, 2]
    with pytest.raises(TableError, match=message):
        read_class_table(text.replace(old, new, 1), cell)
    with pytest.raises(TableError, match="the cell 'A', and no column cell"):
        read_class_table(GOOD, "A")


def plan(folder: Path, monkeypatch, table: str | bytes, text: str = MINE):
    monkeypatch.chdir(folder)
    (folder / "cells.csv").write_bytes(table if isinstance(table, bytes) else table.encode())
    (folder / "mine.yaml").write_text(text, "utf-8")
    loaded = Plan.load({}, ROOT, ["mine.yaml"])
    loaded.write_specs()
    (product,) = [p for p in loaded.products if p.id == "needs"]
    return product


def test_a_spec_has_the_classes_and_the_digest_of_their_file(tmp_path, monkeypatch):
    table = CELLS.read_text("utf-8")
    product = plan(tmp_path, monkeypatch, table)
    (series,) = product.series.values()
    block = series.parameters["classes"]
    assert block["needs"][-1] == 2998
    assert product.content["title"] == "Needs in 3072 servers"
    # What changes in the file changes the spec, whether it was planned before or not.
    again = plan(tmp_path, monkeypatch, table)
    assert again.fingerprint == product.fingerprint
    changed = plan(tmp_path, monkeypatch, table.replace("A,3072,2998,", "A,3072,2999,"))
    assert changed.fingerprint != product.fingerprint
    (series,) = changed.series.values()
    assert series.parameters["classes"]["needs"][-1] == 2999
    assert series.parameters["classes"]["digest"] != block["digest"]


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("need,share\n1,1\n", ("", ""), r"cells\.csv, line 1: no column mean_duration"),
        (GOOD, ("", ""), "the cell 'A', and no column cell"),
        (GOOD, ("cells.csv", "gone.csv"), "a file that is there"),
        (GOOD, (", cell: A", ", needs: [1]"), "needs beside a file"),
        (GOOD, ("file: cells.csv, cell: A", "needs: [1]"), "no shares, mean_durations"),
        (GOOD, ("cell: A", "cell: 7"), "text"),
        ("\xff" * 2**20, ("", ""), "2097152 bytes"),
        (b"need,share,mean_duration\n\xff,1,1\n", ("", ""), r"line 2: no text(.|\n)*text in UTF-8"),
    ],
)
def test_a_mistake_is_told_at_the_place_that_names_the_file(
    tmp_path, monkeypatch, table, change, message
):
    assert change[0] in MINE
    with pytest.raises(ConfigError, match=message) as raised:
        plan(tmp_path, monkeypatch, table, MINE.replace(*change, 1))
    assert "mine.yaml:6: figures.needs.series.cell.classes" in str(raised.value)


@pytest.mark.parametrize(
    ("study", "more", "message"),
    [
        ("workload-wastage", {"servers": [8], "methods": ["sampled"]}, "methods: [exact, exp"),
        ("workload-response-time", {"servers": 8, "loads": [0.5]}, "durations: exponential"),
        ("workload-wastage", {"servers": [7], "methods": ["exact"]}, "need 8 exceeds 7"),
        ("trace-summary", {}, "an unknown key"),
    ],
)
def test_what_classes_cannot_say_is_refused(study, more, message):
    given = {"classes": {"needs": [1, 8], "shares": [0.5, 0.5], "mean_durations": [1, 2]}, **more}
    if more:
        given |= {"rounding": "none", "jobs": 1000, "seed": 1}
    (fault,) = complete_series({"study": study, **given}, ())[2]
    assert message in f"{fault.found}; {fault.expected}"


def test_rows_that_need_the_trace_say_what_the_tables_have():
    cells = [read_class_table(CELLS.read_text("utf-8"), cell) for cell in "AB"]
    largest = [max(cell["needs"]) for cell in cells]
    ones = [100 * cell["shares"][cell["needs"].index(1)] for cell in cells]
    found = [compute(workload_system, {"classes": cell})["correlation"].iloc[0] for cell in cells]
    sentences = {
        "range": "needs from 1 to {} and from 1 to {}".format(*largest),
        "mass": "needs from 1 to {} and from 1 to {}".format(*largest),
        "peak": "{:.1f} % and {:.1f} % of the jobs need one server".format(*ones),
        "correlation": "{:.2f} and {:.2f}".format(*found).replace("-", "−"),
    }
    assert all(min(cell["needs"]) == 1 for cell in cells)
    rows = 0
    for file in sorted((ROOT / "config/papers").glob("*.yaml")):
        for claim in read_yaml(file, file.name)[0].get("claims", []):
            if claim["verdict"] == "needs the trace":
                said = sentences[claim["id"].rpartition("-")[2]]
                assert said in " ".join(claim["reason"].split()), claim["id"]
                rows += 1
    assert rows == 8
