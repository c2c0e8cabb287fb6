"""Tables, ledgers and data lead back to their making by LaTeX, sidecars and sums."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from scripts import tabulate

from atlas.io.credit import HEAD
from atlas.io.product import comment, describe
from atlas.io.tidy import write_table
from atlas.io.untrusted import Unreadable
from atlas.provenance import trace_back
from atlas.provenance.records import read_records

pytestmark = pytest.mark.slow


@pytest.fixture
def table(tmp_path) -> tuple[Path, dict]:
    """The files of a table, and its spec."""
    spec = {"paper": "small", "id": "t", "stage": "tabulate", "title": "T", "caption": "C"}
    spec |= {"source": {"section": "2", "note": "n"}, "fingerprint": "f", "code": "c", "rows": {}}
    spec |= {"bibliography": {"title": "A Paper", "authors": ["B"], "year": 2020, "arxiv": "1.2"}}
    spec |= {"faithful": True, "columns": {"x": {"heading": "$x$", "format": ".2f"}}}
    made = {"study": "s", "parameters": {"seed": 7}, "digest": "d", "file": str(tmp_path / "s.csv")}
    series = pd.DataFrame({"x": [1.0, 2.0]})
    write_table(tmp_path / "s.csv", series, {"x": "1"})
    spec["series"] = {"only": made}
    files = list(tabulate.tabulate(spec, {"only": series}, tmp_path))
    record = describe(spec, files, 0.0)
    (tmp_path / "t.json").write_text(json.dumps(record), encoding="utf-8")
    return tmp_path, spec


@pytest.mark.parametrize("name", ["t.csv", "t.tex", "t.table.tex", "t.json"])
def test_a_table_tells_its_story(table, name):
    [record] = read_records(table[0] / name)
    assert (record["id"], record["series"]["only"]["parameters"]) == ("t", {"seed": 7})
    said = list(trace_back.format_account(record, "", "", []))
    assert said[0] == "table        t: T"
    assert "source       Section 2 of B: A Paper (2020, arxiv:1.2)" in said
    assert "licence      MIT" in said


def test_latex_tells_it_alone_and_data_only_beside_its_sidecar_and_unchanged(table):
    folder, _ = table
    (folder / "t.json").rename(folder / "kept.json")
    assert read_records(folder / "t.tex")
    with pytest.raises(Unreadable, match=r"no t\.json beside it"):
        read_records(folder / "t.csv")
    (folder / "kept.json").rename(folder / "t.json")
    (folder / "t.csv").write_text("x [1]\n9\n", encoding="utf-8")
    with pytest.raises(Unreadable, match="changed since"):
        read_records(folder / "t.csv")


def test_data_in_the_gallery_tell_the_story_of_their_figure(table, tmp_path):
    """And data that were moved beside its sidecar."""
    site = tmp_path / "site"
    for name in ("small/t.json", "gallery/data/small/t.only.csv"):
        (site / name).parent.mkdir(parents=True)
    data = shutil.copy(table[0] / "s.csv", site / "gallery/data/small/t.only.csv")
    with pytest.raises(Unreadable, match=r"no \.\./\.\./\.\./small/t\.json beside it"):
        read_records(data)
    shutil.copy(table[0] / "t.json", site / "small")
    moved = Path(shutil.copy(data, site / "small"))
    assert read_records(data) == read_records(moved) == read_records(table[0] / "t.json")
    data.write_text("x [1]\n9\n", encoding="utf-8")
    with pytest.raises(Unreadable, match="changed since"):
        read_records(data)


def test_claims_in_latex_go_without_their_parameters(table):
    spec = table[1] | {"stage": "judge"}
    spec["series"] = {"only": spec["series"]["only"] | {"study": "claims"}}
    record = json.loads(comment(spec).removeprefix(HEAD))
    assert "parameters" not in record["series"]["only"]
    now = {**spec, "fingerprint": "g"}
    now["series"] = {"only": spec["series"]["only"] | {"digest": "e"}}
    _, [difference] = trace_back.find_differences(record, now)
    assert difference.startswith("series only: its parameters, which are not recorded, its code")
    account = list(trace_back.format_account(record, "", "", []))
    assert "seed         not recorded" in account
    assert any("only: claims d" in line for line in account)


def test_claims_are_compared_one_by_one(table):
    """By id: a list of hundreds would be cut off before it comes to what changed."""
    then, now = (
        {"id": "a", "parameters": {"seed": 7, "jobs": jobs}, "quantity": "q"} for jobs in (2, 3)
    )
    series = {"study": "claims", "digest": "d", "parameters": {"rows": [then]}}
    record = table[1] | {"series": {"only": series}}
    series = series | {"digest": "e", "parameters": {"rows": [now, then | {"id": "b"}]}}
    _, differences = trace_back.find_differences(record, record | {"series": {"only": series}})
    assert "series only: rows.a.parameters.jobs: 2, now 3" in differences
    assert any(told.startswith("series only: rows.b: new, {") for told in differences)
