"""Mean response time against the arrival rate, with the limits of stability.

Series: `blue` and `red` (stability-limit).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

COLOURS = {"blue": "C0", "red": "C1"}


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """The limits λ* as dotted lines and the naive one in black."""
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    naive = max(limit["naive_throughput"].iloc[0] for limit in series.values())
    for name, limit in series.items():
        throughput = limit["throughput"].iloc[0]
        label = rf"$\lambda^*_\mathrm{{{name}}}$ = {throughput:.4f}"
        style = {"blue": ":", "red": (0, (1, 3))}[name]
        ax.axvline(throughput, color=COLOURS[name], linestyle=style, lw=1.6, label=label)
    label = rf"$\lambda^\mathrm{{naive}}$ = {naive:g}"
    ax.axvline(naive, color="black", lw=1.2, label=label)
    ax.set_xlim(0, 1.05 * naive)
    ax.set_xlabel(r"arrival rate $\lambda$ (jobs/s)")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    ax.legend(loc="upper left")
    return fig
