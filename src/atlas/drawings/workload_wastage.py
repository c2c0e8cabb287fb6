"""Servers wasted by FCFS, and utilisation, against the number of servers, by method.

Series: `wastage` (workload-wastage).
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import NARROW, Spec, Tables, point_style
from atlas.drawings.marks import draw_points, legend_above
from atlas.drawings.ticks import log2_server_axis
from atlas.fields.required_series import OptionsBlock, Wanted
from atlas.fields.vocabulary import Labels

SIMULATED = ("exponential", "counted", "constant", "varied", "sampled", "replayed")


class Options(OptionsBlock):
    labels: Labels = {}

    SERIES = (
        Wanted(
            "wastage",
            "servers method wastage wastage_half_width utilisation utilisation_half_width",
            parameters="methods",
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Lines for exact values, points with intervals for simulated ones. Two axes, one above the
    other if the figure is narrow."""
    table = series["wastage"]
    labels = figure["drawing"]["labels"]
    wide = width > NARROW
    fig = Figure(figsize=(width, (0.46 if wide else 1.3) * width))
    left, right = fig.subplots(1, 2) if wide else fig.subplots(2, 1)
    for i, (method, rows) in enumerate(table.groupby("method", sort=False)):
        rows = rows[rows["utilisation"].notna()]
        if rows.empty:
            continue
        label = labels.get(method, method)
        style = point_style(i)
        for ax, column, factor in ((left, "wastage", 1), (right, "utilisation", 100)):
            label_here = label if ax is left else None
            if method in SIMULATED:
                half_width = factor * rows[f"{column}_half_width"]
                marks = rows["servers"], factor * rows[column], half_width
                draw_points(ax, *marks, label=label_here, **style)
            else:
                line = {"linestyle": "-" if method == "exact" else "--", "lw": 1, "markersize": 3.5}
                ax.plot(rows["servers"], factor * rows[column], label=label_here, **line, **style)
    for ax in (left, right):
        log2_server_axis(ax, table["servers"])
        ax.set_xlabel("servers $n$")
    left.set_title("idle servers")
    right.set_title("utilisation")
    left.set_ylabel(r"wastage $\mathrm{E}[N_\mathrm{idle}]$ (servers)")
    left.set_ylim(bottom=0)
    right.set_ylabel(r"utilisation $\lambda^*/\lambda^\mathrm{naive}$ (%)")
    longest = max(len(labels.get(method, method)) for method in table["method"].unique())
    legend_above(fig, min(4, max(1, int(16 * width / (longest + 6)))))
    return fig
