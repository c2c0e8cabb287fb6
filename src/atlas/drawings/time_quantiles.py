"""Quantiles of waiting or response times against the load: one panel per class, one for all jobs.

Series: any number, policies or systems: exact (time-quantiles), simulated under the same name and
`-simulated` (simulated-time-quantiles), or both. Each policy or system has its own colour, and each
probability its own dash and mark.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import DASHES, MARKERS, Parameters, Spec, Tables
from atlas.drawings.marks import (
    ROW,
    SIMULATED,
    Limit,
    draw_curve_and_points,
    draw_guide,
    draw_limits,
    draw_points,
    flatten,
    legend_above,
    of_class,
    panel_axes,
    point,
    policy_label,
    time_name,
)
from atlas.fields.required_series import OptionsBlock, Wanted, require_classes, require_labels
from atlas.fields.vocabulary import Labels, Panels, Positive, Time


class Options(OptionsBlock):
    time: Time = "waiting"
    panels: Panels = {"all": "all jobs"}
    floor: Annotated[Positive, Field(description="where the vertical axis begins")]
    ceiling: Annotated[Positive, Field(description="where the vertical axis ends")]
    labels: Labels = {}

    SERIES = (
        Wanted(
            f"*{SIMULATED}",
            ("load", "class", "time", "probability", "quantile", "half_width", "limit"),
            required=False,
        ),
        Wanted("*", ("load", "class", "time", "probability", "quantile", "limit"), required=False),
    )

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        require_classes(series, self.panels, "panels")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side on one vertical axis, one legend above them."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    fig = Figure(figsize=(width, width))
    axes, columns = panel_axes(fig, len(panels), sharex=True, sharey=True)
    for ax, (group, title) in zip(axes, panels.items(), strict=True):
        ax.set(yscale="log", xlim=(0, 1))
        limits = draw_panel(ax, figure, series, group)
        ax.set_ylim(drawing["floor"], drawing["ceiling"])
        named = draw_limits(ax, limits)
        if len(panels) > 1:
            ax.set_title(title, pad=4 + ROW * named)
        ax.set_xlabel(r"load $\rho = \lambda\,\mathrm{E}[S]$")
    for ax in axes[::columns]:
        ax.set_ylabel(f"quantile of the {time_name(drawing['time'])} (s)")
    legend_above(fig, 4 if width > 5 else 2)
    return fig


def draw_panel(ax: Axes, figure: Spec, series: Tables, group: str) -> list[Limit]:
    """Draw all curves and points of one group of jobs. Return the limits of stability there are."""
    names = list(dict.fromkeys(name.removesuffix(SIMULATED) for name in series))
    time, limits = figure["drawing"]["time"], []
    for i, name in enumerate(names):
        parts = [
            None if rows is None else of_group(rows, group, time)
            for rows in (series.get(name), series.get(name + SIMULATED))
        ]
        first = next(part for part in parts if part is not None)
        label = policy_label(figure, name) + ", " if len(names) > 1 else ""
        limit = first["limit"].iloc[0]
        limits += [(limit, f"limit {limit:.3f}", "black")] if limit < 1 else []
        for j, p in enumerate(sorted(set(first["probability"]))):
            color = f"C{(i if len(names) > 1 else j) % 7}"
            lines = (None if part is None else of_probability(part, p) for part in parts)
            draw_line(ax, color, j, f"{label}{point(p)}", *lines, limit)
    return limits


def of_group(rows: pd.DataFrame, group: str, time: str) -> pd.DataFrame:
    """The rows of a class and a time."""
    rows = of_class(rows, "class", group)
    return rows[rows["time"] == time]


def of_probability(rows: pd.DataFrame, p: float) -> pd.DataFrame:
    """The rows of a probability, without quantiles of 0, which a logarithmic axis cannot show."""
    quantiles = rows["quantile"]
    return rows[(rows["probability"] == p) & (quantiles > 0) & np.isfinite(quantiles)]


def draw_line(
    ax: Axes,
    color: str,
    j: int,
    label: str,
    curve: pd.DataFrame | None,
    points: pd.DataFrame | None,
    limit: float,
) -> None:
    """One probability of one policy or system; points without a curve get a guide."""
    style = {"color": color, "marker": MARKERS[j % len(MARKERS)]}
    marks = None
    if points is not None:
        marks = points["load"], points["quantile"], points["half_width"]
    if curve is not None:
        line, dash = (curve["load"], curve["quantile"]), DASHES[j % len(DASHES)]
        draw_curve_and_points(ax, label, line, marks, linestyle=dash, **style)
    else:
        draw_guide(ax, *marks[:2], color, flatten(limit))
        draw_points(ax, *marks, label=label, **style)
