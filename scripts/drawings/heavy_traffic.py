"""E[N](1 − ρ) against 1 − ρ, and its limit E[Δ(Y_d)] + 1.

Series: any number (heavy-traffic), which `settings` may name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from declared.vocabulary import Labels
from declared.wanted import OptionsBlock, Wanted, require_labels

MARKERS = "o^svDPX"


class Options(OptionsBlock):
    """How it is drawn."""

    settings: Annotated[Labels, Field(description="what each series is called in the legend")] = {}

    SERIES = (Wanted("*", ("gap", "scaled_jobs", "limit")),)

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.settings, series, "settings")


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One curve a setting, its limit dashed; heavy traffic lies to the left."""
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    for i, (name, curve) in enumerate(series.items()):
        ax.loglog(
            curve["gap"],
            curve["scaled_jobs"],
            color=f"C{i}",
            marker=MARKERS[i % len(MARKERS)],
            markevery=max(1, len(curve) // 8),
            label=figure["drawing"]["settings"].get(name, name),
        )
        ax.axhline(curve["limit"].iloc[0], color=f"C{i}", linestyle="--", lw=0.9)
    ax.plot([], [], "k--", lw=0.9, label=r"$\mathrm{E}[\Delta(Y_d)] + 1$")
    ax.margins(x=0.02)
    ax.set_xlabel(r"distance from saturation $1 - \rho = 1 - \lambda/\lambda^*$")
    ax.set_ylabel(r"$\mathrm{E}[N]\,(1 - \rho)$ (jobs)")
    fig.legend(loc="outside upper left", ncols=3, columnspacing=1)
    return fig
