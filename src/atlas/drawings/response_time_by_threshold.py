"""Mean response time against the threshold of Quickswap, the best threshold, and its gain.

Series: `thresholds` (response-time-by-threshold), and any number of policies with exact curves
(policy-response-time), to compare with the best threshold.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from atlas.drawings import (
    Parameters,
    Spec,
    Tables,
    curve_style,
    end_at,
    panel_row,
    point_style,
    rows_of,
)
from atlas.drawings.marks import LOADS, legend_above, note, policy_label
from atlas.drawings.ticks import label_1_2_5
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted, require_labels
from atlas.fields.vocabulary import Labels, Loads, Positive

READINGS = {"always": "always", "if-large-waits": "if a large job waits"}


class Options(OptionsBlock):
    loads: Annotated[Loads, Field(description="the loads of the curves against the threshold")]
    labels: Labels = {}
    ceiling: Annotated[Positive, Field(description="the largest mean response time shown")] = 100.0

    SERIES = (
        Wanted("thresholds", "load last_phase threshold mean_response_time best", "loads"),
        Wanted("*", "load class mean_response_time", required=False),
    )

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        known = series["thresholds"].loads
        for i, load in enumerate(self.loads):
            require(load in known, f"{load}", f"one of the loads {known}", "loads", i)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """E[T] against ℓ, with the least values marked; the best ℓ and its E[T] against the load."""
    options = figure["drawing"]
    table = series["thresholds"]
    fig, (by_threshold, best, by_load) = panel_row(width, 3, 0.42)
    _draw_thresholds(by_threshold, table[table["load"].isin(options["loads"])])
    for k, (reading, name) in enumerate(READINGS.items()):
        rows = table[(table["last_phase"] == reading) & table["best"]]
        style = curve_style(k)
        best.plot(rows["load"], rows["threshold"], drawstyle="steps-mid", **style)
        by_load.plot(rows["load"], rows["mean_response_time"], **style, label=f"Quickswap, {name}")
    for k, (name, rows) in enumerate(series.items(), 1):
        if name != "thresholds":
            rows, style = rows_of(rows, "class", "all"), curve_style(k)
            style |= {"label": policy_label(figure, name)}
            by_load.plot(rows["load"], rows["mean_response_time"], **style)
    for ax in (by_threshold, by_load):
        ax.set_yscale("log")
        label_1_2_5(ax.yaxis)
        ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    end_at(by_load, options["ceiling"])
    by_threshold.set_xlabel(r"threshold $\ell$")
    best.set_ylabel(r"best threshold $\ell$")
    for ax in (best, by_load):
        ax.set(xlim=(0, 1), xlabel=LOADS["load"])
    best.yaxis.set_major_locator(MaxNLocator(integer=True))
    best.set_ylim(0, max(1, best.get_ylim()[1]))
    legend_above(fig, 3)
    return fig


def _draw_thresholds(ax: Axes, table: pd.DataFrame) -> None:
    """One curve per reading and load, the load at its end, and a mark at its least value."""
    for k, reading in enumerate(READINGS):
        for load, rows in table[table["last_phase"] == reading].groupby("load"):
            ax.plot(rows["threshold"], rows["mean_response_time"], **curve_style(k))
            least, mark = rows[rows["best"]], {"markersize": 3, "linestyle": "none"}
            ax.plot(least["threshold"], least["mean_response_time"], **point_style(k), **mark)
            if k == 0:
                end = rows.iloc[-1]
                place = (end["threshold"], end["mean_response_time"])
                note(ax, f"{load:g}", place, (3, 0), va="center")
    ax.margins(x=0.12)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
