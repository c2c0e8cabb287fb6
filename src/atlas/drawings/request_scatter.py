"""Needs against durations on logarithmic axes, with the best power law.

Series: `trace` (trace-summary). The aggregated table is drawn: one mark for the jobs of a need (or
of close needs, if there are many) and an interval of durations. Its colour shows their number.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.digits import power_law
from atlas.drawings.marks import legend_above
from atlas.fields.required_series import OptionsBlock, Wanted
from atlas.fields.vocabulary import Text

# The number of needs per decade beyond which neighbours share a mark.
COLUMNS = 24


class Options(OptionsBlock):
    label: Annotated[Text, Field(description="what the horizontal axis says")]
    normalised: Annotated[bool, Field(description="needs in units of the smallest")] = False

    SERIES = (Wanted("trace", "need bin jobs log_duration correlation exponent scale"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Marks, line and the correlation in the legend."""
    drawing, cells = figure["drawing"], series["trace"]
    smallest = cells["need"].min() if drawing["normalised"] else 1.0
    law = cells.iloc[0]
    column = np.round(COLUMNS * np.log10(cells["need"] / smallest))
    marks = cells.assign(column=column).groupby(["column", "bin"], as_index=False)
    marks = marks[["jobs", "log_duration"]].sum().sort_values("jobs", kind="stable")
    needs = 10.0 ** (marks["column"] / COLUMNS)
    durations = np.exp(marks["log_duration"] / marks["jobs"])
    fig, ax = single_axes(width, 0.72)
    points = ax.scatter(
        needs,
        durations,
        c=marks["jobs"],
        norm=LogNorm(1, max(marks["jobs"].max(), 2)),
        s=7,
        marker="s",
        linewidths=0,
        rasterized=True,
    )
    if np.isfinite(law.exponent):  # not if all needs or all durations are equal
        ends = np.array([needs.min(), needs.max()])
        label = f"{', '.join(power_law(law))} (log-log)"
        ax.plot(ends, law.scale * (ends * smallest) ** law.exponent, color="C1", label=label)
    ax.set(xscale="log", yscale="log", xlabel=drawing["label"], ylabel="duration (s)")
    fig.colorbar(points, ax=ax, label="jobs")
    legend_above(fig, 1)
    return fig
