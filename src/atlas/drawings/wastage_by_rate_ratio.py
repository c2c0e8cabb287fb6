"""Wasted servers against the ratio of the service rates, with the limits at both ends.

Series: `curve` (wastage-by-rate-ratio).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.marks import HIGHLIGHT, LIMIT, REFERENCE, name_level, percent, point_out
from atlas.fields.required_series import OptionsBlock, Wanted

# The share of the width of the axes that a text takes, the share of their height that a line of it
# takes, and heights at which one may stand.
TEXT, LINE = 0.4, 0.07
PLACES = (0.28, 0.4, 0.52, 0.64, 0.76, 0.16, 0.88, 0.04)


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
    bottom, top = min(0, ends["slow_limit"]) - 0.02 * need_2, 1.03 * need_2
    # What a text at one side has to avoid, in heights of the axes.
    x = np.log(ratio / ratio.iloc[0]) / np.log(ratio.iloc[-1] / ratio.iloc[0])
    beside = np.linspace(0, TEXT, 100)
    taken = {
        side: [*(np.interp(places, x, curve["wastage"]) - bottom) / (top - bottom)]
        for side, places in (("left", beside), ("right", 1 - beside))
    }
    fig, ax = single_axes(width, 0.72)
    ax.semilogx(ratio, curve["wastage"], color="C0", zorder=3)
    levels = [
        ("slow_limit", r"$n\ \mathrm{{mod}}\ n_2$ = {:.4g}", "right", "bottom"),
        ("fast_limit", r"limit as $\mu_2/\mu_1\to\infty$: {:.4g}", "left", "bottom"),
        ("fast_approximation", "$n_2 - n_1/p_2$ = {:.4g}", "left", "top"),
    ]
    for name, label, side, va in levels:
        # With few large jobs the approximation says nothing: it is negative.
        if name == "fast_approximation" and not ends[name] > 0:
            continue
        ax.axhline(ends[name], **(REFERENCE if va == "top" else {"color": "black"} | LIMIT))
        at = (ends[name] - bottom) / (top - bottom) + (-LINE if va == "top" else 0)
        sides = sorted(taken, key=lambda one: (not _is_free(at, taken[one]), one != side))
        name_level(ax, ends[name], label.format(ends[name]), side=sides[0], va=va)
        taken[sides[0]] += [at + LINE / 2]
        for one in taken.values():
            one += [(ends[name] - bottom) / (top - bottom)]
    if ratio.iloc[0] <= 1 <= ratio.iloc[-1]:
        at_1 = np.interp(0, np.log(ratio), curve["wastage"])
        ax.plot(1, at_1, **HIGHLIGHT)
        place = next((h for h in PLACES if _is_free(h, taken["left"])), PLACES[0])
        point_out(ax, f"{percent(at_1 / need_2, 1)} of $n_2$", (1, at_1), (0.02, place))
    ax.set_xlim(ratio.iloc[0], ratio.iloc[-1])
    ax.set_ylim(bottom, top)
    ax.set_xlabel(r"ratio of service rates $\mu_2/\mu_1$")
    ax.set_ylabel(r"wasted servers $\mathrm{E}[N_\mathrm{idle}]$ (servers)")
    share = ax.secondary_yaxis("right", (lambda w: 100 * w / need_2, lambda s: s * need_2 / 100))
    share.set_ylabel(r"share of $n_2$ (%)")
    share.spines["right"].set_visible(True)
    return fig


def _is_free(height: float, taken: Iterable[float]) -> bool:
    """Whether a line of text at a height meets nothing."""
    return not any(height - 0.01 < h < height + LINE for h in taken)
