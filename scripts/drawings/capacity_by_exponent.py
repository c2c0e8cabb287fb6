"""The fraction of capacity that FCFS can use against the exponent α, one curve a setting.

Series: any number (scaling-by-exponent), which `settings` may name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from declared.vocabulary import Labels
from declared.wanted import OptionsBlock, Wanted, require_labels
from drawings.marks import DASHES, MARKERS, legend_above, percent


class Options(OptionsBlock):
    """How it is drawn."""

    settings: Annotated[Labels, Field(description="what each series is called in the legend")] = {}

    SERIES = (Wanted("*", ("exponent", "utilisation")),)

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.settings, series, "settings")


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Curves with their lowest points marked."""
    fig = Figure(figsize=(width, 0.8 * width))
    ax = fig.subplots()
    for i, (name, curve) in enumerate(series.items()):
        lowest = curve.loc[curve["utilisation"].idxmin()]
        style = {"color": f"C{i % 7}", "linestyle": DASHES[i % len(DASHES)]}
        setting = figure["drawing"]["settings"].get(name, name)
        label = f"{setting}: {percent(lowest['utilisation'], 1)} at {lowest['exponent']:.2f}"
        ax.plot(
            curve["exponent"],
            100 * curve["utilisation"],
            marker=MARKERS[i % len(MARKERS)],
            markevery=[int(curve["utilisation"].to_numpy().argmin())],
            label=label,
            **style,
        )
    ax.set_ylim(0, 102)
    ax.margins(x=0.02)
    ax.set_xlabel(r"exponent $\alpha$")
    ax.set_ylabel(r"usable fraction $\lambda^*\,\mathrm{E}[S]/n$ (%)")
    legend_above(fig, 2)
    return fig
