"""Utilisation at the worst mix against class 2's need.

Series: `worst` (wastage-by-need).
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.digits import chance
from atlas.drawings.marks import HIGHLIGHT, legend_above, note, percent, point_out
from atlas.fields.required_series import OptionsBlock, Wanted

# The utilisation, in %, under which a text beside the lowest point would meet the axis.
LOW = 20


class Options(OptionsBlock):
    SERIES = (Wanted("worst", "need2 p2 utilisation utilisation_class_2_only"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Worst mix, class 2 alone, and the lowest point of the curve."""
    worst = series["worst"]
    fig, ax = single_axes(width, 0.72)
    alone = {"color": "C1", "linestyle": "--", "lw": 1, "label": "class 2 jobs only"}
    ax.plot(worst["need2"], 100 * worst["utilisation_class_2_only"], **alone)
    mixed = {"color": "C0", "label": "worst mix of classes 1 and 2"}
    ax.plot(worst["need2"], 100 * worst["utilisation"], **mixed)
    lowest = worst.loc[worst["utilisation"].idxmin()]
    height = 100 * lowest["utilisation"]
    ax.plot(lowest["need2"], height, **HIGHLIGHT)
    text = (
        f"{percent(lowest['utilisation'], 1)} at $n_2$ = {lowest['need2']:.0f},"
        f"\n$p_2$ {chance(lowest['p2'], 2)}"
    )
    at, end = (lowest["need2"], height), worst["need2"].max()
    if height < LOW:
        point_out(ax, text, at, (0.05 if lowest["need2"] > end / 2 else 0.5, 0.1))
    elif lowest["need2"] < 0.4 * end:
        note(ax, text, at, (8, -2), va="baseline")
    else:
        note(ax, text, at, (-8, -2), ha="right", va="baseline")
    ax.set(ylim=(0, 102), xlim=(0, worst["need2"].max() * 1.03))
    ax.set_xlabel(r"server need of class 2, $n_2$ (servers)")
    ax.set_ylabel(r"utilisation $1 - \mathrm{E}[N_\mathrm{idle}]/n$ (%)")
    legend_above(fig, 1)
    return fig
