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
from drawings.marks import DASHES, MARKERS, Limit, draw_levels, draw_points, legend_above


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
    fig = Figure(figsize=(width, 0.8 * width))
    ax = fig.subplots()
    curves = {name: rows for name, rows in series.items() if not name.endswith(SIMULATED)}
    limits: list[Limit] = []
    for i, (name, curve) in enumerate(curves.items()):
        color = f"C{i % 7}"
        look = {"color": color, "linestyle": DASHES[i % len(DASHES)]}
        look |= {"marker": MARKERS[i % len(MARKERS)], "markersize": 3}
        label = figure["drawing"]["settings"].get(name, name)
        ax.semilogx(curve["scv"], 100 * curve["utilisation"], label=label, **look)
        for other, rows in series.items():
            if not (other.endswith(SIMULATED) and other.startswith(f"{name}-")):
                continue
            scv, height, error = rows[["scv", "utilisation", "half_width"]].iloc[0]
            if scv == 0:
                limits.append((100 * height, "deterministic", color))
            else:
                style = {"color": color, "marker": "X", "label": "Pareto"}
                draw_points(ax, [scv], [100 * height], [100 * error], **style)
    ax.set_xlabel("squared coefficient of variation of durations $c^2$")
    ax.set_ylabel(r"utilisation at the limit $\lambda^*\,\mathrm{E}[S]/n$ (%)")
    draw_levels(ax, limits)
    legend_above(fig, 3)
    return fig
