"""Utilisation at FCFS's limit of stability against the number of servers, for several workloads.

Series: any number (workload-wastage), one panel each, which `settings` may name; each with its
simulated points under the same name and `-simulated`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, curve_style, pairs, panel_row, point_style
from atlas.drawings.marks import draw_points, legend_above
from atlas.drawings.ticks import log2_server_axis
from atlas.fields.required_series import SIMULATED, SettingsBlock, Wanted
from atlas.fields.vocabulary import Labels

DRAWN = "servers method utilisation utilisation_half_width"


class Options(SettingsBlock):
    labels: Labels = {}

    SERIES = (
        Wanted(f"*{SIMULATED}", DRAWN, parameters="methods", required=False, beside=True),
        Wanted("*", DRAWN, parameters="methods", most=4),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Curves for exact values, points with intervals for simulated ones."""
    drawing = figure["drawing"]
    shown = pairs(series)
    fig, panels = panel_row(width, len(shown), 0.4, sharex=True, sharey=True)
    for ax, (name, *parts) in zip(panels, shown, strict=True):
        table = pd.concat(parts)
        for i, (method, rows) in enumerate(table.groupby("method", sort=False)):
            label = drawing["labels"].get(method, method)
            share = 100 * rows["utilisation"]
            half_width = 100 * rows["utilisation_half_width"]
            if np.isfinite(half_width).any():
                draw_points(ax, rows["servers"], share, half_width, label=label, **point_style(i))
            else:
                ax.plot(rows["servers"], share, label=label, lw=1.1, **curve_style(i))
        log2_server_axis(ax, table["servers"])
        ax.set(ylim=(0, 105), xlabel="servers $n$", title=drawing["settings"].get(name, name))
    panels[0].set_ylabel(r"utilisation $\lambda^*\,\mathrm{E}[S]/n$ (%)")
    legend_above(fig, 4)
    return fig
