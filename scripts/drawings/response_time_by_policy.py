"""Mean response time of several policies against the load, one panel a class and one for all jobs.

Series: policies, exact (policy-response-time), simulated under the same name and `-simulated`
(simulated-policy), or both. The points of a policy without an exact curve are joined by a thin
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from drawings.bounded_response_time import SIMULATED, draw_policy


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Panels on logarithmic axes of their own, one legend above them."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    columns = 2 if len(panels) % 2 == 0 else len(panels)
    rows = len(panels) // columns
    fig = Figure(figsize=(width, 0.42 * width * rows * 2 / columns))
    axes = fig.subplots(rows, columns, sharex=True, squeeze=False).ravel()
    names = list(dict.fromkeys(name.removesuffix(SIMULATED) for name in series))
    for ax, (kind, title) in zip(axes, panels.items(), strict=True):
        for i, name in enumerate(names):
            label = drawing["labels"].get(name, name) if ax is axes[0] else None
            draw_policy(ax, i, label, series.get(name), series.get(name + SIMULATED), kind)
        ax.set_yscale("log")
        ax.set_xlim(0, 1)
        ax.set_ylim(top=drawing["ceiling"])
        ax.set_title(title)
    for ax in axes[-columns:]:
        ax.set_xlabel(r"load $\rho = \lambda\mathrm{E}[S]$")
    for ax in axes[::columns]:
        ax.set_ylabel(r"mean response time $\mathrm{E}[T]$")
    fig.legend(loc="outside upper left", ncols=4)
    return fig
