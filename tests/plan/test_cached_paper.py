"""A cached plan is reused as long as all of its inputs are unchanged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT, check_output

from atlas.plan import cached_paper, papers, resolve
from atlas.plan.environment import software
from atlas.plan.resolve import Plan

RUN = {"papers": ["two-class-stability"]}
PAPER = "config/papers/two-class-stability.yaml"
KEPT = Path("results/plan/two-class-stability.products.json")


@pytest.fixture
def read(tmp_path, monkeypatch) -> list[str]:
    """The papers' files that are read from now on."""
    files: list[str] = []
    loaded = papers.PaperFile.load
    monkeypatch.setattr(
        papers.PaperFile, "load", lambda self: files.append(self._name) or loaded(self)
    )
    monkeypatch.chdir(tmp_path)
    return files


def plan(root: Path = ROOT, **config) -> Plan:
    made = Plan.load({**RUN, **config}, root)
    made.write_specs()
    return made


def test_it_is_the_same_plan_and_no_paper_is_read(read):
    first = plan()
    assert read == [PAPER]
    again = plan()
    assert read == [PAPER]
    for name in ("text", "targets", "modules", "pending"):
        products, expected = ([getattr(p, name) for p in one.products] for one in (again, first))
        assert products == expected, name
    assert {f: (s.text, s.used_by) for f, s in again.series.items()} == {
        f: (s.text, s.used_by) for f, s in first.series.items()
    }
    for part in ("agreement", "gallery", "archive", "inventory"):
        assert getattr(again, part).text == getattr(first, part).text


LOOKS = """
import sys
from pathlib import Path
from atlas.plan.resolve import Plan
for paper in ("two-class-stability", "product-form-saturated"):
    Plan.load({{"papers": [paper]}}, Path({root!r}))
    print("numba" in sys.modules)
"""


def test_who_plans_without_changes_imports_no_engine(read):
    plan()
    code = LOOKS.format(root=str(ROOT))
    assert check_output(sys.executable, "-c", code, cwd=Path.cwd()).split() == ["False", "True"]


def test_what_was_kept_and_is_damaged_is_planned_again(read):
    first = plan()
    text = KEPT.read_text("utf-8")
    KEPT.write_text(text.replace("wastage", "weather", 1), "utf-8")
    again = plan()
    assert read == [PAPER] * 2
    assert again.agreement.text == first.agreement.text
    assert KEPT.read_text("utf-8") == text


def test_what_changes_in_choice_trace_code_file_or_packages_is_seen(read, project, monkeypatch):
    root = project.root
    log = root / "borg.csv"
    rows = "cpus,priority,start_time,end_time\n0.5,50,1000000,3000000\n"
    log.write_text(rows, "utf-8")
    traces = {"borg": {"file": str(log), "format": "borg"}}
    drawing = "src/atlas/drawings/queue_state.py"
    before = plan(root, traces=traces)
    assert plan(root, traces=traces).agreement.text == before.agreement.text
    for change in (
        lambda: log.write_text(rows + "0.5,50,1000000,2000000\n", "utf-8"),
        lambda: traces["borg"].update(faults=0.5),
        lambda: project.edit(drawing, "    place = 0.0\n", "    place = 1.0\n"),
        lambda: (root / "config/atlas.mplstyle").write_text("lines.linewidth: 3\n", "utf-8"),
        lambda: (root / PAPER).write_text(
            (root / PAPER).read_text("utf-8").replace("servers: 30", "servers: 31"), "utf-8"
        ),
        lambda: [
            monkeypatch.setattr(module, "software", lambda of: dict.fromkeys(software(of), "99"))
            for module in (cached_paper, papers, resolve)
        ],
    ):
        seen = len(read)
        change()
        after = plan(root, traces=traces)
        assert len(read) == seen + 1
        assert after.agreement.text != before.agreement.text
        before = after
