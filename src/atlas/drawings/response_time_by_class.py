"""Mean response time class by class against λ/λ*.

Series: `classes` (response-time-by-class) and `classes-simulated` (simulated-classes).
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Parameters, Spec, Tables, columns, pair_style, single_axes
from atlas.drawings.marks import draw_curve_and_points, legend_above
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted


class Options(OptionsBlock):
    SERIES = (
        Wanted("classes-simulated", "fraction_of_limit quantity mean_response_time half_width"),
        Wanted("classes", "fraction_of_limit class mean_response_time", parameters="needs"),
    )

    def check(self, series: Parameters) -> None:
        here, there = series["classes"].needs, series["classes-simulated"].needs
        require(here == there, f"needs {here} and {there}", "the same system in both series")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Exact curves and simulated points on a logarithmic axis, the mean over all jobs in black."""
    curves = series["classes"].groupby("class", sort=False)
    points = series["classes-simulated"].groupby("quantity", sort=False)
    needs = figure["series"]["classes"]["parameters"]["needs"]
    fig, ax = single_axes(width, 0.72)
    for c, (name, curve) in enumerate(curves):
        if name == "all" and len(needs) == 1:
            continue
        color = "black" if name == "all" else f"C{c % 6}"
        label = "all jobs" if name == "all" else f"need {needs[c]}"
        if name != "all" and needs.count(needs[c]) > 1:
            label = f"class {c + 1}, {label}"
        shown = ("fraction_of_limit", "mean_response_time")
        line, marks = columns(curve, *shown), columns(points.get_group(name), *shown, "half_width")
        draw_curve_and_points(ax, label, line, marks, **pair_style(c) | {"color": color})
    ax.set(yscale="log", xlabel=r"arrival rate $\lambda/\lambda^*$")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T_c]$ (s)")
    legend_above(fig, 4)
    return fig
