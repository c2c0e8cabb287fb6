"""Wasted servers against the ratio of the service rates, with the limits at both ends.

Series: `curve` (wastage-by-rate-ratio).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from declared.wanted import OptionsBlock, Wanted


class Options(OptionsBlock):
    """How it is drawn."""

    SERIES = (
        Wanted(
            "curve",
            ("rate_ratio", "wastage", "slow_limit", "fast_limit", "fast_approximation"),
            parameters=("needs",),
        ),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One curve on a logarithmic axis of μ2/μ1."""
    curve = series["curve"]
    need_2 = figure["series"]["curve"]["parameters"]["needs"][1]
    ratio, ends = curve["rate_ratio"], curve.iloc[0]
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    ax.semilogx(ratio, curve["wastage"], color="C0", zorder=3)
    # Labels stand on their lines, above or below, at the left where the curve is near zero.
    for column, style, color, label, side in (
        ("slow_limit", ":", "C2", r"$n\ \mathrm{mod}\ n_2$", "bottom"),
        ("fast_limit", "--", "C1", r"limit as $\mu_2/\mu_1\to\infty$", "bottom"),
        ("fast_approximation", "-.", "C3", r"$n_2 - n_1/p_2$", "top"),
    ):
        ax.axhline(ends[column], color=color, linestyle=style, lw=1)
        ax.annotate(
            f"{label} = {ends[column]:.4g}",
            (1 if column == "slow_limit" else 0, ends[column]),
            xycoords=ax.get_yaxis_transform(),
            xytext=(-3 if column == "slow_limit" else 3, 2 if side == "bottom" else -2.5),
            textcoords="offset points",
            ha="right" if column == "slow_limit" else "left",
            va=side,
            color=color,
            fontsize=7,
        )
    at_1 = np.interp(0, np.log(ratio), curve["wastage"])
    ax.plot(1, at_1, "o", color="C0", zorder=4)
    ax.annotate(
        f"{at_1 / need_2:.1%} of $n_2$",
        (1, at_1),
        xytext=(-6, 5),
        textcoords="offset points",
        ha="right",
        fontsize=7,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        zorder=2,
    )
    ax.set_xlim(ratio.iloc[0], ratio.iloc[-1])
    ax.set_ylim(min(0, ends["slow_limit"]) - 0.02 * need_2, 1.03 * need_2)
    ax.set_xlabel(r"ratio of service rates $\mu_2/\mu_1$")
    ax.set_ylabel(r"wasted servers $\mathrm{E}[N_\mathrm{idle}]$")
    share = ax.secondary_yaxis("right", (lambda w: w / need_2, lambda s: s * need_2))
    share.set_ylabel(r"share of $n_2$")
    share.spines["right"].set_visible(True)
    return fig
