"""The fraction of capacity that FCFS can use against the exponent α, one curve per setting.

Series: any number (scaling-by-exponent), which `settings` may name.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, curve_style, single_axes
from atlas.drawings.marks import HIGHLIGHT, legend_above, percent, place_of
from atlas.fields.required_series import SettingsBlock, Wanted

STYLE_KEY = "name"


class Options(SettingsBlock):
    SERIES = (Wanted("*", "exponent utilisation"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Curves with their lowest points marked."""
    fig, ax = single_axes(width, 0.95)
    for i, (name, curve) in enumerate(series.items()):
        at, lowest = find_lowest(curve["exponent"], curve["utilisation"])
        style = curve_style(place_of(figure, name, i))
        setting = figure["drawing"]["settings"].get(name, name)
        label = f"{setting}: {percent(lowest, 1)} at {at:.2f}"
        ax.plot(curve["exponent"], 100 * curve["utilisation"], label=label, **style)
        ax.plot(at, 100 * lowest, **HIGHLIGHT)
    ax.set_ylim(0, 102)
    ax.margins(x=0.02)
    ax.set(xlabel=r"exponent $\alpha$", ylabel=r"usable fraction $\lambda^*\,\mathrm{E}[S]/n$ (%)")
    legend_above(fig, 1)
    return fig


def find_lowest(x: pd.Series, y: pd.Series) -> tuple[float, float]:
    """The place of a curve's minimum, to 1e-3, and its value, from the cubic spline through the
    points: these are dense where the curve bends, not at the minimum."""
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(x, y)
    fine = np.linspace(x.iloc[0], x.iloc[-1], 5001)
    at = float(fine[spline(fine).argmin()])
    return at, float(spline(at))
