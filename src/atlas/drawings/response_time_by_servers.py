"""Mean response time at one load against the number of servers, one curve per family of systems.

Series: any number (response-time-by-servers), which `settings` may name; the heavy-traffic formula
is dashed.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import DASHES, Spec, Tables, single_axes
from atlas.drawings.marks import legend_above
from atlas.fields.required_series import SettingsBlock, Wanted


class Options(SettingsBlock):
    SERIES = (Wanted("*", "servers mean_response_time formula"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Solid: exact, with dots at the solved systems. Dashed: the formula."""
    fig, ax = single_axes(width, 0.8)
    for i, (name, rows) in enumerate(series.items()):
        color = f"C{i % 7}"
        label = figure["drawing"]["settings"].get(name, name)
        ax.plot(rows["servers"], rows["mean_response_time"], color=color, label=label)
        dashed = {"linestyle": DASHES[1], "lw": 0.9, "label": f"{label}, formula"}
        ax.plot(rows["servers"], rows["formula"], color=color, **dashed)
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set(xlabel="servers $n$", ylabel=r"mean response time $\mathrm{E}[T]$ (s)")
    legend_above(fig, 1)
    return fig
