"""Mean response time against the load, with the bounds of a work-conserving finite-skip model.

Series: `bounds` (finite-skip-bounds), which enclose the first of the others, and any number of
policies, each exact (policy-response-time), simulated under the same name and `-simulated`
(simulated-policy), or both.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import NARROW, Parameters, Spec, Tables, columns, pair_style, pairs, rows_of
from atlas.drawings.marks import (
    REFERENCE,
    REFINED,
    ROW,
    Limit,
    added,
    draw_band,
    draw_curve_and_points,
    draw_limits,
    flatten,
    legend_above,
    place_of,
    policy_label,
)
from atlas.fields.block import AS_WRITTEN, INCREASING, require, requirement
from atlas.fields.required_series import OptionsBlock, Wanted, require_labels
from atlas.fields.vocabulary import Ceiling, Labels, Scale, Share

STYLE_KEY = "name"
COLOURS = ["C0", "C1", "C2", "C4", "C5", "C6"]
CURVE = Wanted("*", "load class mean_response_time limit", required=False)
POINTS = Wanted("*-simulated", "load quantity mean_response_time half_width limit", required=False)


class Options(OptionsBlock):
    ceiling: Ceiling
    floor: Annotated[
        float, Field(ge=0, le=1e12, description="where the vertical axis begins"), AS_WRITTEN
    ] = 0
    scale: Scale = "linear"
    zoom: (
        Annotated[
            list[Share],
            Field(min_length=2, max_length=2, description="the loads [from, to] of a second panel"),
            INCREASING,
        ]
        | None
    ) = None
    labels: Labels = {}

    SERIES = (
        Wanted("bounds", "load pooled lower upper refined_lower refined_upper approximation"),
        POINTS,
        CURVE,
    )

    @requirement
    def _leaves_room(self) -> None:
        found = f"an axis from {self.floor} to {self.ceiling}"
        require(self.floor < self.ceiling, found, "a floor below the ceiling", "floor")
        logarithmic = self.scale == "log" and self.floor == 0
        require(not logarithmic, "a logarithmic axis from 0", "a floor above 0", "floor")

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        for name, one in series.items():
            same = getattr(one, "system", None) == series["bounds"].system
            require(same, f"a system of '{name}' that is not that of 'bounds'", "one system")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Curves, points and limits of stability, the band and its refinement; a second panel shows the
    loads of `zoom`."""
    drawing = figure["drawing"]
    zoom = drawing.get("zoom")
    wide = width > NARROW
    fig = Figure(figsize=(width, (0.55 if wide else 0.85) * width))
    axes = fig.subplots(1, 2 if zoom else 1, sharey=True, squeeze=False)[0]
    part = ""
    if zoom:
        part = "high loads" if zoom[1] == 1 else f"loads from {zoom[0]:g} to {zoom[1]:g}"
    titles = "all loads", added(figure, part)
    for ax, ends, title in zip(axes, [(0, 1), zoom], titles, strict=False):
        ax.set_xlim(*ends)
        rows = draw_panel(ax, figure, series)
        if zoom:
            ax.set_title(title, pad=4 + ROW * rows)
    axes[0].set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    legend_above(fig, 4 if wide else 2)
    return fig


def draw_panel(ax: Axes, figure: Spec, series: Tables) -> int:
    """Draw everything, whatever range of loads is shown, and return the number of rows of labels
    above."""
    drawing, bounds = figure["drawing"], series["bounds"]
    ax.set_yscale(drawing["scale"])
    policies = [pair for pair in pairs(series) if pair[0] != "bounds"]
    limits = []
    for i, (name, *pair) in enumerate(policies):
        label = policy_label(figure, name)
        limits += draw_policy(ax, place_of(figure, name, i), label, *pair, "all")
    if bounds["approximation"].notna().any():
        dashed = {"color": "C2", "lw": 1.6, "linestyle": (0, (3, 3))}
        ax.plot(bounds["load"], bounds["approximation"], label="Zhang and Zwart", **dashed)
    draw_bounds(ax, figure, bounds)
    least = min(
        rows["pooled" if name == "bounds" else "mean_response_time"].min()
        for name, rows in series.items()
    )
    # Nothing is left of curves that all lie above the ceiling.
    ax.set_ylim(drawing["floor"], drawing["ceiling"] if least < drawing["ceiling"] else None)
    ax.set_xlabel(r"load $\rho = \lambda\,\mathrm{E}[S]$")
    return draw_limits(ax, limits)


def draw_bounds(ax: Axes, figure: Spec, bounds: pd.DataFrame) -> None:
    """The printed bounds as a band, refined ones as dashed lines if they differ, and the M/G/1."""
    load = bounds["load"]
    # A bound below 0 cannot be drawn on a logarithmic axis.
    lower = bounds["lower"].clip(lower=1e-9)
    draw_band(ax, load, lower, bounds["upper"])
    if not bounds["upper"].equals(bounds["refined_upper"]):
        label = added(figure, "refined bounds")
        ax.plot(load, bounds["refined_upper"], label=label, **REFINED)
        ax.plot(load, bounds["refined_lower"].clip(lower=1e-9), **REFINED)
    ax.plot(load, bounds["pooled"], label=added(figure, "pooled M/G/1"), **REFERENCE)


def draw_policy(
    ax: Axes,
    place: int,
    label: str | None,
    curve: pd.DataFrame | None,
    points: pd.DataFrame | None,
    kind: str,
) -> list[Limit]:
    """Draw one policy, for one class or for `all` jobs: exact curve and simulated points. Return
    its limit of stability, if there is one."""
    color = COLOURS[place % len(COLOURS)]
    limit = (points if curve is None else curve)["limit"].iloc[0]
    line = columns(rows_of(curve, "class", kind), "load", "mean_response_time")
    marks = columns(rows_of(points, "quantity", kind), "load", "mean_response_time", "half_width")
    style = pair_style(place) | {"color": color}
    draw_curve_and_points(ax, label, line, marks, flat=flatten(limit), **style)
    return [(limit, f"{label or 'limit'} {limit:.3f}", color)] if limit < 1 else []
