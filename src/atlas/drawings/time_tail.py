"""P(W > t) or P(T > t) on a logarithmic axis, one panel per class and one for all jobs.

Series: any number, policies or systems: exact (time-tail), simulated quantiles under the same name
and `-simulated` (simulated-time-quantiles), or both. A simulated quantile at p is a point at the
height 1 − p with a horizontal bar as its interval.
"""

from __future__ import annotations

from typing import Annotated, Literal

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
    pair_style,
    pairs,
    panel_axes,
    rows_of,
)
from atlas.drawings.marks import TIME, draw_curve_and_points, legend_above, policy_label
from atlas.fields.block import AS_WRITTEN, require
from atlas.fields.required_series import (
    SIMULATED,
    OptionsBlock,
    Wanted,
    require_classes,
    require_labels,
)
from atlas.fields.vocabulary import Labels, Panels, Time

# The start of a logarithmic axis of times, as a fraction of the longest: curves are flat below.
SHORTEST = 1e-5
# Simulated times below this fraction of the longest are taken as 0.
ROUNDING = 1e-9


class Options(OptionsBlock):
    time: Time = "waiting"
    panels: Panels = {"all": "all jobs"}
    floor: Annotated[
        float, Field(ge=1e-12, lt=1, description="where the vertical axis ends"), AS_WRITTEN
    ] = 1e-4
    scale: Annotated[Literal["linear", "log"], Field(description="the axis of times")] = "linear"
    labels: Labels = {}

    SERIES = (
        Wanted("*-simulated", "class time probability quantile half_width", required=False),
        Wanted("*", "class t waiting response", required=False),
    )

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        require_classes(series, self.panels)
        for name, one in series.items():
            if loads := getattr(one, "loads", None):
                load = getattr(series.get(name.removesuffix(SIMULATED)), "load", loads[0])
                found = f"series '{name}' at the loads {loads}"
                require(loads == [load], found, f"loads: [{load}], one load a tail")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side on one vertical axis, one legend above them."""
    drawing = figure["drawing"]
    panels, time = drawing["panels"], drawing["time"]
    fig, axes, across = panel_axes(width, len(panels), sharey=True)
    for ax, (group, title) in zip(axes, panels.items(), strict=True):
        ax.set_yscale("log")
        for i, (name, *pair) in enumerate(pairs(series)):
            draw_tail(ax, i, policy_label(figure, name), *pair, group, drawing)
        ax.set(ylim=(drawing["floor"], 1.3), xscale=drawing["scale"])
        low, high = ax.get_xlim()
        start = max(low, SHORTEST * high * _shorter(ax))
        ax.set_xlim(0 if drawing["scale"] == "linear" else start)
        if are_named(panels):
            ax.set_title(title)
        ax.set_xlabel("time $t$ (s)")
    for ax in axes[::across]:
        ax.set_ylabel(rf"$\mathrm{{P}}({TIME[time]} > t)$")
    legend_above(fig, 4 if width > NARROW else 2)
    return fig


def draw_tail(
    ax: Axes,
    i: int,
    label: str,
    curve: pd.DataFrame | None,
    points: pd.DataFrame | None,
    group: str,
    drawing: Spec,
) -> None:
    """One policy or system. If most jobs do not wait, quantiles are 0 up to rounding, and are not
    drawn."""
    time, line, marks = drawing["time"], None, None
    points = rows_of(rows_of(points, "class", group), "time", time)
    if points is not None:
        points = points[points["quantile"] > ROUNDING * points["quantile"].max()]
        marks = points["quantile"], 1 - points["probability"], points["half_width"]
    if curve is not None:
        curve = rows_of(curve, "class", group)
        # The axis of t ends where the last curve reaches the bottom of the other axis.
        line = columns(curve[curve[time] > 0.8 * drawing["floor"]], "t", time)
    draw_curve_and_points(ax, label, line, marks, across=True, **pair_style(i))


def _shorter(ax: Axes) -> float:
    """How much shorter the times of one system are than those of another, if by decades: a
    logarithmic axis then begins earlier."""
    ends = [max(line.get_xdata()) for line in ax.lines if len(line.get_xdata())]
    ratio = min(ends, default=1.0) / max(ends, default=1.0)
    return ratio if 0 < ratio < 1e-3 else 1.0
