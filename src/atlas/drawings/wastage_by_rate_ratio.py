"""Wasted servers against the ratio of the service rates, with the limits at both ends.

Series: `curve` (wastage-by-rate-ratio).
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.marks import HIGHLIGHT, REFERENCE, draw_level, name_level, percent, point_out
from atlas.fields.required_series import OptionsBlock, Wanted


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "curve",
            ("rate_ratio", "wastage", "slow_limit", "fast_limit", "fast_approximation"),
            parameters=("needs",),
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One curve on a logarithmic axis of μ2/μ1."""
    curve = series["curve"]
    need_2 = figure["series"]["curve"]["parameters"]["needs"][1]
    ratio, ends = curve["rate_ratio"], curve.iloc[0]
    fig, ax = single_axes(width, 0.72)
    ax.semilogx(ratio, curve["wastage"], color="C0", zorder=3)
    slow = rf"$n\ \mathrm{{mod}}\ n_2$ = {ends['slow_limit']:.4g}"
    draw_level(ax, ends["slow_limit"], slow, side="right")
    fast = rf"limit as $\mu_2/\mu_1\to\infty$: {ends['fast_limit']:.4g}"
    draw_level(ax, ends["fast_limit"], fast)
    # With few large jobs the approximation says nothing: it is negative.
    if ends["fast_approximation"] > 0:
        ax.axhline(ends["fast_approximation"], **REFERENCE)
        near = rf"$n_2 - n_1/p_2$ = {ends['fast_approximation']:.4g}"
        name_level(ax, ends["fast_approximation"], near, va="top")
    # The curve rises from the left, so its label fits above it.
    at_1 = np.interp(0, np.log(ratio), curve["wastage"])
    ax.plot(1, at_1, **HIGHLIGHT)
    bottom, top = min(0, ends["slow_limit"]) - 0.02 * need_2, 1.03 * need_2
    level = (ends["fast_limit"] - bottom) / (top - bottom)
    height = 0.28 if abs(level - 0.28) > 0.08 else level + 0.12
    point_out(ax, f"{percent(at_1 / need_2, 1)} of $n_2$", (1, at_1), (0.02, height))
    ax.set_xlim(ratio.iloc[0], ratio.iloc[-1])
    ax.set_ylim(bottom, top)
    ax.set_xlabel(r"ratio of service rates $\mu_2/\mu_1$")
    ax.set_ylabel(r"wasted servers $\mathrm{E}[N_\mathrm{idle}]$ (servers)")
    share = ax.secondary_yaxis("right", (lambda w: 100 * w / need_2, lambda s: s * need_2 / 100))
    share.set_ylabel(r"share of $n_2$ (%)")
    share.spines["right"].set_visible(True)
    return fig
