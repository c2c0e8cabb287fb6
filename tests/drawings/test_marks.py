"""Figures are legible: size and contrast of text in the files; each line style has one meaning."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scripts.draw import _write
from tests.conftest import ROOT
from tests.drawings.legible import require_apart, require_legible, texts

from atlas.config.kinds import kinds
from atlas.drawings import DASHES, marks, ticks
from atlas.drawings.capacity_by_exponent import find_lowest
from atlas.drawings.transitions import HALF, route
from atlas.io.readable import name_marks


@pytest.fixture
def page(style, tmp_path):
    """Write a figure as the pipeline does; its SVG."""

    def write(figure: Figure) -> str:
        spec = {"paper": "p", "id": "f", "title": "t", "caption": "", "series": {}}
        spec |= {"bibliography": {}, "fingerprint": "0", "code": "0"}
        _write(figure, tmp_path / "f.svg", spec, name_marks(figure))
        return (tmp_path / "f.svg").read_text("utf-8")

    return write


def test_exponents_and_indices_are_large_enough_to_be_read(page):
    figure = Figure(figsize=(3.4, 2.5))
    ax = figure.subplots()
    ax.loglog([1e-5, 1e5], [1e-3, 1e3], label=r"$\lambda^*_\mathrm{naive}$")
    ax.set_xlabel(r"$\mu_2/\mu_1$")
    marks.draw_limits(ax, [(1.0, r"$\lambda^*$ = 1", "C0")])
    marks.draw_level(ax, 1.0, r"$n_2 - n_1/p_2$")
    marks.legend_above(figure, 2)
    svg = page(figure)
    require_legible(svg, "marks")
    assert min(min(sizes) for _, sizes, _ in texts(svg)) == pytest.approx(6.0, abs=0.01)


def test_long_labels_take_several_lines(page):
    figure = Figure(figsize=(3.4, 2.5))
    ax = figure.subplots()
    ax.plot([0, 1], label="all jobs of the long cluster " * 4)
    ax.plot([1, 0], label="short")
    marks.legend_above(figure, 2)
    require_legible(page(figure), "marks")
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width


@pytest.mark.parametrize(("size", "colour"), [(5.9, "black"), (7, "#e69f00"), (7, "0.55")])
def test_small_and_pale_text_is_found(page, size, colour):
    figure = Figure(figsize=(3.4, 2.5))
    figure.text(0.5, 0.5, "too small or too pale", fontsize=size, color=colour)
    with pytest.raises(AssertionError, match="'bad', 'text_1'"):
        require_legible(page(figure), "bad")


@pytest.mark.parametrize("kind", kinds("drawings"))
def test_dotted_is_a_limit(kind):
    """No drawing has a dotted line of its own: dots come with the name of a limit."""
    text = (ROOT / f"src/atlas/drawings/{kind.replace('-', '_')}.py").read_text("utf-8")
    # The empty places in the front are outlines of boxes.
    if kind != "front-diagram":
        assert not re.search(r"""(linestyle|ls)["']?\s*[=:]\s*["']:["']""", text)
    own = re.search(r"""fontsize["']?\s*[=:]\s*["']?[\d.]""", text)
    assert not own, "sizes are those of marks and of the style"


def test_dashes_can_be_told_from_dots_and_from_one_another():
    on = [dash[1][0] for dash in DASHES if dash != "-"]
    assert min(on) >= 2 > marks.LIMIT["linestyle"][1][0]
    assert len(set(map(str, DASHES))) == len(DASHES)


def test_labels_of_limits_do_not_meet(style):
    figure = Figure(figsize=(3.4, 2.5))
    ax = figure.subplots()
    ax.set_xlim(0, 10)
    limits = [(7.372, "limit 7.3720", "C0"), (9.109, "limit 9.1087", "C1"), (10, "10", "k")]
    assert marks.draw_limits(ax, limits) > 1
    figure.draw_without_rendering()
    require_apart(ax.texts)


def test_labels_of_levels_do_not_meet(style):
    figure = Figure(figsize=(3.4, 2.5))
    ax = figure.subplots()
    ax.loglog([1e-6, 1], [1, 30])
    marks.draw_levels(ax, [(2.63, "limit 2.63", "C2"), (2.41, "limit 2.41", "C0")])
    figure.draw_without_rendering()
    low, high = (text.get_window_extent() for text in ax.texts)
    assert low.y1 < high.y1 and not low.overlaps(high)


def test_the_lowest_point_is_found_between_points():
    x = pd.Series([0.0, 0.3, 0.5, 0.9, 1.0])
    at, lowest = find_lowest(x, 2 + 3 * (x - 0.6) ** 2)
    assert (at, lowest) == pytest.approx((0.6, 2.0), abs=1e-3)
    assert find_lowest(x, x) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_a_curve_and_its_points_have_one_entry_in_the_order_of_the_series(style):
    figure = Figure()
    ax = figure.subplots()
    x = np.array([0.2, 0.4, 0.6])
    marks.draw_points(ax, x, x, 0.1 * x, color="C0", marker="o", label="points")
    pair = {"color": "C1", "marker": "s"}
    marks.draw_curve_and_points(ax, "both", (x, x), (x, x, 0.1 * x), **pair)
    marks.draw_band(ax, x, x - 1, x + 1)
    handles, labels = ax.get_legend_handles_labels()
    assert labels == ["points", "both", "bounds"]
    assert (handles[1].get_marker(), handles[1].get_linestyle()) == ("s", "-")


def test_a_guide_runs_through_its_points_and_follows_a_pole(style):
    ax = Figure().subplots()
    load = np.array([0.1, 0.4, 0.7, 0.9, 0.95])
    marks.draw_guide(ax, load, 2 / (1 - load), "C0", marks.flatten(np.nan))
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(y, 2 / (1 - x), rtol=1e-12)
    assert ax.lines[0].get_label().startswith("_")


def test_what_is_added_is_marked_in_figures_of_the_paper_only():
    assert marks.added({"source": {"figure": "6"}}, "M/G/1") == "M/G/1 (added)"
    assert marks.added({"source": {"section": "7"}}, "M/G/1") == "M/G/1"


def _curve(way, t):
    if len(way) == 2:
        return way[0] + t * (way[1] - way[0])
    a, b, c, d = way
    s = 1 - t
    return s**3 * a + 3 * s**2 * t * b + 3 * s * t**2 * c + t**3 * d


def test_no_edge_runs_behind_a_state_or_along_another_edge():
    """The system of the paper's diagram: states by a, b; edges as (from, to, class)."""
    states = [
        (0, 3),
        (1, 2),
        (2, 2),
        (3, 2),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 0),
        (8, 0),
        (9, 0),
        (10, 0),
    ]
    edges = [((a, b), (a + 1, b), 2) for a, b in [(1, 2), (2, 2), (4, 1), (5, 1)]]
    edges += [((a + 1, b), (a, b), 1) for a, b in [(1, 2), (2, 2), (4, 1), (5, 1)]]
    edges += [((1, 2), (3, 2), 2), ((4, 1), (6, 1), 2)]
    edges += [(s, s, 2) for s in [(1, 2), (2, 2), (3, 2), (4, 1), (5, 1), (6, 1)]]
    edges += [((3, 2), (3, 2), 1), ((6, 1), (6, 1), 1)]
    edges += [((3, 2), (to, 1), 2) for to in (4, 5, 6)]
    edges += [((6, 1), (to, 0), 2) for to in (7, 8, 9, 10)]
    edges += [((1, 2), (0, 3), 1), ((4, 1), (3, 2), 1), ((7, 0), (6, 1), 1)]
    assert len(edges) == 28
    t = np.linspace(0, 1, 201)[:, None]
    ways = [_curve(route(*edge), t) for edge in edges]
    for edge, way in zip(edges, ways, strict=True):
        for state in states:
            inside = (np.abs(way - state) < HALF - 1e-9).all(axis=1)
            assert not inside.any(), (edge, state)
    for (edge, way), (other, there) in itertools.combinations(zip(edges, ways, strict=True), 2):
        # Inner thirds are apart, so that no edge can be taken for the continuation of another.
        near = np.linalg.norm(way[60:140, None] - there[None, 60:140], axis=2).min()
        crossing = edge[2] != other[2]
        assert near > 0.03 or crossing, (edge, other, near)


def test_runs_too_short_for_an_interval_are_hollow_and_the_legend_says_so_once(style):
    ax = Figure().subplots()
    for color in ("C0", "C1"):
        marks.draw_points(ax, [1, 2, 3], [1, 2, 3], [0.1, np.nan, np.nan], color=color, marker="o")
    filled, hollow = ax.containers[:2]
    assert (len(filled[0].get_xdata()), len(hollow[0].get_xdata())) == (1, 2)
    assert filled[0].get_markerfacecolor() == "C0"
    assert hollow[0].get_markerfacecolor() == "white"
    assert ax.get_legend_handles_labels()[1] == [marks.SHORT]
    ax = Figure().subplots()
    marks.draw_points(ax, [1, 2], [1, 2], [0.1, 0.1], color="C0", marker="o")
    assert not ax.get_legend_handles_labels()[1]


@pytest.mark.parametrize("width", [3.4, 7.0])
@pytest.mark.parametrize(
    "counts",
    [
        [16, 24, 32, 40],
        [100, 120],
        [100, 110, 120, 140],
        [64, 65, 66, 100, 2000],
        [2**k for k in range(6, 21)],
    ],
)
def test_numbers_of_servers_are_told_apart_on_their_axis(style, width, counts):
    figure = Figure(figsize=(width, 2))
    ways = ticks.log2_server_axis, ticks.label_servers
    for ax, label in zip(figure.subplots(1, 2), ways, strict=True):
        ax.plot(counts, counts)
        label(ax, 2 * counts)  # the rows of two methods
    figure.draw_without_rendering()
    for ax in figure.axes:
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        assert len(labels) > 1 and labels[-1].get_text() == str(counts[-1])
        boxes = [label.get_window_extent() for label in labels]
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("width", [2.0, 3.4, 7.0])
def test_a_legend_is_no_wider_than_its_figure(style, width):
    fig = Figure(figsize=(width, 3))
    ax = fig.subplots()
    for k in range(5):
        ax.plot([0, 1], label="run too short for an interval"[: 9 + 5 * k])
    marks.legend_above(fig, 4)
    (legend,) = fig.legends
    fig.draw_without_rendering()
    assert legend.get_window_extent().width <= fig.bbox.width
    columns = {round(text.get_window_extent().x0) for text in legend.get_texts()}
    assert len(columns) == {2.0: 1, 3.4: 2, 7.0: 4}[width]
