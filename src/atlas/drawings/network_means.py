"""Means of networks against the load or the number of permanent jobs.

Series: any number (network-means); every panel says which lines it shows, of which class.
"""

from __future__ import annotations

from typing import Annotated, Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, curve_style
from atlas.drawings.marks import LIMIT, note
from atlas.fields.block import Block
from atlas.fields.required_series import OptionsBlock, Wanted, require_class
from atlas.fields.vocabulary import ClassName, Id, Text

X_LABELS = {
    "fraction_of_limit": r"load $\rho$ of the busiest classes",
    "permanent": "permanent jobs $L$",
}
Y_LABELS = {
    "throughput": "throughput (jobs/s)",
    "mean_jobs": r"mean number $\mathrm{E}[X]$ (jobs)",
    "mean_sojourn_time": "mean time per visit (s)",
}


COLUMNS = (
    "fraction_of_limit",
    "permanent",
    "class",
    "throughput",
    "ceiling",
    "mean_jobs",
    "mean_sojourn_time",
)


class LineBlock(Block):
    """A line of a panel."""

    series: Annotated[Id, Field(description="the series that it shows")]
    class_: ClassName = Field(alias="class")
    label: Annotated[Text, Field(description="what the legend says")]


class PanelBlock(Block):
    """A panel."""

    title: Text
    x: Annotated[
        Literal["fraction_of_limit", "permanent"], Field(description="the horizontal axis")
    ]
    y: Annotated[
        Literal["throughput", "mean_jobs", "mean_sojourn_time"],
        Field(description="the vertical axis"),
    ]
    scale: Annotated[Literal["linear", "log"], Field(description="the vertical axis")] = "linear"
    ceilings: Annotated[bool, Field(description="whether ceilings are drawn")] = False
    legend: Annotated[
        Literal["upper left", "upper right", "lower left", "lower right"],
        Field(description="where the legend stands"),
    ] = "upper left"
    lines: Annotated[
        list[LineBlock],
        Field(min_length=1, max_length=20, description="what is drawn"),
    ]


class Options(OptionsBlock):
    panels: Annotated[
        list[PanelBlock],
        Field(min_length=1, max_length=20, description="what each panel shows, from the left"),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        names = dict.fromkeys(line.series for panel in self.panels for line in panel.lines)
        return tuple(Wanted(name, COLUMNS) for name in names)

    def check(self, series: Parameters) -> None:
        for i, panel in enumerate(self.panels):
            for j, line in enumerate(panel.lines):
                at = ("panels", i, "lines", j, "class")
                require_class(series[line.series], line.class_, *at)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side; ceilings as limits."""
    panels = figure["drawing"]["panels"]
    fig = Figure(figsize=(width, (0.72 if len(panels) == 1 else 0.42) * width))
    axes = fig.subplots(1, len(panels), squeeze=False)[0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, series)
    return fig


def _draw_panel(ax: Axes, panel: Spec, series: Tables) -> None:
    drawn = []
    for i, line in enumerate(panel["lines"]):
        rows = series[line["series"]]
        rows = rows[rows["class"] == line["class"]]
        drawn.append(rows)
        style = curve_style(i) | {"lw": 1, "label": line["label"]}
        ax.plot(rows[panel["x"]], rows[panel["y"]], **style)
        if panel["ceilings"]:
            ax.plot(rows[panel["x"]], rows["ceiling"], color=f"C{i}", **LIMIT)
    if panel["ceilings"]:
        _name_limits(ax, panel["x"], drawn)
    ax.set_yscale(panel["scale"])
    if panel["scale"] == "linear":
        ax.set_ylim(0, None)
    ax.set_xlim(left=0)
    ax.set(title=panel["title"], xlabel=X_LABELS[panel["x"]], ylabel=Y_LABELS[panel["y"]])
    ax.legend(loc=panel["legend"])


def _name_limits(ax: Axes, x: str, drawn: list[pd.DataFrame]) -> None:
    """The label of the limits, at the left end of the highest limit."""
    highest = max(drawn, key=lambda rows: rows["ceiling"].iloc[0])
    note(ax, "limits", (highest[x].iloc[0], highest["ceiling"].iloc[0]), (0, 2))
