"""Axes with too little room: for the labels of their ticks, for titles, and below a legend."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from tests.drawings.legible import require_apart

from atlas.drawings import marks
from atlas.io.rendering import freeze_layout, part_labels


def test_limits_that_coincide_or_lie_outside_have_no_label_of_their_own(style):
    figure = Figure(figsize=(3.4, 2.5))
    across, up = figure.subplots(2)
    across.set_xlim(0, 1)
    limits = [(0.5, "limit", "C0"), (0.5, "limit", "C1"), (0.5, "other", "C2"), (2, "far", "C3")]
    marks.draw_limits(across, limits)
    assert [text.get_text() for text in across.texts] == ["limit", "other"]
    marks.draw_levels(up, limits[:3])
    assert [text.get_text() for text in up.texts] == ["limit", "other"]
    assert len(across.lines) == 4 and len(up.lines) == 3


def test_many_entries_of_a_legend_leave_the_axes_room_for_their_labels(style):
    figure = Figure(figsize=(3.4, 2.45))
    ax = figure.subplots()
    for i in range(11):
        ax.plot([0, 1], [i, i], label=f"a policy with a name that fills the row, {i}")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    marks.legend_above(figure, 3)
    figure.draw_without_rendering()
    box = ax.yaxis.label.get_window_extent()
    assert box.y0 >= 0 and box.y1 <= figure.legends[0].get_window_extent().y0


@pytest.mark.parametrize("width", [2.0, 3.4])
@pytest.mark.parametrize("ends", [(2, 20), (0.02, 0.08), (0.5, 2), (2e-7, 9e-7), (1.1e6, 1.9e6)])
def test_labels_of_ticks_do_not_meet_on_a_short_logarithmic_axis(style, width, ends):
    figure = Figure(figsize=(width, 2.0))
    ax = figure.subplots()
    ax.loglog(ends, ends)
    freeze_layout(figure)
    figure.draw_without_rendering()
    for axis in (ax.xaxis, ax.yaxis):
        shown = [tick.label1 for tick in axis._update_ticks() if tick.label1.get_text()]
        require_apart(shown)
        assert len(shown) >= 2


def test_long_titles_of_panels_take_several_lines(style):
    figure = Figure(figsize=(3.4, 2.0))
    for ax in figure.subplots(1, 2):
        ax.set_title("A long title of a panel, with $x + y$")
    freeze_layout(figure)
    figure.draw_without_rendering()
    require_apart(ax.title for ax in figure.axes)
    assert all("$x + y$" in ax.get_title() for ax in figure.axes)


def test_a_constant_curve_looks_constant(style):
    figure = Figure(figsize=(3.4, 2.0))
    ax = figure.subplots()
    ax.plot([0, 1, 2], [100.0, 100.0 - 3e-11, 100.0])
    freeze_layout(figure)
    assert ax.get_ylim()[0] < 99 and ax.get_ylim()[1] > 101


def test_labels_of_ticks_do_not_meet_on_a_narrow_axis(style):
    figure = Figure(figsize=(3.4, 2.0))
    ax = figure.add_axes((0.3, 0.3, 0.2, 0.5))
    ax.set_xlim(0, 400_000)
    figure.set_layout_engine("none")
    part_labels(figure)
    labels = [tick.label1 for tick in ax.xaxis._update_ticks()]
    assert len(labels) >= 2
    require_apart(labels)
