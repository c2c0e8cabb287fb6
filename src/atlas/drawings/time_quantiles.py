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

from atlas.drawings import (
    NARROW,
    Parameters,
    Spec,
    Tables,
    are_named,
    columns,
    label_grid,
    pair_style,
    pairs,
    panel_axes,
    rows_of,
)
from atlas.drawings.marks import (
    LOADS,
    ROW,
    Limit,
    draw_curve_and_points,
    draw_limits,
    flatten,
    legend_above,
    point,
    policy_label,
    time_name,
)
from atlas.fields.block import require, requirement
from atlas.fields.required_series import (
    SIMULATED,
    OptionsBlock,
    Wanted,
    require_classes,
    require_labels,
)
from atlas.fields.vocabulary import Ceiling, Labels, Panels, Positive, Time


class Options(OptionsBlock):
    time: Time = "waiting"
    panels: Panels = {"all": "all jobs"}
    floor: Annotated[Positive, Field(description="where the vertical axis begins")]
    ceiling: Ceiling
    labels: Labels = {}

    SERIES = (
        Wanted(
            "*-simulated", "load class time probability quantile half_width limit", required=False
        ),
        Wanted("*", "load class time probability quantile limit", required=False),
    )

    @requirement
    def _leaves_room(self) -> None:
        found = f"an axis from {self.floor} to {self.ceiling}"
        require(self.floor < self.ceiling, found, "a floor below the ceiling", "floor")

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        require_classes(series, self.panels)
        for name, points in series.items():
            curve = series.get(name.removesuffix(SIMULATED), points)
            more = [p for p in points.probabilities if p not in curve.probabilities]
            found = f"quantiles of '{name}' at {more}, at which there is no curve"
            require(not more, found, f"some of the curve's probabilities {curve.probabilities}")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side on one vertical axis, one legend above them."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    fig, axes, across = panel_axes(width, len(panels), sharex=True, sharey=True)
    for ax, (group, title) in zip(axes, panels.items(), strict=True):
        ax.set(yscale="log", xlim=(0, 1))
        limits = draw_panel(ax, figure, series, group)
        named = draw_limits(ax, limits)
        if are_named(panels):
            ax.set_title(title, pad=4 + ROW * named)
    least, most = min(ax.dataLim.y0 for ax in axes), max(ax.dataLim.y1 for ax in axes)
    # Nothing is left of quantiles that all lie outside.
    if least < drawing["ceiling"] and most > drawing["floor"]:
        axes[0].set_ylim(drawing["floor"], drawing["ceiling"])
    label_grid(axes, across, LOADS["load"], f"quantile of the {time_name(drawing['time'])} (s)")
    legend_above(fig, 4 if width > NARROW else 2)
    return fig


def draw_panel(ax: Axes, figure: Spec, series: Tables, group: str) -> list[Limit]:
    """Draw all curves and points of one group of jobs. Return the limits of stability there are."""
    time, limits, several = figure["drawing"]["time"], [], len(pairs(series)) > 1
    for i, (name, *tables) in enumerate(pairs(series)):
        parts = [rows_of(rows_of(one, "class", group), "time", time) for one in tables]
        first = next(part for part in parts if part is not None)
        label = policy_label(figure, name) + ", " if several else ""
        limit = first["limit"].iloc[0]
        limits += [(limit, f"limit {limit:.3f}", "black")] if limit < 1 else []
        for j, p in enumerate(sorted(set(first["probability"]))):
            curve, points = (of_probability(part, p) for part in parts)
            line = columns(curve, "load", "quantile")
            marks = columns(points, "load", "quantile", "half_width")
            style = pair_style(j) | ({"color": f"C{i % 7}"} if several else {})
            entry = f"{label}{point(p)}"
            draw_curve_and_points(ax, entry, line, marks, flat=flatten(limit), **style)
    return limits


def of_probability(rows: pd.DataFrame | None, p: float) -> pd.DataFrame | None:
    """The rows of a probability, if there is a table, without quantiles of 0, which a logarithmic
    axis cannot show."""
    rows = rows_of(rows, "probability", p)
    return rows if rows is None else rows[(rows["quantile"] > 0) & np.isfinite(rows["quantile"])]
