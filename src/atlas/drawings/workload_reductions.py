"""The distance of the limit of stability of two-class reductions from that of all classes.

Series: `wastage` (workload-wastage); the reference is `exact` where it is known, otherwise the
method named in the drawing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, point_style, single_axes
from atlas.drawings.marks import SHORT, legend_above
from atlas.drawings.ticks import log2_server_axis
from atlas.drawings.workload_wastage import SIMULATED
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted
from atlas.fields.vocabulary import Labels


class Options(OptionsBlock):
    reference: Annotated[
        Literal["exact", "exponential", "counted", "sampled", "replayed"],
        Field(
            description="the method that is taken for true where the exact solver does not apply"
        ),
    ] = "exponential"
    labels: Labels = {}

    SERIES = (
        Wanted("wastage", "servers method throughput throughput_half_width", parameters="methods"),
    )

    def check(self, series: Parameters) -> None:
        methods = series["wastage"].methods
        expected = f"one of {', '.join(methods)}"
        require(self.reference in methods, repr(self.reference), expected, "reference")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One line per reduction. The band is the interval of a simulated reference; markers are hollow
    where that has no fair interval."""
    table, drawing = series["wastage"], figure["drawing"]
    by_method = {name: rows.set_index("servers") for name, rows in table.groupby("method")}
    reference = by_method[drawing["reference"]]
    true, error = reference["throughput"], reference["throughput_half_width"]
    if "exact" in by_method:
        exact = by_method["exact"]["throughput"]
        true, error = exact.fillna(true), error.where(exact.isna(), 0.0)
    doubtful = error.isna()
    fig, ax = single_axes(width, 0.72)
    ax.fill_between(true.index, -100 * error / true, 100 * error / true, color="0.85", lw=0)
    ax.axhline(0, color="k", lw=0.8)
    names = [name for name in table["method"].unique() if name not in (*SIMULATED, "exact")]
    for i, name in enumerate(names):
        errors = 100 * (by_method[name]["throughput"] / true - 1)
        style = point_style(i) | {"markersize": 3.5}
        line = {"lw": 1, "linestyle": "-" if name.endswith("nearest") else "--"}
        label = drawing["labels"].get(name, name)
        ax.plot(errors.index, errors, label=label, **line, **style)
        if doubtful.any():
            label = SHORT if i == 0 else None
            ax.plot(errors[doubtful], ls="", mfc="w", label=label, **style)
    log2_server_axis(ax, table["servers"])
    ax.set(xlabel="servers $n$", ylabel=r"error of $\lambda^*$ (%)")
    legend_above(fig, 2)
    return fig
