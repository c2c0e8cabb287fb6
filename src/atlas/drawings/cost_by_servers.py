"""The cost of an exact point against the number of servers, by method, up to its limit.

Series: any number (cost-by-servers), one panel each, which `settings` may name.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, curve_style, panel_row
from atlas.drawings.marks import draw_level, legend_above
from atlas.fields.required_series import SettingsBlock, Wanted
from atlas.fields.vocabulary import Labels


class Options(SettingsBlock):
    labels: Labels = {}

    SERIES = (Wanted("*", "servers method numbers most within", most=4),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Curves as far as the method is feasible, ending at the most numbers it can hold."""
    drawing = figure["drawing"]
    fig, panels = panel_row(width, len(series), 0.42, sharex=True, sharey=True)
    # A method has one style in all panels, even if it is missing in some.
    methods = list(dict.fromkeys(pd.concat(series.values())["method"]))
    for ax, (name, table) in zip(panels, series.items(), strict=True):
        for method, rows in table.groupby("method", sort=False):
            i = methods.index(method)
            within, label = rows[rows["within"]], drawing["labels"].get(method, method)
            ax.loglog(within["servers"], within["numbers"], label=label, **curve_style(i))
            if not rows["within"].all():
                draw_level(ax, rows["most"].iloc[0], f"limit, {label}", f"C{i}")
        ax.set(title=drawing["settings"].get(name, name), xlabel="servers $n$")
    panels[0].set_ylabel("numbers in matrices")
    legend_above(fig, 3)
    return fig
