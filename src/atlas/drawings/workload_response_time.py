"""Mean response time against the load under several policies, with the limit of FCFS.

Series: any number (workload-response-time), which `settings` may name.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, columns, point_style, single_axes
from atlas.drawings.marks import draw_guide, draw_limits, draw_points, flatten, legend_above
from atlas.fields.required_series import SettingsBlock, Wanted
from atlas.fields.vocabulary import Labels


class Options(SettingsBlock):
    labels: Labels = {}

    SERIES = (
        Wanted("*", "load policy mean_response_time half_width limit", parameters="policies"),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Points with 95 % intervals on a logarithmic axis, and the limit of stability."""
    drawing = figure["drawing"]
    fig, ax = single_axes(width, 0.72)
    limits = []
    drawn = [
        (name, policy, rows)
        for name, table in series.items()
        for policy, rows in table.groupby("policy", sort=False)
    ]
    for i, (name, policy, rows) in enumerate(drawn):
        stable = rows[np.isfinite(rows["mean_response_time"])]
        limit = rows["limit"].dropna().min()
        style = point_style(i)
        marks = columns(stable, "load", "mean_response_time", "half_width")
        label, named = drawing["labels"].get(policy, policy), "limit"
        if len(series) > 1:
            named = drawing["settings"].get(name, name)
            label = f"{named}, {label}"
        draw_guide(ax, *marks[:2], style["color"], flatten(limit))
        draw_points(ax, *marks, label=label, **style)
        if np.isfinite(limit):
            limits.append((limit, f"{named}: {limit:.2f}", style["color"]))
    ax.set(yscale="log", xlim=(0, 1), xlabel=r"load $\lambda/\lambda^\mathrm{naive}$")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    draw_limits(ax, limits)
    legend_above(fig, 2)
    return fig
