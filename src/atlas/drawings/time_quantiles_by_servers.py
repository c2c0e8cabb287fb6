"""A quantile of waiting or response times against the number of servers, and how many are enough.

Series: any number (time-quantiles-by-servers), which `labels` may name, each with the `groups` of
jobs that are drawn. A ring marks the smallest number of servers that meets the target.
"""

from __future__ import annotations

from itertools import product
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from atlas.drawings import (
    Parameters,
    Spec,
    Tables,
    are_named,
    end_at,
    point_style,
    rows_of,
    single_axes,
)
from atlas.drawings.digits import number
from atlas.drawings.marks import draw_level, legend_above, point, time_name
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted, require_class, require_labels
from atlas.fields.vocabulary import Ceiling, InnerProbability, Labels, Panels, Positive, Time

# Relative tolerance of a quantile, as `multiserver.sizing` has it.
ROUNDING = 1e-12


class Options(OptionsBlock):
    time: Time = "waiting"
    probability: Annotated[InnerProbability, Field(description="of which quantile")]
    target: Annotated[Positive, Field(description="what the quantile must not exceed, in seconds")]
    groups: Annotated[
        Panels, Field(description="what the legend calls class-1, class-2, … or all")
    ] = {"all": "all jobs"}
    ceiling: Ceiling
    labels: Labels = {}

    SERIES = (Wanted("*", "servers class time probability quantile", parameters="probabilities"),)

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        found = f"{self.ceiling}, not above the target of {self.target}"
        require(self.ceiling > self.target, found, "a ceiling above the target", "ceiling")
        for parameters in series.values():
            known = parameters.probabilities
            found, expected = f"{self.probability}", f"one of {known}, of its series"
            require(self.probability in known, found, expected, "probability")
            for group in self.groups:
                require_class(parameters, group, "groups", group)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Joined points for each group of jobs and series; the target across them."""
    drawing = figure["drawing"]
    target, time, p = (drawing[key] for key in ("target", "time", "probability"))
    fig, ax = single_axes(width, 0.8)
    for i, (name, group) in enumerate(product(series, drawing["groups"])):
        rows = rows_of(rows_of(series[name], "class", group), "time", time)
        rows = rows_of(rows, "probability", p)
        labels = [drawing["labels"].get(name, name)] if len(series) > 1 else []
        labels += [drawing["groups"][group]] if are_named(drawing["groups"]) or not labels else []
        label = f"{', '.join(labels)}: {fewest_servers(rows, target)}"
        style = point_style(i)
        ax.plot(rows["servers"], rows["quantile"], ms=2.5, lw=0.8, label=label, **style)
        first = rows[meeting(rows, target)].iloc[:1]
        ring = {"mfc": "none", "mec": style["color"], "mew": 0.9, "linestyle": "none"}
        ax.plot(first["servers"], first["quantile"], marker="o", ms=8, **ring)
    end_at(ax, drawing["ceiling"])
    ax.set_ylim(bottom=0)
    draw_level(ax, target, f"target {number(target, f'{target:g}')} s", side="right")
    counts = pd.concat(series.values())["servers"]
    if counts.nunique() == 1:
        ax.set_xlim(counts.min() - 1.5, counts.min() + 1.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="servers $n$", ylabel=f"{point(p)} point of the {time_name(time)} (s)")
    legend_above(fig, 1)
    return fig


def fewest_servers(rows: pd.DataFrame, target: float) -> str:
    """The fewest servers that meet a target, and the number from which on all computed ones do."""
    meets = meeting(rows, target)
    if not meets.any():
        return "none is enough"
    smallest = rows.loc[meets, "servers"].min()
    later = rows.loc[meets[::-1].cummin()[::-1], "servers"]
    fewest = f"{smallest} servers"
    if later.empty:
        return f"{fewest}, but not the most"
    return fewest if later.min() == smallest else f"{fewest}, all from {later.min()} on"


def meeting(rows: pd.DataFrame, target: float) -> pd.Series:
    """Which quantiles are at most the target, but for rounding."""
    return rows["quantile"] * (1 - ROUNDING) <= target
