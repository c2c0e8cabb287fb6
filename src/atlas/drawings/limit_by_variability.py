"""Utilisation at the stability limit against the variability of durations.

Series: any number (limit-by-variability), which `settings` may name. Points of other distributions
than phase-type ones have its name, followed by a word and `-simulated` (simulated-limit); those of
c² = 0 are dotted levels on the left.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from atlas.drawings import Parameters, Spec, Tables, curve_style, point_style, single_axes
from atlas.drawings.marks import LIMIT, draw_points, legend_above, name_level, percent
from atlas.fields.block import require
from atlas.fields.required_series import SIMULATED, SettingsBlock, Wanted


class Options(SettingsBlock):
    SERIES = (
        Wanted(f"*{SIMULATED}", "scv utilisation half_width", required=False),
        Wanted("*", "scv utilisation"),
    )

    def check(self, series: Parameters) -> None:
        super().check(series)
        for name in series:
            if name.endswith(SIMULATED):
                expected = "the name of a curve, a word and -simulated"
                curve, points = series.get(curve_of(name, series)), series[name]
                require(curve is not None, repr(name), expected)
                for key in ("servers", "needs", "probabilities"):
                    own, found = getattr(curve, key), f"{key} {getattr(points, key)} of '{name}'"
                    require(own == getattr(points, key), found, f"{own}, as of its curve")


def curve_of(points: str, names: Iterable[str]) -> str:
    """The curve to which simulated points belong: of those that begin their name, the longest."""
    curves = [name for name in names if not name.endswith(SIMULATED)]
    return max((name for name in curves if points.startswith(f"{name}-")), key=len, default="")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One curve per system, and the level that it tends to as c² → 0."""
    fig, ax = single_axes(width, 0.72)
    levels: list[tuple[float, float, str]] = []
    endless: list[tuple[float, str]] = []
    curves = {name: rows for name, rows in series.items() if not name.endswith(SIMULATED)}
    for i, (name, curve) in enumerate(curves.items()):
        color = f"C{i % 7}"
        own = [
            rows.iloc[0]
            for other, rows in series.items()
            if other.endswith(SIMULATED) and curve_of(other, series) == name
        ]
        points = pd.DataFrame(own, columns=["scv", "utilisation", "half_width"])
        scv, share = points["scv"], 100 * points["utilisation"]
        levels += [(at, curve["scv"].min(), color) for at in share[scv == 0]]
        endless += [(at, color) for at in share[~(scv < np.inf)]]
        label = figure["drawing"]["settings"].get(name, name)
        ax.plot(curve["scv"], 100 * curve["utilisation"], label=label, **curve_style(i))
        drawn = (scv > 0) & (scv < np.inf)
        if drawn.any():
            marks = scv[drawn], share[drawn], 100 * points["half_width"][drawn]
            label = f"{label}, {_laws(figure, name)}"
            draw_points(ax, *marks, label=label, **point_style(i))
    ax.set(xscale="log", xlabel="squared coefficient of variation $c^2$")
    ax.set_ylabel(r"utilisation $\lambda^*\,\mathrm{E}[S]/n$ (%)")
    # A logarithmic axis has no 0: levels for c² = 0 are drawn to the left of the curves.
    left, right = ax.get_xlim()
    ax.set_xlim(left / 4, 4 * right if endless else right)
    for level, start, color in levels:
        ax.plot([left / 4, start], [level, level], color=color, **LIMIT)
        name_level(ax, level, f"$c^2 = 0$: {percent(level / 100)}")
    for level, color in endless:
        ax.plot([right, 4 * right], [level, level], color=color, **LIMIT)
        name_level(ax, level, rf"$c^2 = \infty$: {percent(level / 100)}", side="right")
    ax.margins(y=0.1)
    legend_above(fig, 2)
    return fig


def _laws(figure: Spec, name: str) -> str:
    """The name of the distribution with which points of a system are simulated, or `other laws` if
    there are several."""
    lists = (
        block["parameters"].get("durations", ())
        for other, block in figure.get("series", {}).items()
        if other.endswith(SIMULATED) and curve_of(other, figure["series"]) == name
    )
    laws = {law for durations in lists for one in durations for law in one} - {"deterministic"}
    return laws.pop().capitalize() if len(laws) == 1 else "other laws"
