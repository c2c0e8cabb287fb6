"""E[N](1 − ρ) against 1 − ρ, and its limit E[Δ(Y_d)] + 1.

Series: any number (heavy-traffic), which `settings` may name.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, curve_style, single_axes
from atlas.drawings.digits import number
from atlas.drawings.marks import Limit, draw_levels, legend_above, place_of, rounded
from atlas.drawings.ticks import label_1_2_5
from atlas.fields.required_series import SettingsBlock, Wanted

STYLE_KEY = "name"


class Options(SettingsBlock):
    SERIES = (Wanted("*", "gap scaled_jobs limit"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One curve per setting, and its limit; heavy traffic is on the left."""
    fig, ax = single_axes(width, 0.72)
    limits: list[Limit] = []
    for i, (name, curve) in enumerate(series.items()):
        place = place_of(figure, name, i)
        label = figure["drawing"]["settings"].get(name, name)
        ax.loglog(curve["gap"], curve["scaled_jobs"], label=label, **curve_style(place))
        limit = curve["limit"].iloc[0]
        text = f"{limit:.2f}" if limit >= 0.1 else rounded(limit, 2)
        limits.append((limit, f"limit {number(limit, text)}", f"C{place % 7}"))
    ax.margins(x=0.02)
    label_1_2_5(ax.yaxis)
    ax.set_xlabel(r"distance from saturation $1 - \rho = 1 - \lambda/\lambda^*$")
    ax.set_ylabel(r"$\mathrm{E}[N]\,(1 - \rho)$ (jobs)")
    draw_levels(ax, limits)
    legend_above(fig, 3)
    return fig
