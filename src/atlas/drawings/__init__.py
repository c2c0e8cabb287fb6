"""From data to figures: one module per kind of drawing, each with a pure function `draw`.

`draw(figure, series, width)` takes the figure's spec, its series by name and a width in inches, and
returns a matplotlib Figure. Colours come from the style's cycle, C0 to C6; a marker, a dash or a
hatch always repeats the information in a colour. `STYLE_KEY` says what decides the colour, dashes
and marker of a series in all figures of a paper: its "name", or a parameter (`atlas.plan.places`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from atlas.fields.required_series import SIMULATED

# The spec of a figure; its series by name, and the parameters of these.
Spec = Mapping[str, Any]
Tables = Mapping[str, pd.DataFrame]
Parameters = Mapping[str, Any]

# The width in inches below which two panels do not fit side by side.
NARROW = 5.0
MARKERS = "o^svDPX"
DASHES = (
    "-",
    (0, (5, 1.5)),
    (0, (3, 1, 1, 1)),
    (0, (8, 2)),
    (0, (7, 1.5, 1, 1.5, 1, 1.5)),
    (0, (2, 1.2)),
)


def single_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of one pair of axes; its height is a fraction of its width."""
    fig = Figure(figsize=(width, height * width))
    return fig, fig.subplots()


def panel_row(
    width: float, count: int, height: float, **shared: bool
) -> tuple[Figure, NDArray[np.object_]]:
    """A figure of panels side by side, its height a fraction of its width; if it is narrow, they
    stand one below the other."""
    stacked = count > 1 and width < NARROW
    height = max(height, 0.66) if width < NARROW else height
    fig = Figure(figsize=(width, (0.66 * count + 0.15 if stacked else height) * width))
    shape = (count, 1) if stacked else (1, count)
    return fig, fig.subplots(*shape, squeeze=False, **shared).ravel()


def panels_in_rows(fig: Figure, count: int, columns: int, **shared: bool) -> list[Axes]:
    """`count` panels in a figure, in rows of `columns`; the last row may have fewer."""
    axes = fig.subplots(-(-count // columns), columns, squeeze=False, **shared).ravel()
    for ax in axes[count:]:
        ax.remove()
    return list(axes[:count])


def panel_axes(width: float, count: int, **shared: bool) -> tuple[Figure, list[Axes], int]:
    """A figure of `count` panels in rows of at most three, or one below the other if it is narrow,
    and the number in a row. Its height is 0.85 times the width of a panel per row (0.66 if narrow),
    or 0.8 times its own width for a single panel."""
    stacked = count > 1 and width < NARROW
    columns = 1 if stacked else 2 if count in (2, 4) else min(count, 3)
    rows = -(-count // columns)
    share = 0.66 if stacked else 0.85 / columns
    height = (0.8 if count == 1 else share * rows + 0.08) * width
    fig = Figure(figsize=(width, height if count == 1 else max(height, 1 + 1.4 * rows)))
    return fig, panels_in_rows(fig, count, columns, **shared), columns


def are_named(groups: Mapping[str, str]) -> bool:
    """Whether a figure names the groups of jobs in it: all but a single one of all jobs."""
    return len(groups) > 1 or "all" not in groups


def panel_grid(width: float, count: int, columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of `count` panels over one horizontal axis, in rows of `columns`, each of a `height`
    in inches."""
    fig = Figure(figsize=(width, height * -(-count // columns)))
    return fig, panels_in_rows(fig, count, columns, sharex=True)


def label_grid(axes: Sequence[Axes], columns: int, x: str, y: str) -> None:
    """Label the lowest panel of each column and the first of each row."""
    for ax in axes[-columns:]:
        ax.set_xlabel(x)
        ax.xaxis.set_tick_params(labelbottom=True)
    for ax in axes[::columns]:
        ax.set_ylabel(y)


def end_at(ax: Axes, ceiling: float) -> None:
    """End the vertical axis at a ceiling, unless all that it shows lies above."""
    # Not the end of the axis, whose margin can lie below the ceiling where no data do.
    if ax.dataLim.y0 < ceiling:
        bottom, least = ax.get_ylim()[0], ax.dataLim.minposy
        if ax.get_yscale() == "log" and least < ceiling:
            # A lone point would stand on the edge.
            bottom = min(bottom, least * (least / ceiling) ** 0.05)
        ax.set_ylim(bottom, ceiling)


def curve_style(i: int) -> dict[str, Any]:
    """Colour and dashes of curve i."""
    return {"color": f"C{i % 7}", "linestyle": DASHES[i % len(DASHES)]}


def point_style(i: int) -> dict[str, Any]:
    """Colour and marker of the points of series i."""
    return {"color": f"C{i % 7}", "marker": MARKERS[i % len(MARKERS)]}


def pair_style(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of curve i and its points."""
    return curve_style(i) | point_style(i)


def pairs(series: Tables) -> list[tuple[str, pd.DataFrame | None, pd.DataFrame | None]]:
    """Each curve by its name, with its simulated points; None for either that is not there."""
    names = dict.fromkeys(name.removesuffix(SIMULATED) for name in series)
    return [(name, series.get(name), series.get(name + SIMULATED)) for name in names]


def columns(table: pd.DataFrame | None, *names: str) -> tuple[pd.Series, ...] | None:
    """Columns of a table, if there is one."""
    return None if table is None else tuple(table[name] for name in names)


def rows_of(table: pd.DataFrame | None, column: str, value: Any) -> pd.DataFrame | None:
    """The rows with a value in a column, such as those of a class, if there is a table."""
    return None if table is None else table[table[column] == value]
