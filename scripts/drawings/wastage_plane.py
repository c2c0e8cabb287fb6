"""Heat maps of wasted servers over the plane of p2/p1 and μ2/μ1, one for each series.

Series: any number (wastage-plane), each titled by its needs and servers, n1-n2-n.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from declared.wanted import OptionsBlock, Wanted

COLUMNS = 3


class Options(OptionsBlock):
    """How it is drawn."""

    SERIES = (
        Wanted("*", ("odds", "rate_ratio", "wastage_per_need2"), parameters=("needs", "servers")),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Panels on shared axes, coloured by wasted servers as a share of n2."""
    rows = -(-len(series) // COLUMNS)
    fig = Figure(figsize=(width, width / COLUMNS * 0.86 * rows + 0.3))
    axes = fig.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    for ax, (name, plane) in zip(axes.flat, series.items(), strict=False):
        parameters = figure["series"][name]["parameters"]
        table = plane.pivot(index="odds", columns="rate_ratio", values="wastage_per_need2")
        grid = table.columns, table.index, table.to_numpy()
        # As vectors, ten thousand cells a panel would make a file of megabytes.
        mesh = ax.pcolormesh(*grid, vmin=0, vmax=1, shading="nearest", rasterized=True)
        lines = ax.contour(*grid, levels=np.arange(0.2, 1, 0.2), colors="white", linewidths=0.5)
        ax.clabel(lines, fontsize=5, fmt="%.1f")
        ax.set(xscale="log", yscale="log")
        needs = "-".join(map(str, parameters["needs"]))
        ax.set_title(f"$n_1$-$n_2$-$n$ = {needs}-{parameters['servers']}")
    for ax in axes.flat[len(series) :]:
        ax.remove()
    for ax in axes[-1]:
        ax.set_xlabel(r"$\mu_2/\mu_1$")
    for ax in axes[:, 0]:
        ax.set_ylabel(r"$p_2/p_1$")
    fig.colorbar(mesh, ax=axes, label=r"wasted servers / $n_2$", shrink=0.8)
    return fig
