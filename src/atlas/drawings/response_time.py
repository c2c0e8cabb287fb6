"""Mean response time against the arrival rate, or the load, with the limits of stability.

Series: any number (response-time), each with its simulated points (simulated-response-time) under
the same name and `-simulated`.
"""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, end_at, pair_style, pairs, single_axes
from atlas.drawings.digits import number
from atlas.drawings.marks import (
    LOADS,
    Limit,
    draw_curve_and_points,
    draw_limits,
    legend_above,
    rounded,
)
from atlas.fields.required_series import OptionsBlock, Wanted, simulated
from atlas.fields.vocabulary import Ceiling, LoadAxis

# The labels of λ* and λ^naive on each axis.
LIMIT_TEMPLATES = {
    "arrival-rate": (r"$\lambda^*$ = {0}", r"$\lambda^\mathrm{{naive}}$ = {1}"),
    "load": (r"$\rho^*$ = {0}", r"$\rho$ = {1}"),
    "fraction-of-limit": (
        r"$\lambda/\lambda^*$ = {1}",
        r"$\lambda^\mathrm{{naive}}/\lambda^*$ = {0}",
    ),
}

# A limit is labelled with names of at most so many characters.
LONGEST = 24


class Options(OptionsBlock):
    ceiling: Ceiling
    axis: LoadAxis = "arrival-rate"

    SERIES = (
        simulated("arrival_rate mean_response_time mean_response_time_half_width"),
        Wanted("*", "arrival_rate mean_response_time fraction_of_limit load"),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Exact curves, simulated points with intervals, the limits λ* and the naive ones."""
    axis = figure["drawing"]["axis"]
    fig, ax = single_axes(width, 0.8)
    limits, naive, colors = {}, {}, {}
    for i, (name, curve, points) in enumerate(pairs(series)):
        last = curve.iloc[-1]
        limit, most = (last["arrival_rate"] / last[of] for of in ("fraction_of_limit", "load"))
        unit = {"arrival-rate": 1.0, "load": most, "fraction-of-limit": limit}[axis]
        limits[name], naive[name] = limit / unit, most / unit
        marks = None
        if points is not None:
            half_width = points["mean_response_time_half_width"]
            marks = points["arrival_rate"] / unit, points["mean_response_time"], half_width
        line = curve["arrival_rate"] / unit, curve["mean_response_time"]
        style = pair_style(i)
        colors[name] = style["color"]
        draw_curve_and_points(ax, name, line, marks, **style)
    ax.set_xlim(0, 1.05 * max(naive.values()))
    end_at(ax, figure["drawing"]["ceiling"])
    ax.set_ylim(bottom=0)
    ax.set(xlabel=LOADS[axis], ylabel=r"mean response time $\mathrm{E}[T]$ (s)")
    stable, served = LIMIT_TEMPLATES[axis]
    labels = [*_limit_labels(limits, stable, colors, axis == "fraction-of-limit")]
    draw_limits(ax, [*labels, *_limit_labels(naive, served, colors, True)])
    legend_above(fig, 3)
    return fig


def _limit_labels(
    limits: Mapping[str, float], template: str, colors: Mapping[str, str], shared: bool
) -> list[Limit]:
    """Limits, one per system in its colour. If `shared`, limits equal for all systems are one limit
    in black, and unequal ones are labelled with their systems."""
    highest = max(limits.values())
    if shared and highest - min(limits.values()) <= 1e-9 * highest:
        return [(highest, _fill(template, highest), "black")]
    texts = {name: _fill(template, at) for name, at in limits.items()}
    return [
        # A long name would take all of the width: the colour says whose limit it is.
        (
            at,
            f"{name}: {texts[name]}" if shared and len(name) <= LONGEST else texts[name],
            colors[name],
        )
        for name, at in limits.items()
    ]


def _fill(template: str, limit: float) -> str:
    return template.format(number(limit, rounded(limit, 4)), number(limit, f"{limit:g}"))
