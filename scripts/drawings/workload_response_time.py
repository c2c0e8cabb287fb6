"""Mean response time against the load under several policies, with the limit of FCFS.

Series: `policies` (workload-response-time).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from declared.vocabulary import Labels
from declared.wanted import OptionsBlock, Wanted
from drawings.marks import MARKERS, draw_guide, draw_limits, draw_points, flatten, legend_above


class Options(OptionsBlock):
    """How it is drawn."""

    labels: Labels = {}

    SERIES = (
        Wanted(
            "policies",
            ("load", "policy", "mean_response_time", "half_width", "limit"),
            parameters=("policies",),
        ),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Points with 95 % intervals on a logarithmic axis, and the limit of stability."""
    table, labels = series["policies"], figure["drawing"]["labels"]
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    limits = []
    for i, (policy, rows) in enumerate(table.groupby("policy", sort=False)):
        stable = rows[np.isfinite(rows["mean_response_time"])]
        limit = rows["limit"].dropna().min()
        style = {"color": f"C{i % 7}", "marker": MARKERS[i % len(MARKERS)]}
        found = tuple(stable[c] for c in ("load", "mean_response_time", "half_width"))
        draw_guide(ax, *found[:2], style["color"], flatten(limit))
        draw_points(ax, *found, label=labels.get(policy, policy), **style)
        if np.isfinite(limit):
            limits.append((limit, f"limit {limit:.3f}", style["color"]))
    ax.set_yscale("log")
    ax.set_xlim(0, 1)
    ax.set_xlabel(r"load $\lambda/\lambda^\mathrm{naive}$")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    draw_limits(ax, limits)
    legend_above(fig, 2)
    return fig
