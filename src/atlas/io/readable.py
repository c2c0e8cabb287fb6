"""Data that a browser needs to read values off an SVG, and to hide curves by their legend.

Marks (curves, points, bars, areas) get ids, and the SVG ends with the metadata element `readings`,
in JSON. Lengths are in points from the upper left corner:

    {"axes": [{"box": [left, top, right, bottom], "scales": [x, y], "limits": [[x, x], [y, y]],
               "labels": [x, y]}],
     "marks": [{"id": …, "axes": 0, "entry": 1, "read": true}],
     "entries": [{"label": …, "ids": […]}]}

An entry is one of the legend; `ids` are its key and its text. A mark belongs to the entry that has
its label, or its colour and its dashes or marker. Marks without an entry are left out; bars and
areas are not `read`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, unescape

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.transforms import BlendedGenericTransform

Readings = dict[str, Any]

# Scales that a browser turns into values.
SCALES = {"linear", "log", "logit"}
READINGS = re.compile(r'<metadata id="readings">(.*?)</metadata>\n?', re.DOTALL)
# The ends of bars.
CAPS = {"|", "_"}
NONE = {"none", "None", "", " "}


def name_marks(figure: Figure) -> Readings:
    """Give ids to the marks of a figure whose layout is fixed, and describe them."""
    axes = [ax for ax in figure.axes if {ax.get_xscale(), ax.get_yscale()} <= SCALES]
    entries = list(_entries(figure))
    marks = []
    for place, ax in enumerate(axes):
        for artist in (*ax.lines, *ax.collections, *ax.patches):
            entry = _entry_of(artist, entries)
            drawn = not isinstance(artist, Line2D) or len(artist.get_xdata()) > 0
            if entry is None or not drawn:
                continue
            id = f"mark-{len(marks)}"
            artist.set_gid(id)
            read = isinstance(artist, Line2D) and artist.get_marker() not in CAPS
            # A line across the axes has one coordinate only.
            read = read and not isinstance(artist.get_transform(), BlendedGenericTransform)
            marks.append({"id": id, "axes": place, "entry": entry, "read": read})
    for i, (handle, text) in enumerate(entries):
        handle.set_gid(f"key-{i}")
        text.set_gid(f"label-{i}")
    legend = [
        {"label": text.get_text(), "ids": [f"key-{i}", f"label-{i}"]}
        for i, (_, text) in enumerate(entries)
    ]
    return {"axes": [_describe_axes(ax) for ax in axes], "marks": marks, "entries": legend}


def attach(svg: str, readings: Readings) -> str:
    """The SVG with its readings, if it has any."""
    if not readings["marks"]:
        return svg
    text = escape(json.dumps(readings, ensure_ascii=False, separators=(",", ":")))
    body, end, _ = svg.rpartition("</svg>")
    return f'{body}<metadata id="readings">{text}</metadata>\n{end}\n'


def detach(svg: str) -> tuple[str, Readings | None]:
    """The SVG without its readings, and the readings."""
    found = READINGS.search(svg)
    if not found:
        return svg, None
    return svg.replace(found[0], ""), json.loads(unescape(found[1]))


def _entries(figure: Figure) -> Iterator[tuple[Artist, Artist]]:
    """The keys and texts of all legends."""
    legends: list[Legend] = [*figure.legends, *(ax.get_legend() for ax in figure.axes)]
    for legend in filter(None, legends):
        yield from zip(legend.legend_handles, legend.get_texts(), strict=True)


def _entry_of(artist: Artist, entries: list[tuple[Artist, Artist]]) -> int | None:
    label = str(artist.get_label())
    for i, (_, text) in enumerate(entries):
        if label == text.get_text():
            return i
    look = _colour(artist)
    alike = [i for i, (handle, _) in enumerate(entries) if look and _colour(handle) == look]
    if isinstance(artist, Line2D):
        near = [i for i in alike if _agree(artist, entries[i][0])]
        alike = near or alike
    return alike[0] if alike and (len(alike) == 1 or isinstance(artist, Line2D)) else None


def _agree(line: Line2D, key: Artist) -> bool:
    """Whether a line has the dashes of a key, or points have the marker of the key."""
    if not isinstance(key, Line2D):
        return False
    if line.get_linestyle() in NONE:
        return line.get_marker() == key.get_marker()
    return line._unscaled_dash_pattern == key._unscaled_dash_pattern


def _colour(artist: Artist) -> str:
    """The colour of a mark, or nothing if it has several or none."""
    if isinstance(artist, Line2D):
        return to_hex(artist.get_color())
    for colours in (artist.get_facecolor(), artist.get_edgecolor()):
        rows = [colours] if getattr(colours, "ndim", 1) == 1 else list(colours)
        distinct = {to_hex(row[:3]) for row in rows if len(row) and row[-1] > 0}
        if len(distinct) == 1:
            return distinct.pop()
    return ""


def _describe_axes(ax: Axes) -> dict[str, Any]:
    box = ax.get_position()
    width, height = (72 * side for side in ax.figure.get_size_inches())
    corners = (box.x0 * width, (1 - box.y1) * height, box.x1 * width, (1 - box.y0) * height)
    return {
        "box": [round(float(side), 3) for side in corners],
        "scales": [ax.get_xscale(), ax.get_yscale()],
        "limits": [[float(x) for x in ends] for ends in (ax.get_xlim(), ax.get_ylim())],
        "labels": [
            ax.get_xlabel() or ax.figure.get_supxlabel(),
            ax.get_ylabel() or ax.figure.get_supylabel(),
        ],
    }
