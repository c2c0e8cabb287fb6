"""Mean response time minus that of the pooled M/G/1, one panel per model.

Series of a panel, by its name: `<panel>` (policy-response-time), `<panel>-simulated`
(simulated-policy) and `<panel>-bounds` (finite-skip-bounds). In the differences the bounds do not
depend on the load.
"""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import NARROW, Spec, Tables, label_grid, panel_grid, rows_of
from atlas.drawings.marks import REFERENCE, REFINED, draw_band, draw_curve_and_points, legend_above
from atlas.fields.required_series import OptionsBlock, Wanted
from atlas.fields.vocabulary import Id, Text

COLUMNS = 4


class Options(OptionsBlock):
    panels: Annotated[
        dict[Id, Text],
        Field(
            min_length=1,
            max_length=20,
            description="the title of every panel, by the name of its series",
        ),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        curve = "load class mean_response_time pooled"
        points = "load quantity mean_response_time half_width pooled"
        bounds = "load pooled lower upper refined_lower refined_upper"
        ends = (("", curve), ("-simulated", points), ("-bounds", bounds))
        return tuple(Wanted(panel + end, columns) for panel in self.panels for end, columns in ends)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Exact curves and simulated points between constant bounds."""
    panels = figure["drawing"]["panels"]
    columns = min(COLUMNS if width > NARROW else 2, len(panels))
    fig, axes = panel_grid(width, len(panels), columns, min(1.2 / columns, 0.75) * width)
    for ax, (name, title) in zip(axes, panels.items(), strict=True):
        bounds, curve, points = (series[name + end] for end in ("-bounds", "", "-simulated"))
        curve = rows_of(curve, "class", "all")
        points = rows_of(points, "quantity", "all")
        excess = curve["mean_response_time"] - curve["pooled"]
        simulated = points["mean_response_time"] - points["pooled"]
        line, marks = (curve["load"], excess), (points["load"], simulated, points["half_width"])
        label = "exact and simulated"
        draw_curve_and_points(ax, label, line, marks, color="C0", marker="o")
        low, high = (bounds[end] - bounds["pooled"] for end in ("lower", "upper"))
        draw_band(ax, bounds["load"], low, high)
        if not bounds["upper"].equals(bounds["refined_upper"]):
            for end in ("refined_lower", "refined_upper"):
                refined = bounds[end] - bounds["pooled"]
                ax.plot(bounds["load"], refined, label="refined bounds", **REFINED)
        ax.axhline(0, label="pooled M/G/1", **REFERENCE)
        ax.set(xlim=(0, 1), title=title)
    difference = r"$\mathrm{E}[T]-\mathrm{E}[T^\mathrm{M/G/1}]$ (s)"
    label_grid(axes, columns, r"load $\rho$", difference)
    legend_above(fig, 5)
    return fig
