"""Share of the jobs and of their demand, or mean duration, of each class against its need.

Series: any number (workload-system), one panel each, which `settings` may name.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from pydantic import Field

from atlas.drawings import MARKERS, Spec, Tables
from atlas.drawings.digits import power_law
from atlas.drawings.marks import ROW, SIZE, legend_above
from atlas.fields.block import DIFFERENT, require, requirement
from atlas.fields.required_series import SettingsBlock, Wanted

# A column's name on the axis and in the legend, and its factor.
COLUMNS = {
    "share_of_jobs": ("share (%)", "of the jobs", 100),
    "share_of_demand": ("share (%)", "of the server-seconds", 100),
    "mean_duration": ("mean duration (s)", "mean of a class", 1),
}

# The area, in square points, by which the mark of the commonest class exceeds the smallest.
LARGEST = 80


class Options(SettingsBlock):
    columns: Annotated[
        list[Literal["share_of_jobs", "share_of_demand", "mean_duration"]],
        Field(min_length=1, max_length=2, description="what is drawn of each class"),
        DIFFERENT,
    ]
    law: Annotated[bool, Field(description="the best power law of need and mean duration")] = False

    @requirement
    def _have_one_axis(self) -> None:
        names = dict.fromkeys(COLUMNS[column][0] for column in self.columns)
        expected = "share_of_jobs and share_of_demand, or one of them, or mean_duration alone"
        require(len(names) == 1, f"columns on axes of {' and '.join(names)}", expected, "columns")

    SERIES = (
        Wanted(
            "*",
            "need share_of_jobs share_of_demand mean_duration correlation exponent scale",
            most=4,
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Marks, both axes logarithmic and the same in all panels."""
    drawing = figure["drawing"]
    law_height = 2 * ROW / 72 if drawing["law"] else 0
    fig = Figure(figsize=(width, 0.66 * width + law_height))
    panels = fig.subplots(1, len(series), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (name, classes) in zip(panels, series.items(), strict=True):
        for i, column in enumerate(drawing["columns"]):
            _, label, factor = COLUMNS[column]
            # Mean durations do not show shares: larger marks have more jobs.
            weight = classes["share_of_jobs"] if column == "mean_duration" else 0 * classes["need"]
            ax.scatter(
                classes["need"],
                factor * classes[column],
                s=9 + LARGEST * weight / max(weight.max(), 1e-300),
                marker=MARKERS[i],
                facecolor="none" if i else "C0",
                edgecolor=f"C{i}",
                alpha=0.7 if weight.any() else 1,
            )
            style = {"marker": MARKERS[i], "markersize": 3, "linestyle": "none"}
            style |= {"markerfacecolor": "none"} if i else {}
            ax.plot([], [], color=f"C{i}", label=label, **style)
        ax.set(xscale="log", yscale="log")
        ax.xaxis.set_major_locator(LogLocator(numticks=5))
        ax.set(xlabel="need (servers)", title=drawing["settings"].get(name, name))
        if drawing["law"] and np.isfinite(classes["exponent"].iloc[0]):
            _draw_law(ax, classes)
    panels[0].set_ylabel(COLUMNS[drawing["columns"][0]][0])
    legend_above(fig, 2)
    return fig


def _draw_law(ax: Axes, classes: pd.DataFrame) -> None:
    """The power law as a line, with its exponent under the title."""
    law, ends = classes.iloc[0], np.array([classes["need"].min(), classes["need"].max()])
    ax.plot(ends, law.scale * ends**law.exponent, color="C1", lw=1, label="best power law")
    label = "\n".join(power_law(law))
    ax.text(0.5, 1.01, label, transform=ax.transAxes, ha="center", va="bottom", fontsize=SIZE)
    ax.set_title(ax.get_title(), pad=5 + 2 * ROW)
