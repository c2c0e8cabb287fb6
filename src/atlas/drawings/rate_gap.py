"""The distance of mean service rates from balanced fairness against the interruptions per job.

Series: any number (simulated-sharing, of one load), which `labels` names.
"""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, point_style, rows_of, single_axes
from atlas.drawings.marks import draw_guide, draw_levels, draw_points, legend_above
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted, require_class
from atlas.fields.vocabulary import ClassName, Id, Text


class Options(OptionsBlock):
    class_: ClassName = Field("class-1", alias="class")
    labels: Annotated[
        dict[Id, Text], Field(min_length=1, description="the series and their labels")
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        columns = "quantity interruptions gap gap_half_width"
        return tuple(Wanted(name, columns, "loads") for name in self.labels)

    def check(self, series: Parameters) -> None:
        for name, parameters in series.items():
            loads = parameters.loads
            require(len(loads) == 1, f"{name} at loads {loads}", "series of one load", "labels")
            require_class(parameters, self.class_, "class")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """The points of each series with intervals, over a logarithmic m."""
    drawing = figure["drawing"]
    fig, ax = single_axes(width, 0.85)
    ax.set_xscale("log")
    for i, (name, label) in enumerate(drawing["labels"].items()):
        points = rows_of(series[name], "quantity", drawing["class"])
        m, gap = points["interruptions"], 100 * points["gap"]
        # Points at the same m would hide one another: each series is shifted a little.
        beside = 1.02 ** (i - (len(drawing["labels"]) - 1) / 2)
        style = point_style(i)
        draw_guide(ax, beside * m, gap, style["color"])
        draw_points(ax, beside * m, gap, 100 * points["gap_half_width"], label=label, **style)
    draw_levels(ax, [(0, "balanced\nfairness", "black")])
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(r"interruptions per job $m$")
    ax.set_ylabel(r"gap $\gamma/\gamma_\mathrm{balanced} - 1$ (%)")
    legend_above(fig, 2)
    return fig
