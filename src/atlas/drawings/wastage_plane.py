"""Heat maps of wasted servers over the plane of p2/p1 and μ2/μ1, one for each series.

Series: any number (wastage-plane), each titled by its needs and servers, n1-n2-n.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables
from atlas.fields.required_series import OptionsBlock, Wanted

COLUMNS = 3
LEVELS = np.arange(1, 5) / 5


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "*",
            ("odds", "rate_ratio", "odds_per_rate", "wastage_per_need2"),
            parameters=("needs", "servers", "odds"),
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels on shared axes, coloured by wasted servers as a share of n2, with some level lines."""
    across = min(len(series), COLUMNS)
    rows = -(-len(series) // across)
    fig = Figure(figsize=(width, width / across * 0.86 * rows + 0.3))
    axes = fig.subplots(rows, across, sharex=True, sharey=True, squeeze=False)
    for ax, (name, plane) in zip(axes.flat, series.items(), strict=False):
        parameters = figure["series"][name]["parameters"]
        columns = ["rate_ratio", "odds", "wastage_per_need2"]
        lines = plane["odds_per_rate"].nunique()
        grid = [plane[column].to_numpy().reshape(lines, -1) for column in columns]
        ax.set(xscale="log", yscale="log")
        # As vectors, ten thousand cells per panel would make a file of megabytes.
        mesh = ax.pcolormesh(*grid, vmin=0, vmax=1, shading="gouraud", rasterized=True)
        contours = ax.contour(*grid, levels=LEVELS, colors="white", linewidths=0.6)
        ax.set_xlim(plane["rate_ratio"].min(), plane["rate_ratio"].max())
        ax.set_ylim(*parameters["odds"])
        needs = "-".join(map(str, parameters["needs"]))
        ax.set_title(f"$n_1$-$n_2$-$n$ = {needs}-{parameters['servers']}")
    for ax in axes.flat[len(series) :]:
        ax.remove()
    for ax in axes[-1]:
        ax.set_xlabel(r"$\mu_2/\mu_1$")
    for ax in axes[:, 0]:
        ax.set_ylabel(r"$p_2/p_1$")
    panels = list(axes.flat[: len(series)])
    bar = fig.colorbar(mesh, ax=panels, label=r"wasted servers over $n_2$", shrink=0.8)
    bar.add_lines(contours)
    bar.set_ticks([0, *LEVELS, 1])
    return fig
