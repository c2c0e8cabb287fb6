"""The fraction of capacity that FCFS can use against the exponent α, one curve a setting.

Series: any number (scaling-by-exponent), in the order of `settings`, which names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

MARKERS = "o^svDPX"


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Curves with their lowest points marked."""
    fig = Figure(figsize=(width, 0.8 * width))
    ax = fig.subplots()
    for i, (name, curve) in enumerate(series.items()):
        lowest = curve.loc[curve["utilisation"].idxmin()]
        ax.plot(curve["exponent"], curve["utilisation"], color=f"C{i}")
        setting = figure["drawing"]["settings"][name]
        label = rf"{setting}: {lowest['utilisation']:.1%} at {lowest['exponent']:.2f}"
        ax.plot(
            lowest["exponent"],
            lowest["utilisation"],
            color=f"C{i}",
            marker=MARKERS[i % len(MARKERS)],
            label=label,
        )
    ax.set_ylim(0, 1.02)
    ax.margins(x=0.02)
    ax.set_xlabel(r"exponent $\alpha$")
    ax.set_ylabel(r"usable fraction $\lambda^* \mathrm{E}[S]/n$")
    fig.legend(loc="outside upper left", ncols=2, columnspacing=1)
    return fig
