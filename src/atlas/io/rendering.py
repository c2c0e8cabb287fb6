"""Write a matplotlib figure to its files: one layout for all formats.

Matplotlib's `savefig` draws one extra time, without a file, to find a layout. The work that only
the first figure of a process needs (finding and reading fonts, building a grammar for mathematics)
takes a third of its time. So the layout is found once, and a process that forks may `warm_up`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from functools import cache, partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import _mathtext
from matplotlib.axis import Axis
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.backends._backend_pdf_ps import subset
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, LogFormatter, MaxNLocator, NullLocator, ScalarFormatter

from atlas.io.readable import NONE
from atlas.io.style import style_context

# The size of sub- and superscripts: 6 pt beside 7 pt. Matplotlib has 0.7 and no setting for it. Its
# parser caches what it has set, so the factor must be changed before anything is drawn.
_mathtext.SHRINK_FACTOR = 6 / 7
# The star in λ* is not an operator; no label has a product.
_mathtext.Parser._spaced_symbols -= {"*"}
# Tables for choosing and moving glyphs when text is typeset. A PDF holds typeset glyphs, so a font
# in it needs only shapes and widths; the other tables took half of the time to embed it.
subset.Options._drop_tables_default += ["GDEF", "GPOS", "GSUB", "kern"]
# Each renderer has its own parser of mathematics, whose cache holds 50 texts. Here parsers of one
# kind share a cache without a limit; it keeps the tick labels, which recur in all figures.
MathTextParser.__hash__ = lambda self: hash(self._output_type)
MathTextParser.__eq__ = lambda self, other: self._output_type == other._output_type
MathTextParser._parse_cached = cache(MathTextParser._parse_cached.__wrapped__)
TICKS = (
    *("0", "1", "2", "3", "4", "5", "6", "8", "10", "15", "20", "25", "40", "50", "60", "80"),
    *("100", "0.0", "0.2", "0.4", "0.5", "0.6", "0.8", "1.0", "1.5", "2.0", "2.5"),
    *(f"10^{{{n}}}" for n in range(-3, 6)),
)
# The least distance between labels of ticks, in pixels.
APART = 2.0
# What an axis finds out of its ticks.
MEASURED = ("_update_ticks", "_get_ticklabel_bboxes")
# The relative range of values that differ by rounding, or less than what is iterated is known to.
CONSTANT = 1e-6


def freeze_layout(figure: Figure) -> None:
    """Find the layout and fix it: each format would compute it again, and get another."""
    _find_layout(figure)
    if wrap_titles(figure) | flatten_constants(figure) | part_labels(figure):
        _find_layout(figure)
    figure.set_layout_engine("none")
    if (colour := matplotlib.rcParams["savefig.facecolor"]) != "auto":
        figure.set_facecolor(colour)
    # Titles, which must avoid ticks, would measure them all again in each format, and axes would
    # choose their ticks again each time they are measured.
    for ax in figure.axes:
        ax._update_title_position(figure._get_renderer())
        ax._autotitlepos = False
    for axis in _both_axes(figure):
        axis._update_ticks = partial(list, axis._update_ticks())


def _both_axes(figure: Figure) -> list[Axis]:
    """The horizontal and the vertical axis of each panel."""
    return [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]


def _find_layout(figure: Figure) -> None:
    """Find the layout. It measures each axis about eight times between two moves of the axes; ticks
    are chosen, and their labels measured, at the first."""
    axes = _both_axes(figure)
    for axis in axes:
        for name in MEASURED:
            setattr(axis, name, partial(_measure_once, axis, getattr(axis, name), {}))
    figure.get_layout_engine().execute(figure)
    for axis in axes:
        for name in MEASURED:
            delattr(axis, name)


def _measure_once(axis: Axis, measure: Callable[..., list], known: dict, *arguments: Any) -> list:
    """What an axis finds of its ticks, which depends on its range and the place of its axes."""
    where = (*axis.get_view_interval(), *axis.axes.bbox.bounds)
    if where not in known:
        known.clear()
        known[where] = measure(*arguments)
    return known[where]


def wrap_titles(figure: Figure) -> bool:
    """Break titles that are wider than the column of their panel. Returns whether any was."""
    broken = False
    for ax in figure.axes:
        place, title = ax.get_subplotspec(), ax.title
        if place is None or not title.get_text() or "\n" in title.get_text():
            continue
        room = figure.bbox.width / place.get_gridspec().ncols * len(place.colspan)
        width = title.get_window_extent(figure._get_renderer()).width
        if width > room and (lines := _break(title.get_text(), 0.95 * room / width)):
            title.set_text(lines)
            broken = True
    return broken


def _break(text: str, share: float) -> str:
    """A text in lines that have a share of its characters at most; empty if it has only one word.
    Formulas are not broken."""
    words = re.findall(r"(?:\$[^$]*\$|\S)+", text)
    most, lines = share * len(text), words[:1]
    for word in words[1:]:
        joined = f"{lines[-1]} {word}"
        lines = [*lines[:-1], joined] if len(joined) <= most else [*lines, word]
    return "\n".join(lines) if len(words) > 1 else ""


def flatten_constants(figure: Figure) -> bool:
    """Widen linear vertical axes that show nothing but rounding, which would look like a curve.
    Returns whether any was."""
    widened = False
    for ax in figure.axes:
        low, high = sorted(ax.get_ylim())
        middle = abs(low + high) / 2
        if ax.get_yscale() == "linear" and high - low < CONSTANT * middle:
            ax.set_ylim(low - 0.05 * middle, high + 0.05 * middle)
            widened = True
    return widened


def part_labels(figure: Figure) -> bool:
    """Label axes anew on which labels meet, and logarithmic ones with at most one power of ten or
    fewer than two labels. The layout must have been found; returns whether to find it again."""
    misread = [
        axis
        for axis in _both_axes(figure)
        if axis.get_scale() == "log"
        and isinstance(axis.get_minor_formatter(), LogFormatter)
        and (_is_short(axis) or _meet(axis) or _too_few(axis))
    ]
    for axis in misread:
        low, high = sorted(axis.get_view_interval())
        write = _power
        if low >= 1e-3 and high < 1e5:
            axis.set_major_formatter("{x:g}")
            write = "{:g}".format
        for kept in ((1, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
            axis.set_minor_formatter(partial(_label, kept, write))
            if not _meet(axis):
                break
        if _too_few(axis):
            axis.set_major_locator(AutoLocator())
            axis.set_major_formatter(ScalarFormatter())
            axis.set_minor_locator(NullLocator())
    dense = [
        axis
        for axis in _both_axes(figure)
        if isinstance(axis.get_major_locator(), AutoLocator) and _meet(axis)
    ]
    for axis in dense:
        for bins in (5, 4, 3, 2, 1):
            axis.set_major_locator(MaxNLocator(bins, steps=[1, 2, 2.5, 5, 10]))
            if not _meet(axis):
                break
    return bool(misread or dense)


def _label(kept: Collection[int], write: Callable[[float], str], x: float, _: object) -> str:
    """A label of a minor tick, if its first digit is among those `kept`."""
    first = x / 10.0 ** np.floor(np.log10(x) + 1e-9)
    return write(x) if any(np.isclose(first, digit) for digit in kept) else ""


def _power(x: float) -> str:
    exponent = int(np.floor(np.log10(x) + 1e-9))
    return rf"$\mathdefault{{{x / 10.0**exponent:g}\times 10^{{{exponent}}}}}$"


def _labels(axis: Axis) -> list[Text]:
    """The labels of the ticks of an axis; none if they are hidden."""
    ticks = axis._update_ticks()
    labels = [label for tick in ticks for label in (tick.label1, tick.label2)]
    return [label for label in labels if label.get_visible()]


def _is_short(axis: Axis) -> bool:
    """Whether an axis has at most one power of ten: matplotlib labels it 6 × 10^0, 10^1."""
    low, high = np.log10(sorted(axis.get_view_interval()))
    return np.floor(high) - np.ceil(low) < 1


def _too_few(axis: Axis) -> bool:
    """Whether fewer than two ticks are labelled, though labels are not hidden."""
    said = [bool(label.get_text()) for label in _labels(axis)]
    return bool(said) and sum(said) < 2


def _meet(axis: Axis) -> bool:
    """Whether labels of ticks meet, or almost."""
    boxes = [label.get_window_extent() for label in _labels(axis) if label.get_text()]
    ends = [(b.x0, b.x1) if axis.axis_name == "x" else (b.y0, b.y1) for b in boxes]
    return any(after[0] < before[1] + APART for before, after in pairwise(sorted(ends)))


def mark_lone_points(figure: Figure) -> None:
    """Mark the points of lines that have no point beside them, of which nothing would be drawn."""
    for line in (line for ax in figure.axes for line in ax.lines):
        shown = np.isfinite(np.ma.filled(np.ma.asarray(line.get_xydata(), float), np.nan)).all(1)
        beside = np.r_[False, shown[:-1]] | np.r_[shown[1:], False]
        lone = np.flatnonzero(shown & ~beside)
        drawn = line.get_linestyle() not in NONE
        if drawn and len(lone) and line.get_marker() in {*NONE, None}:
            line.set(marker="o", markersize=2.5, markevery=lone.tolist())


def save(figure: Figure, file: Any, *, format: str, **options: Any) -> None:
    """Do what `savefig` does, except for its first drawing without a file."""
    if (dots := matplotlib.rcParams["savefig.dpi"]) != "figure":
        figure.set_dpi(dots)
    getattr(get_registered_canvas_class(format)(figure), f"print_{format}")(file, **options)


def warm_up(spec: Path) -> None:
    """Draw a sample, without a file, with the style of this figure, so that forks of the process
    have its caches."""
    look = json.loads(spec.read_text(encoding="utf-8"))["look"]
    draw_sample(look["style"], look["formats"])


def draw_sample(style: str, formats: Iterable[str]) -> None:
    """Draw a figure of this style with what all figures have, and discard it."""
    with style_context(style):
        figure = Figure()
        ax = figure.subplots()
        ax.loglog([1, 10], [1, 10], label=r"words and $\lambda^*_\mathrm{x}$")
        for label in TICKS:
            ax.text(
                1, 1, rf"$\mathdefault{{{label}}}$", size=matplotlib.rcParams["xtick.labelsize"]
            )
        figure.legend(loc="outside upper left")
        freeze_layout(figure)
        for kind in formats:
            save(figure, BytesIO(), format=kind)
