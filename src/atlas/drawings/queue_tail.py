"""P(N > k) against k, exact and simulated.

Series: any number (queue-tail), each with its simulated points (simulated-queue-tail) under the
same name and `-simulated`.
"""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from atlas.drawings import Spec, Tables, columns, pair_style, pairs, single_axes
from atlas.drawings.digits import inner, number
from atlas.drawings.marks import draw_curve_and_points, legend_above
from atlas.fields.block import AS_WRITTEN
from atlas.fields.required_series import OptionsBlock, Wanted, simulated


class Options(OptionsBlock):
    floor: Annotated[
        float, Field(ge=1e-300, lt=1, description="where the vertical axis ends"), AS_WRITTEN
    ] = 1.0e-6

    SERIES = (
        simulated("jobs tail tail_half_width"),
        Wanted("*", "jobs tail decay_rate", parameters="fraction_of_limit"),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """A logarithmic axis of probability; the decay rate is the final slope of each curve."""
    fig, ax = single_axes(width, 0.85)
    kept = ("servers", "needs", "rates", "probabilities")
    blocks = (figure["series"][name]["parameters"] for name, _, _ in pairs(series))
    systems = {repr([block[key] for key in kept]) for block in blocks}
    for i, (name, curve, points) in enumerate(pairs(series)):
        fraction = figure["series"][name]["parameters"]["fraction_of_limit"]
        decay = curve["decay_rate"].iloc[0]
        share = number(fraction, f"{fraction:g}").strip("$")
        label = rf"$\lambda = {share}\,\lambda^*$, decay {inner(decay, 4)}"
        if len(systems) > 1:
            label = f"{name}: {label}"
        line = columns(curve, "jobs", "tail")
        marks = columns(points, "jobs", "tail", "tail_half_width")
        draw_curve_and_points(ax, label, line, marks, **pair_style(i))
    floor = figure["drawing"]["floor"]
    ax.set(yscale="log", ylim=(floor, 1.2))
    ax.set_xlim(0)
    # The last number that is seen; beyond it a wide axis would be empty.
    last = max(rows.loc[rows["tail"] >= floor, "jobs"].max() for rows in series.values())
    if last < ax.get_xlim()[1] / 2:
        ax.set_xlim(0, 1.05 * max(last, 1))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=r"number of jobs $k$", ylabel=r"$\mathrm{P}(N > k)$")
    legend_above(fig, 1)
    return fig
