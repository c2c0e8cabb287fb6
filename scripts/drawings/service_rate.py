"""Mean service rates against the load: exact curves and simulated points.

Series: any number of curves (balanced-fairness) and of points (simulated-sharing); every panel says
which it shows, of which class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MARKERS = "o^svDPX"
DASHES = ["-", "--", "-.", ":", (0, (1, 1))]


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One panel below the other, or side by side; the legend is that of all panels together."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    stacked = drawing["arrangement"] == "stacked"
    shape = (len(panels), 1) if stacked else (1, len(panels))
    height = 0.64 * len(panels) + 0.2 if stacked else 0.75 / len(panels) + 0.06
    fig = Figure(figsize=(width, height * width))
    axes = fig.subplots(*shape, squeeze=False, sharex=True).ravel()
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, series)
        if ax.get_subplotspec().is_last_row():
            ax.set_xlabel(r"load $\rho$")
    for ax in axes if stacked else axes[:1]:
        ax.set_ylabel(r"mean service rate $\gamma$ (work/time)")
    entries = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    fig.legend(entries.values(), entries, loc="outside upper left", ncols=2, columnspacing=1.5)
    return fig


def _draw_panel(ax: Axes, panel: Mapping[str, Any], series: Mapping[str, pd.DataFrame]) -> None:
    for i, (name, label) in enumerate(panel["curves"].items()):
        curve = series[name][series[name]["class"] == panel["class"]]
        color = "black" if panel["points"] else f"C{i}"
        style = {"color": color, "linestyle": DASHES[i % len(DASHES)], "lw": 1}
        ax.plot(curve["load"], curve["mean_service_rate"], label=label, **style)
    for i, (name, label) in enumerate(panel["points"].items()):
        points = series[name][series[name]["quantity"] == panel["class"]]
        ax.errorbar(
            points["load"],
            points["mean_service_rate"],
            points["half_width"],
            color=f"C{i}",
            linestyle="none",
            marker=MARKERS[i % len(MARKERS)],
            markersize=3,
            elinewidth=0.8,
            capsize=1.2,
            label=label,
        )
    ax.set_title(panel["title"])
    ax.set_xlim(0, 1)
    ax.set_ylim(0, None)
