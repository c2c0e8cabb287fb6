"""The mean number of jobs against the exponent α, one curve for each fraction of capacity.

Series: any number (queue-by-exponent), each with its simulated points (simulated-queue-by-exponent)
under the same name and `-simulated`. `panels` says which series share a panel, by how their names
begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from declared.block import Block
from declared.vocabulary import Id, Text
from declared.wanted import OptionsBlock, Wanted, simulated

SIMULATED = "-simulated"
MARKERS = "o^svDPX"


class PanelBlock(Block):
    """A panel."""

    title: Text


class Options(OptionsBlock):
    """How it is drawn."""

    panels: Annotated[
        dict[Id, PanelBlock],
        Field(min_length=1, max_length=20, description="how the names of a panel's series begin"),
    ]

    def wanted(self) -> tuple[Wanted, ...]:
        points = ("exponent", "mean_jobs", "mean_jobs_half_width")
        curves = (
            Wanted(f"{prefix}-*", ("exponent", "mean_jobs"), ("fraction",))
            for prefix in self.panels
        )
        return (simulated(*points), *curves)


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """One panel a prefix; exact curves break off where they are unstable."""
    panels = figure["drawing"]["panels"]
    fig = Figure(figsize=(width, (0.8 if len(panels) == 1 else 0.42) * width))
    axes = fig.subplots(1, len(panels), squeeze=False)[0]
    for ax, (prefix, panel) in zip(axes, panels.items(), strict=True):
        names = [n for n in series if n.startswith(f"{prefix}-") and not n.endswith(SIMULATED)]
        for i, name in enumerate(names):
            fraction = figure["series"][name]["parameters"]["fraction"]
            _draw_curve(ax, series[name], series.get(name + SIMULATED), i, f"{100 * fraction:g} %")
        ax.set_title(panel["title"])
        ax.set_yscale("log")
        ax.margins(x=0.02)
        ax.set_xlabel(r"exponent $\alpha$")
        ax.legend(
            title="of capacity",
            title_fontsize=7,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
            ncols=len(names),
            handlelength=1.2,
            columnspacing=0.9,
        )
    axes[0].set_ylabel(r"mean number in system $\mathrm{E}[N]$ (jobs)")
    return fig


def _draw_curve(
    ax: Axes, curve: pd.DataFrame, points: pd.DataFrame | None, i: int, label: str
) -> None:
    color, marker = f"C{i % 7}", MARKERS[i % len(MARKERS)]
    ax.plot(curve["exponent"], curve["mean_jobs"], color=color, lw=1)
    if points is not None:
        ax.errorbar(
            points["exponent"],
            points["mean_jobs"],
            points["mean_jobs_half_width"],
            color=color,
            linestyle="none",
            marker=marker,
            markersize=3,
            elinewidth=0.8,
            capsize=1.2,
        )
    # One entry for line and points together.
    ax.plot(np.nan, np.nan, color=color, marker=marker if points is not None else "", label=label)
