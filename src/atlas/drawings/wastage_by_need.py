"""Utilisation at the worst mix against class 2's need.

Series: `worst` (wastage-by-need).
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.marks import HIGHLIGHT, legend_above, note, percent
from atlas.fields.required_series import OptionsBlock, Wanted


class Options(OptionsBlock):
    SERIES = (Wanted("worst", ("need2", "p2", "utilisation", "utilisation_class_2_only")),)


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
        f"\n$p_2$ {_chance(lowest['p2'])}"
    )
    note(ax, text, (lowest["need2"], height), (-8, -2), ha="right", va="baseline")
    ax.set(ylim=(0, 102), xlim=(0, worst["need2"].max() * 1.03))
    ax.set_xlabel(r"server need of class 2, $n_2$ (servers)")
    ax.set_ylabel(r"utilisation $1 - \mathrm{E}[N_\mathrm{idle}]/n$ (%)")
    legend_above(fig, 1)
    return fig


def _chance(p: float) -> str:
    """A probability, which is neither 0 nor 1, to two decimals."""
    if p < 5e-5:
        return f"< {percent(5e-5, 3)}"
    return f"> {percent(0.99995, 3)}" if p > 0.99995 else f"= {percent(p, 2)}"
