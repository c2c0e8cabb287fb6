"""How far mean service rates are from balanced fairness against the interruptions per job.

Series: any number (simulated-sharing, of one load), which `labels` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter
from pydantic import Field

from declared.vocabulary import ClassName, Id, Text
from declared.wanted import OptionsBlock, Wanted, require_class

MARKERS = "o^svDPX"


class Options(OptionsBlock):
    """How it is drawn."""

    class_: ClassName = Field("class-1", alias="class")
    labels: Annotated[
        dict[Id, Text], Field(min_length=1, description="the series and their labels")
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        columns = ("quantity", "interruptions", "gap", "gap_half_width")
        return tuple(Wanted(name, columns) for name in self.labels)

    def check(self, series: Mapping[str, Any]) -> None:
        for parameters in series.values():
            require_class(parameters, self.class_, "class")


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One line through the points of each series, with intervals, over a logarithmic m."""
    drawing = figure["drawing"]
    fig = Figure(figsize=(width, 0.85 * width))
    ax = fig.subplots()
    ax.axhline(0, color="black", lw=0.8)
    for i, (name, label) in enumerate(drawing["labels"].items()):
        points = series[name][series[name]["quantity"] == drawing["class"]]
        ax.errorbar(
            points["interruptions"],
            points["gap"],
            points["gap_half_width"],
            color=f"C{i}",
            marker=MARKERS[i % len(MARKERS)],
            markersize=3,
            lw=0.8,
            elinewidth=0.8,
            capsize=1.2,
            label=label,
        )
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda m, _: f"{m:g}"))
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set_xlabel(r"interruptions per job $m$")
    ax.set_ylabel(r"gap $\gamma/\gamma_\mathrm{balanced} - 1$")
    fig.legend(loc="outside upper left", ncols=2, columnspacing=1.5)
    return fig
