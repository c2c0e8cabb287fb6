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

from atlas.drawings import DASHES, MARKERS, Parameters, Spec, Tables
from atlas.drawings.marks import (
    GUIDE,
    SIMULATED,
    TIME,
    draw_curve_and_points,
    draw_points,
    legend_above,
    of_class,
    panel_axes,
    policy_label,
)
from atlas.fields.block import AS_WRITTEN
from atlas.fields.required_series import OptionsBlock, Wanted, require_classes, require_labels
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
        Wanted(
            f"*{SIMULATED}",
            ("class", "time", "probability", "quantile", "half_width"),
            required=False,
        ),
        Wanted("*", ("class", "t", "waiting", "response"), required=False),
    )

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        require_classes(series, self.panels, "panels")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side on one vertical axis, one legend above them."""
    drawing = figure["drawing"]
    panels, time = drawing["panels"], drawing["time"]
    fig = Figure(figsize=(width, width))
    axes, columns = panel_axes(fig, len(panels), sharey=True)
    names = list(dict.fromkeys(name.removesuffix(SIMULATED) for name in series))
    for ax, (group, title) in zip(axes, panels.items(), strict=True):
        ax.set_yscale("log")
        for i, name in enumerate(names):
            label = policy_label(figure, name)
            pair = series.get(name), series.get(name + SIMULATED)
            draw_tail(ax, i, label, *pair, group, drawing)
        ax.set(ylim=(drawing["floor"], 1.3), xscale=drawing["scale"])
        low, high = ax.get_xlim()
        ax.set_xlim(0 if drawing["scale"] == "linear" else max(low, SHORTEST * high))
        if len(panels) > 1:
            ax.set_title(title)
        ax.set_xlabel("time $t$ (s)")
    for ax in axes[::columns]:
        ax.set_ylabel(rf"$\mathrm{{P}}({TIME[time]} > t)$")
    legend_above(fig, 4 if width > 5 else 2)
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
    drawn.

    Points without a curve are not joined; a pale line guides the eye.
    """
    time, floor = drawing["time"], drawing["floor"]
    color, marker = f"C{i % 7}", MARKERS[i % len(MARKERS)]
    marks = None
    if points is not None:
        points = of_class(points, "class", group)
        points = points[points["time"] == time]
        points = points[points["quantile"] > ROUNDING * points["quantile"].max()]
        marks = points["quantile"], 1 - points["probability"], points["half_width"]
    style = {"color": color, "marker": marker, "across": True}
    if curve is not None:
        curve = of_class(curve, "class", group)
        # The axis of t ends where the last curve reaches the bottom of the other axis.
        curve = curve[curve[time] > 0.8 * floor]
        line, dash = (curve["t"], curve[time]), DASHES[i % len(DASHES)]
        draw_curve_and_points(ax, label, line, marks, linestyle=dash, **style)
    else:
        ax.plot(*marks[:2], color=color, **GUIDE)
        draw_points(ax, *marks, label=label, **style)
