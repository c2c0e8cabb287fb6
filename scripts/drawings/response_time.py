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
from drawings.marks import (
    DASHES,
    MARKERS,
    SIMULATED,
    draw_curve_and_points,
    draw_limits,
    legend_above,
)


class Options(OptionsBlock):
    """How it is drawn."""

    ceiling: Annotated[Positive, Field(description="where the vertical axis ends")]

    SERIES = (
        simulated("arrival_rate", "mean_response_time", "mean_response_time_half_width"),
        Wanted("*", ("arrival_rate", "mean_response_time", "fraction_of_limit", "load")),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Exact curves, simulated points with intervals, the limits λ* and the naive one."""
    fig = Figure(figsize=(width, 0.8 * width))
    ax = fig.subplots()
    curves = {name: curve for name, curve in series.items() if not name.endswith(SIMULATED)}
    naive, limits = 0.0, []
    for i, (name, curve) in enumerate(curves.items()):
        points = series.get(name + SIMULATED)
        found = None
        if points is not None:
            half_width = points["mean_response_time_half_width"]
            found = points["arrival_rate"], points["mean_response_time"], half_width
        line = curve["arrival_rate"], curve["mean_response_time"]
        style = {"color": f"C{i % 7}", "marker": MARKERS[i % len(MARKERS)]}
        dash = DASHES[i % len(DASHES)]
        draw_curve_and_points(ax, name, line, found, linestyle=dash, **style)
        last = curve.iloc[-1]
        limit = last["arrival_rate"] / last["fraction_of_limit"]
        naive = max(naive, last["arrival_rate"] / last["load"])
        limits.append((limit, rf"$\lambda^*$ = {limit:.4f}", style["color"]))
    limits.append((naive, rf"$\lambda^\mathrm{{naive}}$ = {naive:g}", "black"))
    ax.set_xlim(0, 1.05 * naive)
    ax.set_ylim(0, figure["drawing"]["ceiling"])
    ax.set_xlabel(r"arrival rate $\lambda$ (jobs/s)")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    draw_limits(ax, limits)
    legend_above(fig, 3)
    return fig
