"""Times of the jobs of a log against the number of servers, resampled and replayed, by policy.

Series: one of any name (trace-by-servers), drawn with one panel per class, for waiting or response
times. The dotted line is the time in the log, whatever its servers and policy were. A replayed
value has a cross if it lies outside the values of 95 % of resampled logs of as many jobs: the
resampled value then describes the resampled system alone. An arrow at the upper edge is a policy
that is not stable there, one at the lower edge of a logarithmic axis a time of 0, resampled or
replayed. `labels` name policies.
"""

from __future__ import annotations

import math
from textwrap import fill
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
    label_grid,
    panel_axes,
    point_style,
    rows_of,
)
from atlas.drawings.marks import LIMIT, draw_guide, draw_points, legend_above, point, time_name
from atlas.drawings.ticks import label_servers
from atlas.fields.block import require
from atlas.fields.columns import SECONDS, TimeUnit
from atlas.fields.required_series import OptionsBlock, Wanted, require_classes, require_labels
from atlas.fields.vocabulary import InnerProbability, Labels, Panels, Scale, Time

COLUMNS = (
    "servers policy class time statistic probability resampled resampled_half_width replayed"
    " logged differs"
)
# Inches for the legend above and the labels below the axes.
LEGENDS = 0.6
# The fraction of the distance between two numbers of servers over which policies are spread.
SHARED = 0.6
# The marks of replayed values, by whether they differ from the resampled ones.
DASH = {False: {"marker": "_", "markersize": 6}, True: {"marker": "x", "markersize": 4}}
# Arrows: where they are, as a fraction of the height of the axes, and what they say.
UP = (r"$\uparrow$", 0.97, "resampled, not stable")
DOWN = (r"$\downarrow$", 0.05, "a time of 0")
# By what the largest value is multiplied to be below the arrows.
ROOM = {"linear": 1.2, "log": 3.0}
DIFFERS = "replayed, outside 95 % of resampled logs: there points are about resampled jobs only"


class Options(OptionsBlock):
    time: Time = "waiting"
    probability: Annotated[
        InnerProbability | None, Field(description="of which quantile, if not the mean")
    ] = None
    panels: Panels = {"all": "all jobs"}
    scale: Scale = "linear"
    unit: Annotated[TimeUnit, Field(description="of the times")] = "s"
    labels: Labels = {}

    SERIES = (Wanted("*", COLUMNS, parameters="policies probabilities", most=1),)

    def check(self, series: Parameters) -> None:
        require_classes(series, self.panels)
        for parameters in series.values():
            require_labels(self.labels, {policy.label for policy in parameters.policies})
            known, p = parameters.probabilities, self.probability
            found, expected = f"{p}", f"one of {known}, of its series"
            require(p is None or p in known, found, expected, "probability")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One panel per class; the policies at one number of servers are side by side."""
    drawing = figure["drawing"]
    [table] = series.values()
    table = table[(table["time"] == drawing["time"]) & _chosen(table, drawing.get("probability"))]
    panels = drawing["panels"]
    fig, axes, columns = panel_axes(width, len(panels), sharex=True)
    fig.set_figheight(fig.get_figheight() + LEGENDS)
    arrows = {}
    for ax, (kind, title) in zip(axes, panels.items(), strict=True):
        ax.set_yscale(drawing["scale"])
        arrows |= _draw_panel(ax, rows_of(table, "class", kind), drawing)
        if are_named(panels):
            ax.set_title(title)
    label_grid(axes, columns, "servers $n$", _ordinate(drawing))
    axes[0].plot([], [], color="0.3", linestyle="none", label="replayed", **DASH[False])
    for marker, label in arrows.items():
        axes[0].plot([], [], color="0.3", linestyle="none", marker=marker, ms=6, label=label)
    legend_above(fig, 2 if width < NARROW else 4)
    label = fill(DIFFERS, int(16 * width))
    crossed = axes[0].plot([], [], color="0.3", linestyle="none", label=label, **DASH[True])
    if table["differs"].fillna(False).any():
        fig.legend(handles=crossed, loc="outside lower left")
    return fig


def _ordinate(drawing: Spec) -> str:
    p, unit = drawing.get("probability"), drawing["unit"]
    # In one line that of a quantile is longer than a panel is high.
    statistic = "mean " if p is None else f"{point(p)} point of the\n"
    return f"{statistic}{time_name(drawing['time'])} ({unit})"


def _chosen(table: pd.DataFrame, probability: float | None) -> pd.Series:
    if probability is None:
        return table["statistic"] == "mean"
    return (table["statistic"] == "quantile") & np.isclose(
        table["probability"], probability, rtol=0, atol=1e-12
    )


def _draw_panel(ax: Axes, rows: pd.DataFrame, drawing: Spec) -> dict[str, str]:
    """The policies of one class of jobs, in the unit of the drawing; what its arrows say."""
    arrows = {}
    seconds, servers = SECONDS[drawing["unit"]], sorted(rows["servers"].unique())
    policies = list(rows["policy"].unique())
    # A logarithmic axis has no place for 0.
    least = 0.0 if drawing["scale"] == "log" else -math.inf
    apart = min(np.diff(servers), default=1) * SHARED / max(len(policies), 5)
    for i, policy in enumerate(policies):
        mine = rows[rows["policy"] == policy]
        style = point_style(i)
        x = mine["servers"] + (i - (len(policies) - 1) / 2) * apart
        y, theirs = mine["resampled"] / seconds, mine["replayed"] / seconds
        stable = np.isfinite(y)
        bars = mine["resampled_half_width"] / seconds
        label = drawing["labels"].get(policy, policy)
        there = stable & (y > least)
        draw_points(ax, x[there], y[there], bars[there], label=label, **style)
        draw_guide(ax, x[there], y[there], style["color"])
        differs = mine["differs"].fillna(False).astype(bool)
        for crossed, mark in DASH.items():
            here = (theirs > least) & (differs == crossed)
            places = x[here] + apart / 4
            ax.plot(places, theirs[here], color=style["color"], linestyle="none", **mark)
        none = ((y == 0) | (theirs == 0)) & (drawing["scale"] == "log")
        arrow = {"transform": ax.get_xaxis_transform(), "color": style["color"], "ms": 6, "ls": ""}
        for (marker, height, says), at in ((UP, np.isinf(y)), (DOWN, none)):
            for place in x[at]:
                ax.plot([place], [height], marker=marker, **arrow)
                arrows[marker] = says
    logged = rows["logged"].iloc[0] / seconds
    if math.isfinite(logged) and (logged > 0 or drawing["scale"] == "linear"):
        ax.axhline(logged, color="black", label="in the log", **LIMIT)
    values = rows[["resampled", "replayed"]].to_numpy(dtype=float).ravel() / seconds
    shown = values[np.isfinite(values) & (values > 0)]
    if drawing["scale"] == "linear":
        ax.set_ylim(bottom=0.0)
    elif len(shown):
        # Bars may extend below 0.
        ax.set_ylim(bottom=0.6 * shown.min())
    if UP[0] in arrows and len(shown):
        ax.set_ylim(top=max(ROOM[drawing["scale"]] * shown.max(), ax.get_ylim()[1]))
    if len(servers) == 1:
        # The axis would end at the marks beside the number, as if they were at others.
        ax.set_xlim(servers[0] - 1, servers[0] + 1)
    label_servers(ax, servers)
    return arrows
