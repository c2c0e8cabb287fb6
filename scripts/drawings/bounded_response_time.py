"""Mean response time against the load beside the bounds of a work-conserving finite-skip model.

Series: `bounds` (finite-skip-bounds), which the first of the others lies between, and any number of
policies, each exact (policy-response-time), simulated under the same name and `-simulated`
(simulated-policy), or both. The points of a policy without an exact curve are joined by a thin
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field, model_validator

from declared.block import AS_WRITTEN, INCREASING, require
from declared.vocabulary import Labels, Positive, Share
from declared.wanted import OptionsBlock, Wanted, require_labels

SIMULATED = "-simulated"
COLOURS = ["C0", "C1", "C2", "C4", "C5", "C6"]
DASHES = ["-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 1, 2)), (0, (2, 1.5))]
MARKERS = "osD^vP"
BAND = "C3"


CURVE = Wanted("*", ("load", "class", "mean_response_time", "limit"))
POINTS = Wanted(
    "*-simulated", ("load", "quantity", "mean_response_time", "half_width", "limit"), required=False
)


class Options(OptionsBlock):
    """How it is drawn."""

    ceiling: Annotated[Positive, Field(description="where the vertical axis ends")]
    floor: Annotated[
        float, Field(ge=0, le=1e12, description="where the vertical axis begins"), AS_WRITTEN
    ] = 0
    scale: Annotated[Literal["linear", "log"], Field(description="the vertical axis")] = "linear"
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
        Wanted(
            "bounds",
            ("load", "pooled", "lower", "upper", "refined_lower", "refined_upper", "approximation"),
        ),
        POINTS,
        replace(CURVE, required=False),
    )

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        found = f"an axis from {self.floor} to {self.ceiling}"
        require(self.floor < self.ceiling, found, "a floor below the ceiling", "floor")
        logarithmic = self.scale == "log" and self.floor == 0
        require(not logarithmic, "a logarithmic axis from 0", "a floor above 0", "floor")
        return self

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.labels, series)


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """The band, its refinement dashed, curves, points and dotted limits of stability; a second
    panel for the loads to `zoom` in on."""
    drawing = figure["drawing"]
    zoom = drawing.get("zoom")
    columns = 2 if zoom else 1
    wide = width > 5
    fig = Figure(figsize=(width, (0.55 if wide else 0.8) * width))
    axes = fig.subplots(1, columns, sharey=True, squeeze=False)[0]
    for ax, ends in zip(axes, [(0, 1), zoom], strict=False):
        draw_panel(ax, drawing, series)
        ax.set_xlim(*ends)
    axes[0].set_ylabel(r"mean response time $\mathrm{E}[T]$")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper left", ncols=4 if wide else 2)
    return fig


def draw_panel(ax: Axes, drawing: Mapping[str, Any], series: Mapping[str, pd.DataFrame]) -> None:
    """All there is to draw, whatever part of the loads is shown."""
    draw_bounds(ax, series["bounds"])
    names = list(dict.fromkeys(n.removesuffix(SIMULATED) for n in series if n != "bounds"))
    for i, name in enumerate(names):
        label = drawing["labels"].get(name, name)
        draw_policy(ax, i, label, series.get(name), series.get(name + SIMULATED), "all")
    bounds = series["bounds"]
    if bounds["approximation"].notna().any():
        ax.plot(
            bounds["load"],
            bounds["approximation"],
            color="C2",
            lw=1.6,
            linestyle=(0, (3, 3)),
            label="Zhang and Zwart",
        )
    ax.set_yscale(drawing["scale"])
    ax.set_ylim(drawing["floor"], drawing["ceiling"])
    ax.set_xlabel(r"load $\rho = \lambda\mathrm{E}[S]$")


def draw_bounds(ax: Axes, bounds: pd.DataFrame) -> None:
    """The printed bounds as a band, refined ones as dashed lines if they differ, and the M/G/1."""
    load = bounds["load"]
    # A logarithmic axis has no place for a bound below 0.
    lower = bounds["lower"].clip(lower=1e-9)
    ax.fill_between(load, lower, bounds["upper"], color=BAND, alpha=0.3, lw=0, label="bounds")
    if not bounds["upper"].equals(bounds["refined_upper"]):
        refined = {"color": BAND, "lw": 0.8, "linestyle": (0, (4, 2))}
        ax.plot(load, bounds["refined_upper"], label="refined bounds", **refined)
        ax.plot(load, bounds["refined_lower"].clip(lower=1e-9), **refined)
    ax.plot(load, bounds["pooled"], color="0.45", lw=0.8, linestyle=":", label="pooled M/G/1")


def draw_policy(
    ax: Axes,
    i: int,
    label: str,
    curve: pd.DataFrame | None,
    points: pd.DataFrame | None,
    kind: str,
) -> None:
    """One policy in one class or over `all`: exact curve, simulated points, limit of stability."""
    colour = COLOURS[i % len(COLOURS)]
    if curve is not None:
        curve = curve[curve["class"] == kind]
        ax.plot(
            curve["load"],
            curve["mean_response_time"],
            color=colour,
            lw=1.2,
            linestyle=DASHES[i % len(DASHES)],
            label=label if points is None and label else None,
        )
    if points is not None:
        points = points[points["quantity"] == kind]
        ax.errorbar(
            points["load"],
            points["mean_response_time"],
            points["half_width"],
            color=colour,
            linestyle="none" if curve is not None else DASHES[i % len(DASHES)],
            lw=0.7,
            marker=MARKERS[i % len(MARKERS)],
            markersize=3,
            elinewidth=0.9,
            capsize=1.5,
            label=label,
        )
    limit = (points if curve is None else curve)["limit"].iloc[0]
    if limit < 1:
        ax.axvline(limit, color=colour, linestyle=":", lw=0.9)
