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
# The widths in inches of the share at equal rates and, by column, of the names of the levels.
SHARE = 0.5
NAMES = {"slow_limit": 0.8, "fast_limit": 1.35, "fast_approximation": 0.8}


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "curve",
            "rate_ratio wastage slow_limit fast_limit fast_approximation",
            parameters="needs",
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
    at_1 = np.interp(0, np.log(ratio), curve["wastage"])
    point = np.interp(0, np.log(ratio), x), (at_1 - bottom) / (top - bottom)
    # The inches of the axes, and the left and right ends and the bottoms of names of levels.
    inches, names = width - 0.8, []
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
        long = NAMES[name] / inches
        boxes = {"left": (0, long, at), "right": (1 - long, 1, at)}
        covering = {one: _meets(point, point, [box]) for one, box in boxes.items()}
        sides = sorted(
            taken, key=lambda one: (covering[one], not _is_free(at, taken[one]), one != side)
        )
        name_level(ax, ends[name], label.format(ends[name]), side=sides[0], va=va)
        taken[sides[0]] += [at + LINE / 2]
        names.append(boxes[sides[0]])
        for one in taken.values():
            one += [(ends[name] - bottom) / (top - bottom)]
    if ratio.iloc[0] <= 1 <= ratio.iloc[-1]:
        ax.plot(1, at_1, **HIGHLIGHT)
        starts = {"left": 0.02, "right": 0.98 - SHARE / inches}
        places = [(starts[s], h) for s in taken for h in PLACES if _is_free(h, taken[s])]
        middle = SHARE / inches / 2, LINE / 2
        apart = [one for one in places if not _meets(np.add(one, middle), point, names)]
        place = [*apart, *places, (starts["left"], PLACES[0])][0]
        point_out(ax, f"{percent(at_1 / need_2, 1)} of $n_2$", (1, at_1), place)
    ax.set_xlim(ratio.iloc[0], ratio.iloc[-1])
    ax.set_ylim(bottom, top)
    ax.set_xlabel(r"ratio of service rates $\mu_2/\mu_1$")
    ax.set_ylabel(r"wasted servers $\mathrm{E}[N_\mathrm{idle}]$ (servers)")
    share = ax.secondary_yaxis("right", (lambda w: 100 * w / need_2, lambda s: s * need_2 / 100))
    share.set_ylabel(r"share of $n_2$ (%)")
    share.spines["right"].set_visible(True)
    return fig


def _meets(
    start: np.ndarray, end: tuple[float, float], names: Iterable[tuple[float, float, float]]
) -> bool:
    """Whether a line meets one of the names, all in shares of the axes."""
    x, y = np.linspace(start, end, 200).T
    return any(
        ((left <= x) & (x <= right) & (bottom - 0.01 < y) & (y < bottom + LINE)).any()
        for left, right, bottom in names
    )


def _is_free(height: float, taken: Iterable[float]) -> bool:
    """Whether a line of text at a height meets nothing."""
    return not any(height - 0.01 < h < height + LINE for h in taken)
