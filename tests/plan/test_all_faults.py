"""One run reports all faults of all files, whatever they are about."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from scripts.tabulate import keep
from tests.conftest import ROOT

from atlas.config.errors import ConfigError, Fault, raise_for
from atlas.config.read import read_yaml
from atlas.config.validate import check_values
from atlas.io import product
from atlas.plan.resolve import Plan

OWN = """\
paper: mine
figures:
  need:
    title: # one
    series: {worst: {study: wastage-by-need, servers: 0, need_1: 2, rates: [1, 5]}}
    drawing: {kind: wastage-by-need}
  other:
    title: Another
    series: {worst: {study: wastage-by-need, servers: 0, need_1: 2, rates: [1, 5]}}
    drawing: {kind: wastage-by-need}
tables:
  rows:
    title: Rows
    series: {s: {study: wastage-by-need, servers: 7, need_1: 2, rates: [1, 5]}}
    columns: {wastage: {heading: x}}
claims:
  - &first {id: a, where: b, quote: c, quantity: drawn/value, of: rows/s, given: {column: wastage},
     stated: "4", within: printed, certainty: stated, verdict: agrees}
  - {<<: *first, id: b, quote: }
  - {<<: *first, id: c, stated: }
  - {<<: *first, id: a, of: other/worst}
  - {<<: *first, id: d, given: {column: waste}}
  - {<<: *first, id: e, of: other/worst, given: {column: wasted}}
  - {<<: *first, id: f, of: need/worst, given: {column: wastage, where: {need: 1}}}
"""
RUN_WIDE = """\
seed: -1
papers: [finite-skp]
style: nowhere.mplstyle
traces: {log: {file: log.csv, format: xlsx}}
"""
LOG = """\
  log:
    title: A log
    series: {log: {study: trace-rows, trace: {name: log}}}
    columns: {rows: {heading: Records}}
"""


KEYS = [
    *("figures.need.title", "figures.other.series.worst.servers", "claims.1.quote"),
    *("claims.2.stated", "claims.3.id", "claims.4.given.column"),
    *("claims.5.given.column", "claims.6.given.where.need"),
]


def keys_of_faults(folder: Path, text: str, *others: Path, **config: object) -> list[str]:
    """The keys of the faults that one run tells, in their order."""
    own = folder / "own.yaml"
    own.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        Plan.load(config, ROOT, [*others, own], folder)
    head, *blocks = str(caught.value).split("\n\n")
    assert head.startswith(f"{len(blocks)} faults in ")
    return [block.splitlines()[0].partition(": ")[2] for block in blocks]


def test_faults_of_all_kinds_are_said_in_one_run_in_the_order_of_the_file(tmp_path):
    assert keys_of_faults(tmp_path, OWN) == KEYS


def test_faults_of_run_wide_keys_hide_none_of_a_paper_and_cause_none(tmp_path):
    """The name of a log is not unknown because its entry has a fault."""
    text = RUN_WIDE + OWN.replace("claims:\n", LOG + "claims:\n")
    about_runs = ["seed", "papers.0", "style", "traces.log.format"]
    assert keys_of_faults(tmp_path, text) == about_runs + KEYS
    text = text.replace(RUN_WIDE, "traces: [log.csv]\n")
    assert keys_of_faults(tmp_path, text) == ["traces", *KEYS]
    assert keys_of_faults(tmp_path, OWN, effort="fast", sed=1) == ["effort", "sed", *KEYS]


def test_a_paper_whose_name_is_at_fault_is_checked_too(tmp_path):
    assert keys_of_faults(tmp_path, OWN.replace("mine", "My Paper", 1)) == ["paper", *KEYS]


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path):
    (tmp_path / "broken.yaml").write_text("paper: [\n", "utf-8")
    found = keys_of_faults(tmp_path, OWN, tmp_path / "broken.yaml", effort="of the file")
    assert found == ["the whole file", *KEYS]


def test_a_mistake_that_is_merged_into_several_series_is_one_fault():
    keys = [("figures", name, "series", "s", "servers") for name in ("a", "b", "c")]
    faults = [Fault(key, "0", "at least 1") for key in keys]
    other = Fault(("figures", "c", "series", "s", "needs"), "0", "at least 1")
    lines = {key: 10 * i for i, key in enumerate(keys, start=1)} | {other.path: 31}
    with pytest.raises(ConfigError) as caught:
        raise_for([other, *faults], "own.yaml", lines)
    told = str(caught.value).split("\n\n")
    assert told[0] == "2 faults in own.yaml; no job was started"
    assert told[1].startswith("own.yaml:10: figures.a") and told[1].endswith("on line 20, 30")
    assert told[2].startswith("own.yaml:31: figures.c.series.s.needs")


def test_a_text_that_yaml_takes_for_a_comment_is_told_so(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("title: # one\ncaption:\n", "utf-8")
    content, lines = read_yaml(file, str(file))
    with pytest.raises(ConfigError) as caught:
        raise_for([*check_values(content, ())], str(file), lines)
    first, second = str(caught.value).split("caption")
    assert "must be in quotes" in first and "quotes" not in second


def test_what_a_product_refuses_is_told_with_its_line_and_without_a_traceback(
    tmp_path, monkeypatch
):
    file = tmp_path / "own.yaml"
    file.write_text("tables:\n  rows:\n    rows: {load: [0.7]}\n", "utf-8")
    spec = {"paper": "mine", "id": "rows", "series": {}}
    monkeypatch.setattr(product, "read_spec", lambda _: spec)
    mark = tmp_path / "results/made/mine/rows.0"
    place = ["--place", str(file), "tables", "rows"]
    monkeypatch.setattr("sys.argv", ["tabulate", "spec.json", "--mark", str(mark), *place])
    data = pd.DataFrame({"load": [0.1 + 0.2, 0.6]})
    assert len(keep(data, {"load": [0.3]})) == 1
    with pytest.raises(SystemExit) as caught:
        product.run(None, lambda *_: [keep(data, {"load": [0.7]})])
    told = str(caught.value)
    assert "own.yaml:3: tables.rows.rows.load.0\n    found     no row with load = 0.7" in told
    assert "this product is not made" in told
