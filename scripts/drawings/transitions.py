"""A transition diagram of the saturated system: states by their class 1 and class 2 jobs.

Series: `edges` (transitions). A class 1 completion leads one step to the left, a class 2 completion
to the right or back to the same state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch

from declared.wanted import OptionsBlock, Wanted

State = tuple[int, int, int]

STYLES = {1: {"color": "C0", "linestyle": "-"}, 2: {"color": "C1", "linestyle": (0, (4, 1.5))}}


class Options(OptionsBlock):
    """How it is drawn."""

    SERIES = (Wanted("edges", ("from_h", "from_a", "from_b", "completes", "to_h", "to_a", "to_b")),)


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """States [h, a, b] at (a, b), arcs by the class that completes."""
    edges = series["edges"]
    starts = edges[["from_h", "from_a", "from_b"]].drop_duplicates().to_numpy()
    ends = edges[["to_h", "to_a", "to_b"]].drop_duplicates().to_numpy()
    states = {tuple(s) for s in (*starts.tolist(), *ends.tolist())}
    begun = {tuple(s) for s in starts.tolist()}
    fig = Figure(figsize=(width, 0.52 * width))
    ax = fig.subplots()
    boxes = {state: _draw_state(ax, state, state in begun) for state in sorted(states)}
    for edge in edges.itertuples():
        _draw_edge(ax, edge, boxes)
    handles = [Line2D([], [], lw=1, **STYLES[c], label=f"class {c} completes") for c in (1, 2)]
    handles += [
        Line2D([], [], ls="", marker="s", mfc="0.9", mec="black", label="a class 2 job blocks"),
        Line2D([], [], ls="", marker="o", mfc="white", mec="black", label="none blocks"),
    ]
    ax.legend(handles=handles, loc="upper right")
    most_a, most_b = max(s[1] for s in states), max(s[2] for s in states)
    ax.set_xlim(-0.6, most_a + 0.6)
    ax.set_ylim(-0.75, most_b + 0.6)
    ax.set_xticks(range(most_a + 1))
    ax.set_yticks(range(most_b + 1))
    ax.set_xlabel(r"class 1 jobs in service, $a$")
    ax.set_ylabel(r"class 2 jobs in service, $b$")
    return fig


def _draw_state(ax: Axes, state: State, begun: bool) -> Patch:
    h, a, b = state
    text = ax.text(
        a,
        b,
        f"[{h},{a},{b}]",
        ha="center",
        va="center",
        fontsize=7,
        color="black" if begun else "0.45",
        bbox={
            "boxstyle": "square,pad=0.35" if h else "round,pad=0.35",
            "facecolor": "0.9" if h else "white",
            "edgecolor": "black" if begun else "0.6",
            "lw": 0.7,
        },
        zorder=3,
    )
    return text.get_bbox_patch()


def _draw_edge(ax: Axes, edge: Any, boxes: Mapping[State, Patch]) -> None:
    start, end = (edge.from_a, edge.from_b), (edge.to_a, edge.to_b)
    style = STYLES[edge.completes] | {"arrowstyle": "-|>", "lw": 0.8, "mutation_scale": 6}
    if start == end:
        # A loop above the state for class 1, below it for class 2.
        side = 1 if edge.completes == 1 else -1
        x, y = start
        loop = (x - 0.22, y + side * 0.13), (x + 0.22, y + side * 0.13)
        bend, patches = -side * 1.6, {"shrinkA": 0, "shrinkB": 0}
    else:
        loop = start, end
        patches = {
            "patchA": boxes[edge.from_h, *start],
            "patchB": boxes[edge.to_h, *end],
            "shrinkA": 1,
            "shrinkB": 1,
        }
        bend = 0.0 if edge.completes == 1 and start[1] != end[1] else 0.3
    ax.add_patch(FancyArrowPatch(*loop, connectionstyle=f"arc3,rad={bend}", **patches, **style))
