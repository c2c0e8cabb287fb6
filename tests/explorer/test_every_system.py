"""Every system of the papers is a preset or the page says why not; the page solves every preset."""

from __future__ import annotations

import json

import pytest

from atlas.gallery.collect import Exhibit, Paper
from atlas.gallery.explorer import find_absent, find_obstacle, find_presets
from multiserver import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.saturated.peak import find_peak_wastage

pytestmark = pytest.mark.slow

# Figures without server needs and rates: of logs, of a state, and of other kinds of systems.
ELSEWHERE = {
    "two-class-stability": {"1", "2"},
    "multilevel-scaling": {"1"},
    "finite-skip": {"1", "2", "3", "4(a)", "4(b)", "5"},
    "parallel-processing": {"1", "2(a)", "2(b)", "3"},
}


@pytest.fixture(scope="module")
def papers(plan) -> list[Paper]:
    """The papers of config, with the parameters of all their figures and tables."""
    found: dict[str, list[Exhibit]] = {}
    for product in plan.products:
        spec = json.loads(product.text)
        if spec["stage"] in ("draw", "tabulate"):
            keys = ("paper", "id", "stage", "title", "caption", "source")
            exhibit = Exhibit(*(spec[key] for key in keys), spec)
            found.setdefault(spec["paper"], []).append(exhibit)
    papers = []
    for id, products in found.items():
        figures = tuple(p for p in products if p.stage == "draw")
        tables = tuple(p for p in products if p.stage == "tabulate")
        papers.append(Paper(id, {"title": id}, figures, tables, (), (), {}))
    return papers


def numbers(labels: list[str]) -> set[str]:
    """The figures of a paper that labels name."""
    heads = [label.partition(":")[0] for label in labels if label.startswith("Fig. ")]
    return {number for head in heads for number in head.removeprefix("Fig. ").split(", ")}


def test_every_figure_has_its_system_in_the_list_or_a_reason_why_not(papers):
    presets, absent = find_presets(papers), find_absent(papers)
    for paper in papers:
        wanted = {figure.source["figure"] for figure in paper.figures if "figure" in figure.source}
        here = numbers([p["label"] for p in presets if p["group"] == paper.id])
        rows = [row for row in absent if row["group"] == paper.id]
        elsewhere = numbers([label for row in rows for label in row["labels"]])
        assert here == wanted - ELSEWHERE.get(paper.id, set()), paper.id
        assert elsewhere == wanted & ELSEWHERE.get(paper.id, set()), paper.id
        for row in rows:
            assert row["why"] != "no system of jobs with needs and rates", row


def test_large_systems_are_among_them(papers):
    presets = find_presets(papers)
    assert max(preset["servers"] for preset in presets) == 10**8
    halves = [p for p in presets if p["classes"][-1][0] * 2 == p["servers"]]
    assert max(preset["servers"] for preset in halves) == 10**6
    assert any(preset.get("need") == "worst" for preset in presets)


def test_the_page_solves_every_preset_as_the_library_does(papers, page):
    presets = find_presets(papers)
    found = page.evaluate(
        """(presets) => presets.map((preset) => {
          const system = state_updates.from_preset(state.INITIAL, preset);
          const means = dispatch.solve(system);
          const classes = system.classes.map((c) => [c.need, c.rate, c.probability]);
          const { throughput, wastage } = means;
          return [state.find_fault(system), system.servers, classes, throughput, wastage];
        })""",
        presets,
    )
    for preset, (fault, n, classes, *means) in zip(presets, found, strict=True):
        assert fault == "" and n == preset["servers"], preset
        system = MultiserverJobSystem.of(n, *zip(*classes, strict=True))
        expected = dispatch.solve(system, relative_completions=False)
        assert means == pytest.approx([expected.throughput, expected.wastage], rel=1e-10), preset
        if "mix" not in preset:
            assert classes == preset["classes"]


def test_the_worst_need_is_the_worst_of_all(papers, page):
    (preset,) = (p for p in find_presets(papers) if p.get("need") == "worst")
    taken = page.evaluate("(preset) => state_updates.from_preset(state.INITIAL, preset)", preset)
    rates = [rate for _, rate, _ in preset["classes"]]
    wasted = {need: find_peak_wastage(200, (1, need), rates, 61).wastage for need in range(2, 201)}
    assert taken["classes"][1]["need"] == max(wasted, key=wasted.get)


@pytest.mark.parametrize(
    ("servers", "classes", "words"),
    [
        (10**9, [[1, 1.0, 0.5], [10**9, 1.0, 0.5]], "servers"),
        (10**7, [[1, 1.0, 0.5], [10**6, 1.0, 0.5]], "other than for one class or needs 1 and n"),
        (99, [[i, float(i), 0.1] for i in range(1, 11)], "too many states"),
        (99, [[i, 1.0, 0.025] for i in range(1, 41)], "too many states"),
        (99, [[1, 1.0, 0.5]], "a whole"),
        (99, [[i, 1.0, 0.05] for i in range(1, 21)], ""),
        (10**8, [[1, 1.0, 0.5], [10**8, 2.0, 0.5]], ""),
        (10**8, [[7, 1.0, 1.0]], ""),
    ],
)
def test_what_the_page_cannot_hold_is_said(servers, classes, words):
    assert words in find_obstacle({"servers": servers, "classes": classes})
    assert bool(words) == bool(find_obstacle({"servers": servers, "classes": classes}))
