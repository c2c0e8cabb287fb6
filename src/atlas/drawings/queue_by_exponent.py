"""Mean numbers of jobs waiting and present against the exponent α, by the load.

Series: any number (queue-by-exponent), each with its simulated points (simulated-queue-by-exponent)
under the same name and `-simulated`. `panels` says which series share a panel, by the prefixes of
their names.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Spec, Tables, columns, pairs, panel_row, point_style
from atlas.drawings.marks import SIZE, added, draw_curve_and_points, place_of, point
from atlas.fields.block import Block
from atlas.fields.required_series import OptionsBlock, Wanted, simulated
from atlas.fields.vocabulary import Id, Text

PRESENT = {"linestyle": (0, (4, 1.5)), "lw": 0.7}

STYLE_KEY = "load"


class PanelBlock(Block):
    """A panel."""

    title: Text = ""


class Options(OptionsBlock):
    panels: Annotated[
        dict[Id, PanelBlock],
        Field(min_length=1, max_length=20, description="how the names of a panel's series begin"),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        curves = (
            Wanted(f"{prefix}-*", "exponent mean_jobs mean_waiting", "load")
            for prefix in self.panels
        )
        return (simulated("exponent mean_waiting mean_waiting_half_width"), *curves)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One panel per prefix; exact curves end where the queue is unstable."""
    panels = figure["drawing"]["panels"]
    fig, axes = panel_row(width, len(panels), 0.95 if len(panels) == 1 else 0.46)
    beside = axes[0].get_subplotspec().get_gridspec().ncols
    for ax, (prefix, panel) in zip(axes, panels.items(), strict=True):
        own = [pair for pair in pairs(series) if pair[0].startswith(f"{prefix}-")]
        for i, (name, curve, points) in enumerate(own):
            label = point(figure["series"][name]["parameters"]["load"])
            if not np.isfinite(curve["mean_jobs"]).any():
                label += ", unstable"
            _draw_pair(ax, curve, points, place_of(figure, name, i), label)
        present = {"color": "black", "label": added(figure, r"$\mathrm{E}[N]$")}
        ax.plot([], [], **PRESENT | present)
        ax.set_title(panel["title"])
        ax.set_yscale("log")
        ax.margins(x=0.02)
        ax.set_xlabel(r"exponent $\alpha$")
        for columns_of_legend in (3, 2, 1):
            legend = ax.legend(
                title=r"$\mathrm{E}[Q]$ at that load",
                title_fontsize=SIZE,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.18),
                ncols=columns_of_legend,
                columnspacing=1.2,
            )
            if legend.get_window_extent().width <= fig.bbox.width / beside:
                break
    axes[0].set_ylabel(r"waiting $\mathrm{E}[Q]$, present $\mathrm{E}[N]$ (jobs)")
    return fig


def _draw_pair(
    ax: Axes, curve: pd.DataFrame, points: pd.DataFrame | None, place: int, label: str
) -> None:
    """The waiting jobs, with the simulated points, and, as a thin line, the jobs in the system."""
    style = point_style(place)
    ax.plot(curve["exponent"], curve["mean_jobs"], color=style["color"], **PRESENT)
    line = columns(curve, "exponent", "mean_waiting")
    marks = columns(points, "exponent", "mean_waiting", "mean_waiting_half_width")
    draw_curve_and_points(ax, label, line, marks, **style)
