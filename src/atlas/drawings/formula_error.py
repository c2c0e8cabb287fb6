"""The error of the heavy-traffic formula, with its constant and without, against 1 − ρ.

Series: any number (heavy-traffic-by-law), which `settings` may name.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.marks import legend_above, place_of
from atlas.fields.required_series import SettingsBlock, Wanted

# Rounding of exact values and of the constant is of this order; errors below it have no meaning.
LEAST = 1e-4

STYLE_KEY = "name"


class Options(SettingsBlock):
    SERIES = (Wanted("*", "gap scaled_jobs limit with_constant"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Solid: the formula; dashed: with its constant, added to show how much it improves."""
    fig, ax = single_axes(width, 0.85)
    for i, (name, curve) in enumerate(series.items()):
        label = figure["drawing"]["settings"].get(name, name)
        style = {"color": f"C{place_of(figure, name, i) % 7}"}
        columns = ("limit", "-", ""), ("with_constant", "--", " + constant")
        for column, dash, ending in columns:
            error = 100 * (curve[column] / curve["scaled_jobs"] - 1).abs()
            if (error < LEAST).all():
                ending += f": below {LEAST:g} %"
            ax.loglog(curve["gap"], error, linestyle=dash, label=label + ending, **style)
    ax.set_ylim(LEAST, max(ax.get_ylim()[1], 10 * LEAST))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(r"distance from saturation $1 - \rho = 1 - \lambda/\lambda^*$")
    ax.set_ylabel(r"error of the formula for $\mathrm{E}[N]$ (%)")
    legend_above(fig, 2)
    return fig
