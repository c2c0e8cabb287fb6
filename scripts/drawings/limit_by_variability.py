"""Utilisation at the stability limit against the variability of durations.

Series: any number (limit-by-variability), which `settings` may name; beside each, points of laws
that have no phases under its name, a word, and `-simulated` (simulated-limit): those of c² = 0 are
dotted lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from declared.vocabulary import Labels
from declared.wanted import SIMULATED, OptionsBlock, Wanted, require_labels

MARKERS = "o^sv"


class Options(OptionsBlock):
    """How it is drawn."""

    settings: Annotated[Labels, Field(description="what each series is called in the legend")] = {}

    SERIES = (
        Wanted(f"*{SIMULATED}", ("scv", "utilisation", "half_width"), required=False),
        Wanted("*", ("scv", "utilisation")),
    )

    def check(self, series: Mapping[str, Any]) -> None:
        require_labels(self.settings, series, "settings")


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One curve a system; deterministic durations are the dotted line that it tends to."""
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    curves = {name: rows for name, rows in series.items() if not name.endswith(SIMULATED)}
    for i, (name, curve) in enumerate(curves.items()):
        label = figure["drawing"]["settings"].get(name, name)
        look = {"color": f"C{i}", "marker": MARKERS[i % len(MARKERS)]}
        ax.semilogx(curve["scv"], curve["utilisation"], label=label, markersize=3, **look)
        for other, rows in series.items():
            if not (other.endswith(SIMULATED) and other.startswith(f"{name}-")):
                continue
            point = rows.iloc[0]
            if point["scv"] == 0:
                ax.axhline(point["utilisation"], color=f"C{i}", linestyle=":", lw=1)
                continue
            ax.errorbar(
                point["scv"],
                point["utilisation"],
                yerr=point["half_width"],
                color=f"C{i}",
                marker="D",
                markerfacecolor="none",
                markersize=6,
                linestyle="none",
            )
    ax.plot([], [], "k:", lw=1, label="deterministic")
    if any(name.endswith(SIMULATED) and rows["scv"].iloc[0] for name, rows in series.items()):
        ax.plot([], [], "kD", markerfacecolor="none", linestyle="none", label="Pareto")
    ax.set_xlabel("squared coefficient of variation of durations, $c^2$")
    ax.set_ylabel(r"utilisation at the limit, $\lambda^* \mathrm{E}[S]/n$")
    fig.legend(loc="outside upper left", ncols=3, columnspacing=1)
    return fig
