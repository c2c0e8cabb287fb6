"""How a figure of matplotlib goes to its files: one layout, as many formats as are asked for.

Matplotlib's `savefig` draws each time once more, without a file, to find a layout; and what it does
for the first figure of a process (fonts found and read, a grammar for mathematics built) costs a
third of the figure. So the layout is found once, and a process that forks may `warm_up`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import _mathtext
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.backends._backend_pdf_ps import subset
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser

# The size of sub- and superscripts: 6 pt beside 7 pt. Matplotlib has 0.7 and no setting for it; its
# parser keeps what it has set, so that the factor stands before anything is drawn.
_mathtext.SHRINK_FACTOR = 6 / 7
# λ* has a star, and no product stands in a label.
_mathtext.Parser._spaced_symbols -= {"*"}
# How glyphs are chosen and moved where text is set. In a PDF it is, glyph by glyph: there a font
# needs shapes and widths, and half of the time that it takes to embed it went into the rest.
subset.Options._drop_tables_default += ["GDEF", "GPOS", "GSUB", "kern"]
# Each renderer has its own reader of mathematics, and all but 50 texts are forgotten. Here readers
# of one kind are one, and forget none: not the labels of ticks either, which recur in all figures.
MathTextParser.__hash__ = lambda self: hash(self._output_type)
MathTextParser.__eq__ = lambda self, other: self._output_type == other._output_type
MathTextParser._parse_cached = cache(MathTextParser._parse_cached.__wrapped__)
TICKS = (
    *("0", "1", "2", "3", "4", "5", "6", "8", "10", "15", "20", "25", "40", "50", "60", "80"),
    *("100", "0.0", "0.2", "0.4", "0.5", "0.6", "0.8", "1.0", "1.5", "2.0", "2.5"),
    *(f"10^{{{n}}}" for n in range(-3, 6)),
)
# What drawings are made for, whatever a style says: without a salt the ids in an SVG file would be
# drawn by lot.
NEEDED = {
    "figure.constrained_layout.use": True,
    "figure.autolayout": False,
    "text.usetex": False,
    "path.effects": [],
}
SALT = "multiserver-atlas"


@contextmanager
def style_context(style: str) -> Iterator[None]:
    """Figures made here have this look, the text of a style file, whatever a user's matplotlibrc
    says."""
    # It is read from files only; one that is open cannot be read again on every system.
    with matplotlib.rc_context(), tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "atlas.mplstyle")
        file.write_text(style, encoding="utf-8")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(matplotlib.rc_params_from_file(file, use_default_template=False))
        matplotlib.rcParams.update(NEEDED)
        matplotlib.rcParams["svg.hashsalt"] = matplotlib.rcParams["svg.hashsalt"] or SALT
        yield


def freeze_layout(figure: Figure) -> None:
    """Find the layout, for good: each format would look for it again, and find another."""
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    if (colour := matplotlib.rcParams["savefig.facecolor"]) != "auto":
        figure.set_facecolor(colour)
    # Titles that are to avoid ticks would measure them all again in each format, and axes would
    # choose their ticks again whenever they are measured.
    for ax in figure.axes:
        ax._update_title_position(figure._get_renderer())
        ax._autotitlepos = False
        for axis in (ax.xaxis, ax.yaxis):
            axis._update_ticks = partial(list, axis._update_ticks())


def save(figure: Figure, file: Any, *, format: str, **options: Any) -> None:
    """What `savefig` does, but for the drawing without a file that it does first."""
    if (dots := matplotlib.rcParams["savefig.dpi"]) != "figure":
        figure.set_dpi(dots)
    getattr(get_registered_canvas_class(format)(figure), f"print_{format}")(file, **options)


def warm_up(spec: Path) -> None:
    """Draw for nobody what this figure shares with others; forks of the process then know it."""
    look = json.loads(spec.read_text(encoding="utf-8"))["look"]
    draw_sample(look["style"], look["formats"])


def draw_sample(style: str, formats: Iterable[str]) -> None:
    """Draw for nobody a figure of this style that has what all figures have."""
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
