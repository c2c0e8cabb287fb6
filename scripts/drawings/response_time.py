"""Mean response time against the arrival rate, with the limits of stability.

Series: any number (response-time), each with its simulated points (simulated-response-time) under
the same name and `-simulated`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from declared.vocabulary import Positive
from declared.wanted import OptionsBlock, Wanted, simulated

SIMULATED = "-simulated"
MARKERS = "^vsoDPX"
DASHES = [":", (0, (1, 3)), (0, (3, 2, 1, 2)), (0, (5, 2))]


class Options(OptionsBlock):
    """How it is drawn."""

    ceiling: Annotated[Positive, Field(description="where the vertical axis ends")]

    SERIES = (
        simulated("arrival_rate", "mean_response_time", "mean_response_time_half_width"),
        Wanted("*", ("arrival_rate", "mean_response_time", "fraction_of_limit", "load")),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Exact curves, simulated points with intervals, λ* dotted and the naive limit in black."""
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    curves = {name: curve for name, curve in series.items() if not name.endswith(SIMULATED)}
    naive = 0.0
    for i, (name, curve) in enumerate(curves.items()):
        ax.plot(curve["arrival_rate"], curve["mean_response_time"], color=f"C{i}", label=name)
        points = series.get(name + SIMULATED)
        if points is not None:
            ax.errorbar(
                points["arrival_rate"],
                points["mean_response_time"],
                points["mean_response_time_half_width"],
                color=f"C{i}",
                linestyle="none",
                marker=MARKERS[i % len(MARKERS)],
                capsize=1.5,
                label=f"{name}, simulated",
            )
        last = curve.iloc[-1]
        limit = last["arrival_rate"] / last["fraction_of_limit"]
        naive = max(naive, last["arrival_rate"] / last["load"])
        label = rf"$\lambda^*_\mathrm{{{name}}}$ = {limit:.4f}"
        dash = DASHES[i % len(DASHES)]
        ax.axvline(limit, color=f"C{i}", linestyle=dash, lw=1.6, label=label)
    label = rf"$\lambda^\mathrm{{naive}}$ = {naive:g}"
    ax.axvline(naive, color="black", lw=1.2, label=label)
    ax.set_xlim(0, 1.05 * naive)
    ax.set_ylim(0, figure["drawing"]["ceiling"])
    ax.set_xlabel(r"arrival rate $\lambda$ (jobs/s)")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    ax.legend(loc="upper left")
    return fig
