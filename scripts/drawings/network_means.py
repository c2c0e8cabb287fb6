"""Means of networks against the load or the number of permanent jobs.

Series: any number (network-means); every panel says which lines it shows, of which class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MARKERS = "o^svDPX"
X_LABELS = {"load": r"load $\rho$ of the busiest classes", "permanent": "permanent jobs $L$"}
Y_LABELS = {
    "throughput": "throughput (jobs/time)",
    "mean_jobs": r"mean number of jobs $\mathrm{E}[X]$",
    "mean_sojourn_time": "mean time per visit (time)",
}


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Panels side by side; ceilings dashed."""
    panels = figure["drawing"]["panels"]
    fig = Figure(figsize=(width, (0.72 if len(panels) == 1 else 0.42) * width))
    axes = fig.subplots(1, len(panels), squeeze=False)[0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, series)
    return fig


def _draw_panel(ax: Axes, panel: Mapping[str, Any], series: Mapping[str, pd.DataFrame]) -> None:
    for i, line in enumerate(panel["lines"]):
        found = series[line["series"]]
        found = found[found["class"] == line["class"]]
        ax.plot(
            found[panel["x"]],
            found[panel["y"]],
            color=f"C{i}",
            marker=MARKERS[i % len(MARKERS)],
            markersize=3,
            markevery=max(1, len(found) // 8),
            lw=1,
            label=line["label"],
        )
        if panel["ceilings"]:
            ax.plot(found[panel["x"]], found["ceiling"], color=f"C{i}", linestyle="--", lw=0.8)
    ax.set_yscale(panel["scale"])
    if panel["scale"] == "linear":
        ax.set_ylim(0, None)
    ax.set_title(panel["title"])
    ax.set_xlabel(X_LABELS[panel["x"]])
    ax.set_ylabel(Y_LABELS[panel["y"]])
    ax.legend(loc=panel["legend"])
