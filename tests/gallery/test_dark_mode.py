"""Figures on a light or dark background: black, white and grey adapt, other colours do not."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from atlas.io.dark_mode import GROUND, INK, darken, shade

DATA = "#d55e00"


def write_svg(figure: Figure) -> str:
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "test"}):
        figure.savefig(file, format="svg", metadata={"Date": None}, facecolor="white")
    return file.getvalue()


@pytest.fixture
def curve() -> Figure:
    figure = Figure(figsize=(3, 2))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], "o-", color=DATA, markeredgecolor="white")
    axes.fill_between([0, 1], [0, 1], color="0.85")
    axes.text(0.2, 0.8, "boxed", bbox={"facecolor": "white", "edgecolor": "none"})
    return figure


def test_the_box_of_the_figure_and_of_its_axes_goes(curve):
    plain = write_svg(curve)
    assert plain.count('style="fill: #ffffff"/>') == 3
    # What is left is the box behind the label.
    assert shade(plain).count('style="fill: #ffffff" />') == 1


def test_the_box_of_axes_inside_axes_stays_and_hides_what_is_below(curve):
    curve.axes[0].inset_axes([0.5, 0.1, 0.4, 0.4])
    assert shade(write_svg(curve)).count('style="fill: #ffffff" />') == 2


def test_every_grey_has_a_rule_and_no_colour_of_data_has_one(curve):
    shaded = shade(write_svg(curve))
    greys = set(re.findall(r'(?:fill|stroke): #(?:([0-9a-f]{2})\1\1)(?=[";])', shaded))
    assert greys == {"00", "d9", "ff"}
    for grey in greys:
        assert f"--g{grey}: #{grey * 3};" in shaded
        assert f"--g{grey}: {darken(int(grey, 16))};" in shaded
    assert '[style*="fill: #ffffff"] {fill: var(--gff) !important}' in shaded
    assert DATA in shaded and f'[style*="fill: {DATA}"]' not in shaded
    assert "fill: #d9d9d9" in shaded, "without style sheets the figure is as it was"


def test_what_is_below_a_hatch_adapts_as_well():
    figure = Figure(figsize=(3, 2))
    figure.subplots().barh([0, 1], [1, 1], hatch="..", color=["white", DATA])
    shaded = shade(write_svg(figure))
    grounds = re.findall(r'<pattern.*?<rect [^>]*style="([^"]*)"', shaded, re.DOTALL)
    assert grounds == ["fill: #ffffff", f"fill: {DATA}"] and 'fill="#ffffff"' not in shaded
    assert "#dark:target ~ defs" in shaded


def test_white_on_a_heat_map_stays_white():
    figure = Figure(figsize=(3, 2))
    axes = figure.subplots()
    axes.pcolormesh(np.eye(3), rasterized=True)
    axes.contour(np.eye(3), colors="white")
    shaded = shade(write_svg(figure))
    assert "stroke: white" in shaded and "#ffffff" not in shaded


def test_greys_run_from_ink_to_ground_and_keep_their_order():
    rgb = [[int(darken(g)[i : i + 2], 16) for i in (1, 3, 5)] for g in range(256)]
    assert tuple(rgb[0]) == INK and tuple(rgb[255]) == GROUND
    assert all(a >= b for one, other in pairwise(rgb) for a, b in zip(one, other, strict=True))


def test_equal_figures_stay_equal_and_well_formed(curve):
    plain = write_svg(curve)
    assert shade(plain) == shade(plain)
    root = ElementTree.fromstring(shade(plain))
    assert [e.get("id") for e in root if e.get("id")] == ["light", "dark", "figure_1"]


def test_what_is_no_figure_is_refused(curve):
    with pytest.raises(ValueError, match="found 0 figures"):
        shade("<svg></svg>")
