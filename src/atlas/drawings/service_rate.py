"""Mean service rates against the load: exact curves and simulated points.

Series: any number of curves (balanced-fairness) and of points (simulated-sharing); every panel
lists the series and the class it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import NARROW, Parameters, Spec, Tables, curve_style, point_style, rows_of
from atlas.drawings.marks import draw_points, legend_above
from atlas.fields.block import Block, require
from atlas.fields.required_series import OptionsBlock, Wanted, require_class
from atlas.fields.vocabulary import ClassName, Id, Text

SHOWN = "curves or points"


class PanelBlock(Block):
    """A panel: exact series and simulated ones, with their labels."""

    title: Text = ""
    class_: ClassName = Field(alias="class")
    curves: Annotated[dict[Id, Text], Field(description="exact series and their labels")] = {}
    points: Annotated[dict[Id, Text], Field(description="simulated series and their labels")] = {}


class Options(OptionsBlock):
    arrangement: Annotated[
        Literal["stacked", "beside"], Field(description="one below the other, or side by side")
    ] = "stacked"
    panels: Annotated[
        list[PanelBlock],
        Field(
            min_length=1,
            max_length=20,
            description="what each panel shows, from the top or the left",
        ),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        curves = dict.fromkeys(name for panel in self.panels for name in panel.curves)
        points = dict.fromkeys(name for panel in self.panels for name in panel.points)
        columns = "load quantity mean_service_rate half_width"
        return (
            *(Wanted(name, "load class mean_service_rate") for name in curves),
            *(Wanted(name, columns, "interruptions") for name in points),
        )

    def check(self, series: Parameters) -> None:
        for i, panel in enumerate(self.panels):
            require(bool(panel.curves or panel.points), "an empty panel", SHOWN, "panels", i)
            for name in (*panel.curves, *panel.points):
                require_class(series[name], panel.class_, "panels", i, "class")
            for name in panel.points:
                m = series[name].interruptions
                require(len(m) == 1, f"{name} at {m} interruptions", "one number", "panels", i)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels one below the other, or side by side; one legend for all."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    stacked = drawing["arrangement"] == "stacked" or (len(panels) > 1 and width < NARROW)
    shape = (len(panels), 1) if stacked else (1, len(panels))
    height = 0.64 * len(panels) + 0.2 if stacked else 0.75 / len(panels) + 0.06
    fig = Figure(figsize=(width, height * width))
    axes = fig.subplots(*shape, squeeze=False, sharex=True).ravel()
    black = {"color": "black"} if any(panel["points"] for panel in panels) else {}
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, series, black)
        ax.set_title(panel["title"])
        if ax.get_subplotspec().is_last_row():
            ax.set_xlabel(r"load $\rho$")
    for ax in axes if stacked else axes[:1]:
        ax.set_ylabel(r"mean service rate $\gamma$ (work/s)")
    legend_above(fig, 2 if stacked else 5)
    return fig


def _draw_panel(ax: Axes, panel: Spec, series: Tables, black: Mapping[str, str]) -> None:
    for i, (name, label) in enumerate(panel["curves"].items()):
        curve = rows_of(series[name], "class", panel["class"])
        style = curve_style(i) | black
        ax.plot(curve["load"], curve["mean_service_rate"], label=label, lw=1, **style)
    for i, (name, label) in enumerate(panel["points"].items()):
        points = rows_of(series[name], "quantity", panel["class"])
        marks = points["load"], points["mean_service_rate"], points["half_width"]
        draw_points(ax, *marks, label=label, **point_style(i))
    ax.set(xlim=(0, 1), ylim=(0, None))
