"""The capacity set of two classes, and the rates of balanced fairness on its boundary.

Series: `rates` (balanced-rates).
"""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from pydantic import Field

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.marks import note
from atlas.fields.block import WHOLE
from atlas.fields.required_series import OptionsBlock, Wanted

# The distance in rates, as a share of the axes, under which labels of states would meet.
NEAR = 0.01


class Options(OptionsBlock):
    named: Annotated[
        int, Field(ge=0, le=1000, description="up to how many jobs states are named"), WHOLE
    ] = 4

    SERIES = (Wanted("rates", "jobs_1 jobs_2 rate_1 rate_2 rank_1 rank_2 rank"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """The set as a shaded polygon. States with few jobs, and both classes present, are labelled x.

    If states have equal rates only the first is shown.
    """
    rates = series["rates"]
    places = (rates[["rate_1", "rate_2"]] / rates["rank"].iloc[0]).round(9)
    rates = rates[~places.duplicated()]
    one, two, both = rates[["rank_1", "rank_2", "rank"]].iloc[0]
    fig, ax = single_axes(width, 0.95)
    corners = [(0, 0), (one, 0), (one, both - one), (both - two, two), (0, two)]
    ax.add_patch(Polygon(corners, facecolor="0.93", edgecolor="black", lw=0.8))
    total = rates["jobs_1"] + rates["jobs_2"]
    points = ax.scatter(
        rates["rate_1"],
        rates["rate_2"],
        s=4 + 120 / total**1.5,
        c=rates["jobs_1"] / total,
        edgecolor="black",
        linewidth=0.4,
        zorder=3,
        clip_on=False,
    )
    named: list[tuple[float, float]] = []
    for row in rates.itertuples():
        if row.jobs_1 + row.jobs_2 <= figure["drawing"]["named"] and row.jobs_1 and row.jobs_2:
            text, place = f"({row.jobs_1}, {row.jobs_2})", (row.rate_1, row.rate_2)
            # Of states whose rates almost coincide, the first is named.
            apart = [abs(x - place[0]) / one + abs(y - place[1]) / two for x, y in named]
            if min(apart, default=1.0) < NEAR:
                continue
            named.append(place)
            note(ax, text, place, (5, 4), va="baseline")
    for label, at, shift in ((r"$x_2 = 0$", (one, 0), (4, 8)), (r"$x_1 = 0$", (0, two), (6, 6))):
        note(ax, label, at, shift, va="baseline")
    bar = fig.colorbar(points, ax=ax, location="bottom", shrink=0.8, pad=0.02)
    bar.set_label(r"share of class 1 among the jobs, $x_1/(x_1 + x_2)$")
    comparable = 0.2 < one / two < 5
    ax.set(xlim=(0, 1.2 * one), ylim=(0, 1.15 * two), aspect="equal" if comparable else "auto")
    ax.set_xlabel(r"rate of class 1, $\phi_1(x)$ (work/s)")
    ax.set_ylabel(r"rate of class 2, $\phi_2(x)$ (work/s)")
    return fig
