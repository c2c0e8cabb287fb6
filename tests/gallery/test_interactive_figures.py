"""Figures that answer: values under the pointer, curves put away by the legend, and without scripts
the picture."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from matplotlib.figure import Figure
from tests.browser import watched

from atlas.drawings.marks import draw_curve_and_points, draw_limits, legend_above
from atlas.gallery.collect import Exhibit, Paper, measure
from atlas.gallery.render import render
from atlas.io import rendering
from atlas.io.dark_mode import shade
from atlas.io.readable import attach, detach, name_marks
from atlas.io.style import style_context

X = [1.0, 2.0, 3.0, 4.0]
ONE, OTHER = [10.0, 100.0, 1000.0, 10000.0], [5.0, 5.0, 5.0, 5.0]
WIDTHS = [1.0] * 4
HIDDEN = """() => [...document.querySelector('#f a.zoom + div').shadowRoot
  .querySelectorAll('[id^=mark-]')].filter((node) => getComputedStyle(node).display === 'none')
  .length"""
TOOLTIP = "() => document.querySelector('#f a.zoom + div')?.shadowRoot.querySelector('output')"
TOOLTIP_TEXT = f"() => {{ const tip = ({TOOLTIP})(); return tip.hidden ? '' : tip.innerText; }}"


def drawn() -> tuple[str, dict]:
    """Two curves with points and one limit, as a figure of a paper is made."""
    with style_context("legend.frameon: False\n"):
        figure = Figure((4, 3))
        ax = figure.subplots()
        ax.set(xlim=(0, 5), ylim=(1, 1e5), yscale="log", xlabel=r"rate $\lambda\,x$", ylabel="jobs")
        for label, y, color in (("one", ONE, "C0"), (r"other $\mu$", OTHER, "C1")):
            points = (X, y, WIDTHS)
            draw_curve_and_points(ax, label, (X, y), points, color=color, marker="o")
        draw_limits(ax, [(4.5, "limit", "black")])
        legend_above(figure, 2)
        rendering.freeze_layout(figure)
        readings = name_marks(figure)
        file = StringIO()
        rendering.save(figure, file, format="svg")
    return attach(shade(file.getvalue()), readings), readings


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    svg, _ = drawn()
    (folder / "f.svg").write_text(svg, "utf-8")
    drawing, readings = detach(svg)
    spec = {"series": {}, "faithful": True, "software": {"multiserver-atlas": "0"}}
    figure = Exhibit(
        *("p", "f", "draw", "Title", "Caption", {"certainty": "stated"}, spec),
        picture="f.svg",
        size=measure(folder / "f.svg"),
        drawing=drawing,
        readings=readings,
    )
    paper = Paper("p", {"title": "Paper"}, (figure,), (), (), (), {})
    page = folder / "p.html"
    page.write_text(render([paper])["p.html"], "utf-8")
    return page


def test_a_curve_its_points_and_its_bars_are_one_entry_and_limits_none():
    svg, readings = drawn()
    assert [entry["label"] for entry in readings["entries"]] == ["one", r"other $\mu$"]
    for entry in (0, 1):
        mine = [mark for mark in readings["marks"] if mark["entry"] == entry]
        # The curve and the points are read; two ends of bars and the bars themselves are not.
        assert [mark["read"] for mark in mine].count(True) == 2 and len(mine) == 5
        assert all(f'id="{mark["id"]}"' in svg for mark in mine)
    assert len(readings["marks"]) == 10
    assert detach(svg)[1] == readings and "readings" not in detach(svg)[0]


@pytest.mark.slow
def test_what_is_nearest_says_its_values(browser, page_file):
    with watched(browser, page_file.parent) as (page, _):
        page.goto(page_file.as_uri())
        image = page.locator("#f a.zoom img")
        image.scroll_into_view_if_needed()
        box = image.bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.wait_for_function(f"() => ({TOOLTIP})() != null")
        said = set()
        for i in range(1, 20):
            for j in range(1, 20):
                page.mouse.move(box["x"] + i / 20 * box["width"], box["y"] + j / 20 * box["height"])
                told = page.evaluate(TOOLTIP_TEXT)
                said.add(told)
        assert len(said) > 20
        for told in said - {""}:
            label, x, y = told.split("\n")
            x, y = float(x.removeprefix("rate λ x: ")), float(y.removeprefix("jobs: "))
            if label == "one":
                assert y == pytest.approx(10**x, rel=0.04)
            else:
                assert label == "other μ" and y == pytest.approx(5, rel=0.01)


@pytest.mark.slow
def test_an_entry_puts_its_curve_away_and_back_by_hand_and_by_key(browser, page_file):
    with watched(browser, page_file.parent) as (page, _):
        page.goto(page_file.as_uri())
        page.locator("#f a.zoom").focus()
        entry = page.get_by_role("button", name="Show one")
        entry.click()
        assert page.evaluate(HIDDEN) == 5 and entry.get_attribute("aria-pressed") == "false"
        assert page.locator("dialog[open]").count() == 0
        entry.focus()
        page.keyboard.press("Enter")
        assert page.evaluate(HIDDEN) == 0 and entry.get_attribute("aria-pressed") == "true"
        page.locator("#f a.zoom + div").click(position={"x": 8, "y": 200})
        assert page.locator("dialog[open]").count() == 1


@pytest.mark.slow
def test_without_scripts_the_picture_stands(browser, page_file):
    with watched(browser, page_file.parent, java_script_enabled=False) as (page, _):
        page.goto(page_file.as_uri())
        image = page.locator("#f a.zoom img")
        image.hover()
        assert image.is_visible() and page.locator("#f a.zoom + div").count() == 0


def test_a_page_holds_a_drawing_once_and_packed(page_file):
    page = page_file.read_text("utf-8")
    svg = (page_file.parent / "f.svg").read_text("utf-8")
    (packed,) = re.findall(r'"svg": "([^"]*)"', page)
    assert 1000 < len(packed) < len(svg) / 2
