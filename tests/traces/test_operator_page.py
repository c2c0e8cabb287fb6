"""The operator's page shows the typeset tables that its config makes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
import pytest
from scripts import tabulate
from tests.conftest import ROOT, compute

from atlas.config.kinds import module
from atlas.plan.products import Product
from atlas.plan.resolve import Plan
from atlas.studies import trace_waiting

PAGE = ROOT / "docs/operator.md"
PAIR = re.compile(r"^```yaml\n(.*?)^```\n\n```text\n(.*?)^```$", re.M | re.S)


def typeset(table: Product, data: pd.DataFrame, units: Mapping[str, str]) -> str:
    """The chosen rows and columns of a table, as text in columns."""
    data, columns = tabulate.keep(data, table.content["rows"]), table.content["columns"]
    headings = [column["heading"] for column in columns.values()]
    rows = [headings, *tabulate.typeset(data, columns, units)]
    rows = [[cell.replace("\\", "") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
    return "\n".join(lines) + "\n"


def answers(folder: Path) -> Iterator[tuple[str, str]]:
    """What the page shows of each table, and what a run makes of its config."""
    pairs = PAIR.findall(PAGE.read_text("utf-8"))
    file = folder / "questions.yaml"
    file.write_text("".join(block for block, _ in pairs), "utf-8")
    plan = Plan.load({"papers": []}, ROOT, [file])
    tables = [product for product in plan.products if product.stage == "tabulate"]
    for (block, shown), table in zip(pairs, tables, strict=True):
        assert f"{table.id}:" in block
        [series] = table.series.values()
        study = module("studies", series.study)
        yield shown, typeset(table, compute(study, series.parameters), study.UNITS)


@pytest.mark.slow
def test_the_page_shows_what_its_config_makes(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    found = list(answers(tmp_path))
    assert len(found) == 7
    for shown, made in found:
        assert shown == made


@pytest.mark.slow
def test_records_that_are_put_in_twice_make_the_load_that_the_page_says(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    [command] = re.findall(r"^zcat .*$", PAGE.read_text("utf-8"), re.M)
    more = tmp_path / "more.swf"
    subprocess.run(["sh", "-c", command.replace("more.swf", str(more))], check=True)
    trace = {"trace": {"file": str(more), "format": "swf"}, "largest_needs": [8], "servers": 100}
    small, large, every = compute(trace_waiting, trace).to_dict("records")
    assert (small["jobs"], large["jobs"]) == (1757 + 1561, 2 * 586)
    assert f"{every['load']:.2f}" == "1.25" and 125 < 100 * every["load"] < 126
