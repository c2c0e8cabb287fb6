"""What FCFS leaves of the servers at its limit of stability, of several workloads side by side.

Series: any number (workload-wastage), a panel each, which `settings` may name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from declared.vocabulary import Labels
from declared.wanted import OptionsBlock, Wanted, require_labels
from drawings.marks import DASHES, MARKERS, draw_points, legend_above


class Options(OptionsBlock):
    """How it is drawn."""

    labels: Labels = {}
    settings: Annotated[Labels, Field(description="what each series is called")] = {}

    SERIES = (
        Wanted(
            "*",
            ("servers", "method", "utilisation", "utilisation_half_width"),
            parameters=("methods",),
            most=4,
        ),
    )

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.settings, series, "settings")


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Curves for what is solved, points with intervals for what is simulated."""
    drawing = figure["drawing"]
    fig = Figure(figsize=(width, 0.4 * width))
    panels = fig.subplots(1, len(series), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (name, table) in zip(panels, series.items(), strict=True):
        for i, (method, rows) in enumerate(table.groupby("method", sort=False)):
            label = drawing["labels"].get(method, method)
            style = {"color": f"C{i % 7}", "marker": MARKERS[i % len(MARKERS)], "label": label}
            share = 100 * rows["utilisation"]
            half_width = 100 * rows["utilisation_half_width"]
            if np.isfinite(half_width).any():
                draw_points(ax, rows["servers"], share, half_width, **style)
            else:
                dashes = {"linestyle": DASHES[i % len(DASHES)], "lw": 1, "markersize": 3}
                ax.plot(rows["servers"], share, **style, **dashes)
        ax.set_xscale("log")
        ax.set_ylim(0, 105)
        ax.set_xlabel("servers $n$")
        ax.set_title(drawing["settings"].get(name, name))
    panels[0].set_ylabel(r"utilisation at the limit, $\lambda^* \mathrm{E}[S]/n$ (%)")
    legend_above(fig, 4)
    return fig
