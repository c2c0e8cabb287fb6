"""A style file with which no figure can be drawn is refused at its line before a job starts; with
every other one figures are drawn."""

from __future__ import annotations

import re

import pytest
from matplotlib import rcParamsDefault
from tests.conftest import ROOT
from tests.plan.test_declared import plan

from atlas.config.errors import ConfigError
from atlas.config.styles import MOST_DOTS, check_style, require_drawable
from atlas.io.rendering import draw_sample

pytestmark = pytest.mark.usefixtures("unedited")

STYLE = "config/atlas.mplstyle"
NONSENSE = (
    *("figure.figsize: -1, 2", "savefig.dpi: 1e9", "figure.dpi: 0", "font.size: 0"),
    *("axes.titlesize: 0", "font.size: inf", "lines.linewidth: -1", "lines.linewidth: nan"),
    *("axes.edgecolor: notacolour", "axes.prop_cycle: cycler('color', [])", "foo.bar: 3"),
    *("axes.prop_cycle: __import__('os').system('ls')", "font.family: Nowhere at all"),
    *("text.usetex: True", "path.effects: x", "pdf.fonttype: 9", "image.cmap: nix"),
    *("lines.dashed_pattern: 0, 0", "lines.linewidth:", "figure.subplot.left: 0.99"),
    *("grid.alpha: 7", "figure.constrained_layout.use: False", "lines.markersize: 1e30"),
    *("figure.constrained_layout.h_pad: -4", "axes.formatter.limits: 1e9, 3"),
)


@pytest.mark.parametrize("setting", NONSENSE)
def test_nonsense_is_refused_at_its_line(setting):
    key = setting.partition(":")[0]
    with pytest.raises(ConfigError) as error:
        style = f"# A look.\naxes.grid: True\n{setting}\n"
        check_style(style, "own.mplstyle", 7.0)
        require_drawable(style, "own.mplstyle")
    head, first, *_ = str(error.value).split("\n\n")
    assert head == "1 fault in own.mplstyle; no job was started"
    form = rf"own.mplstyle:3: {re.escape(key)}\n    found     \S.*\n    expected  \S.*"
    assert re.match(form, first), first


def test_a_quote_that_is_not_closed_is_refused_at_its_line():
    with pytest.raises(ConfigError, match=r'own:2: .*\n    found .*\n    expected  a closing "'):
        check_style('axes.grid: True\naxes.edgecolor: "red\n', "own", 7.0)


def test_a_setting_that_is_given_twice_is_refused_at_the_second():
    with pytest.raises(ConfigError, match=r"a:3: font.size\n    found     font.size on line 1"):
        check_style("font.size: 7\n\nfont.size: 8\n", "a", 7.0)


def test_a_picture_has_no_more_dots_than_a_machine_holds():
    check_style("savefig.dpi: 200\n", "a", MOST_DOTS / 200)
    for style, line in (("# A\nsavefig.dpi: 201\n", ":2"), ("figure.dpi: 201\n", "")):
        with pytest.raises(ConfigError, match=rf"a{line}: savefig.dpi\n    found     201 dots"):
            check_style(style, "a", MOST_DOTS / 200)


@pytest.mark.parametrize(
    "style", ["", "axes.grid: True\n", "savefig.facecolor: auto\n", "svg.hashsalt: None\n"]
)
def test_a_figure_needs_no_setting(style):
    check_style(style, "a", 7.0)
    require_drawable(style, "a")  # as PNG
    draw_sample(style, ("pdf", "svg"))


def test_the_defaults_of_matplotlib_are_within_bounds():
    keys = [k for k, v in rcParamsDefault.items() if type(v) in (bool, int, float, str)]
    kept = [k for k in keys if not k.startswith(("figure.constrained", "backend", "animation"))]
    lines = [f"{key}: {rcParamsDefault[key]}" for key in kept if str(rcParamsDefault[key])]
    check_style("\n".join(line for line in lines if "#" not in line), "a", 7.0)


def test_a_run_refuses_its_style_before_a_job_starts(folder):
    style = folder / STYLE
    style.write_text(style.read_text("utf-8") + "lines.markersize: -3\n", "utf-8")
    last = len(style.read_text("utf-8").splitlines())
    with pytest.raises(ConfigError, match=rf"{STYLE}:{last}: lines.markersize\n"):
        plan(folder)
    assert (ROOT / STYLE).is_file()


def test_a_style_that_is_not_there_is_told_with_the_folder_in_which_it_was_sought(folder):
    (folder / STYLE).unlink()
    with pytest.raises(ConfigError, match=f"in {re.escape(str(folder))} unless its path is abs"):
        plan(folder)


def test_a_run_that_draws_refuses_settings_that_do_not_go_together(folder):
    style = folder / STYLE
    style.write_text(style.read_text("utf-8") + "figure.subplot.left: 0.99\n", "utf-8")
    last = len(style.read_text("utf-8").splitlines())
    found = plan(folder)
    with pytest.raises(ConfigError, match=rf"{STYLE}:{last}: figure.subplot.left\n"):
        found.require_drawable()
