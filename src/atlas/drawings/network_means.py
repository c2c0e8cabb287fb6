"""Means of networks against the load or the number of permanent jobs.

Series: any number (network-means); every panel says which lines it shows, of which class.
"""

from __future__ import annotations

from typing import Annotated, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, curve_style, panel_row, rows_of
from atlas.drawings.marks import LIMIT, note
from atlas.fields.block import Block, require
from atlas.fields.required_series import OptionsBlock, Wanted, require_class
from atlas.fields.vocabulary import ClassName, Id, Scale, Text

X_LABELS = {
    "fraction_of_limit": r"load $\rho$ of the busiest classes",
    "permanent": "permanent jobs $L$",
}
# What the points of a line differ in, and what they have in common.
AXES = {
    "fraction_of_limit": ("fractions_of_limit", "permanent"),
    "permanent": ("permanent", "fractions_of_limit"),
}
Y_LABELS = {
    "throughput": "throughput (jobs/s)",
    "mean_jobs": r"mean number $\mathrm{E}[X]$ (jobs)",
    "mean_sojourn_time": "mean time per visit (s)",
}


COLUMNS = "fraction_of_limit permanent class throughput ceiling mean_jobs mean_sojourn_time"


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
    scale: Scale = "linear"
    ceilings: Annotated[bool, Field(description="whether ceilings are drawn")] = False
    legend: Annotated[
        Literal["upper left", "upper right", "lower left", "lower right"],
        Field(description="where the legend stands"),
    ] = "upper left"
    lines: Annotated[
        list[LineBlock], Field(min_length=1, max_length=20, description="what is drawn")
    ]


class Options(OptionsBlock):
    panels: Annotated[
        list[PanelBlock],
        Field(min_length=1, max_length=20, description="what each panel shows, from the left"),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        names = dict.fromkeys(line.series for panel in self.panels for line in panel.lines)
        return tuple(Wanted(name, COLUMNS, "fractions_of_limit permanent") for name in names)

    def check(self, series: Parameters) -> None:
        for i, panel in enumerate(self.panels):
            for j, line in enumerate(panel.lines):
                at, shown = ("panels", i, "lines", j), series[line.series]
                require_class(shown, line.class_, *at, "class")
                across, other = AXES[panel.x]
                found = f"{line.series} without {across}"
                require(bool(getattr(shown, across)), found, f"a series with {across}", *at)
                found = f"{line.series} with {len(getattr(shown, other))} values of {other}"
                require(len(getattr(shown, other)) <= 1, found, f"one value of {other}", *at)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels side by side; ceilings as limits."""
    panels = figure["drawing"]["panels"]
    fig, axes = panel_row(width, len(panels), 0.72 if len(panels) == 1 else 0.42)
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, series)
    return fig


def _draw_panel(ax: Axes, panel: Spec, series: Tables) -> None:
    x, ends = panel["x"], []
    for i, line in enumerate(panel["lines"]):
        rows = rows_of(series[line["series"]], "class", line["class"])
        ax.plot(rows[x], rows[panel["y"]], **curve_style(i), lw=1, label=line["label"])
        if panel["ceilings"]:
            ax.plot(rows[x], rows["ceiling"], color=f"C{i}", **LIMIT)
            ends.append((rows[x].iloc[0], rows["ceiling"].iloc[0]))
    if ends:
        # The limits are named at the left end of the highest.
        name = "limits" if len({*ends}) > 1 else "limit"
        note(ax, name, max(ends, key=lambda end: end[1]), (0, 2))
    ax.set_yscale(panel["scale"])
    if panel["scale"] == "linear":
        ax.set_ylim(0, None)
    ax.set_xlim(left=0)
    ax.set(title=panel["title"], xlabel=X_LABELS[x], ylabel=Y_LABELS[panel["y"]])
    ax.legend(loc=panel["legend"])
