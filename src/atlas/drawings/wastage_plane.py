"""Heat maps of wasted servers over the plane of p2/p1 and μ2/μ1, one for each series.

Series: any number (wastage-plane), each titled by its needs and servers, n1-n2-n.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, label_grid, panels_in_rows
from atlas.fields.required_series import OptionsBlock, Wanted

COLUMNS = 3
LEVELS = np.arange(1, 5) / 5


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "*",
            "odds rate_ratio odds_per_rate wastage_per_need2",
            parameters="needs servers odds rate_ratio",
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels on shared axes, if their ranges are equal, coloured by wasted servers as a share of
    n2, with some level lines."""
    across = min(len(series), COLUMNS)
    rows = -(-len(series) // across)
    fig = Figure(figsize=(width, width / across * 0.86 * rows + 0.3))
    ranges = [figure["series"][name]["parameters"] for name in series]
    # Planes over other ranges than the first have axes of their own: on shared ones they would be
    # cut to the range of the last.
    shared = all(one[axis] == ranges[0][axis] for one in ranges for axis in ("odds", "rate_ratio"))
    panels = panels_in_rows(fig, len(series), across, sharex=shared, sharey=shared)
    for ax, (name, plane) in zip(panels, series.items(), strict=True):
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
        name_plane(ax, [*parameters["needs"], parameters["servers"]])
    label_grid(panels, across, r"$\mu_2/\mu_1$", r"$p_2/p_1$")
    bar = fig.colorbar(mesh, ax=panels, label=r"wasted servers over $n_2$", shrink=0.8)
    bar.add_lines(contours)
    bar.set_ticks([0, *LEVELS, 1])
    return fig


def name_plane(ax: Axes, numbers: list[int]) -> None:
    """The title of a panel, in two lines where it is wider than the panel."""
    symbols, values = "$n_1$-$n_2$-$n$ =", "-".join(map(str, numbers))
    room = ax.get_position().width * ax.figure.get_figwidth() * 72
    between = " " if 4.7 * (9 + len(values)) < room else "\n"
    ax.set_title(f"{symbols}{between}{values}")
