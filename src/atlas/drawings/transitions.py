"""A transition diagram of the saturated system: states by their class 1 and class 2 jobs.

Series: `edges` (transitions). No edge passes behind a third state or along another edge. Among
states with equally many class 2 jobs, class 1 completions go left along the upper side and class 2
completions go right along the lower side; edges to other rows are straight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from atlas.drawings import Parameters, Spec, Tables, single_axes
from atlas.drawings.boxes import draw_box, write
from atlas.drawings.marks import legend_above
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted

State = tuple[int, int, int]

STYLES = {1: {"color": "C0", "linestyle": "-"}, 2: {"color": "C1", "linestyle": (0, (4, 1.5))}}
# Half the width and height of a state; neighbouring states are at distance one.
HALF = np.array([0.385, 0.11])
# The distance between two opposite edges side by side.
APART = 0.045
MOST = 20


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "edges", "from_h from_a from_b completes to_h to_a to_b", parameters="servers needs"
        ),
    )

    def check(self, series: Parameters) -> None:
        edges = series["edges"]
        most = edges.servers // edges.needs[0]
        found = f"up to {most} jobs of class 1 in service"
        require(most <= MOST, found, f"at most {MOST}, for states to be told apart", "kind")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """States [h, a, b] at (a, b), arcs by the class that completes."""
    edges = series["edges"]
    starts = edges[["from_h", "from_a", "from_b"]].drop_duplicates().to_numpy()
    ends = edges[["to_h", "to_a", "to_b"]].drop_duplicates().to_numpy()
    states = {tuple(s) for s in (*starts.tolist(), *ends.tolist())}
    begun = {tuple(s) for s in starts.tolist()}
    fig, ax = single_axes(width, 0.52)
    for state in sorted(states):
        _draw_state(ax, state, state in begun)
    for edge in edges.itertuples():
        start, end = (edge.from_a, edge.from_b), (edge.to_a, edge.to_b)
        _draw_edge(ax, route(start, end, edge.completes), STYLES[edge.completes])
    for c in (1, 2):
        ax.plot([], [], lw=1, label=f"class {c} completes", **STYLES[c])
    for marker, colour, label in (
        ("s", "0.9", "a class 2 job blocks"),
        ("o", "white", "none blocks"),
    ):
        box = {"marker": marker, "markerfacecolor": colour, "markeredgecolor": "black"}
        ax.add_line(Line2D([], [], linestyle="none", label=label, **box))
    legend_above(fig, 4)
    most_a, most_b = max(s[1] for s in states), max(s[2] for s in states)
    ax.set(xlim=(-0.6, most_a + 0.6), ylim=(-0.75, most_b + 0.6))
    ax.set_xticks(range(0, most_a + 1, 1 + most_a // 40))
    ax.set_yticks(range(0, most_b + 1, 1 + most_b // 20))
    ax.set(xlabel=r"class 1 jobs in service $a$", ylabel=r"class 2 jobs in service $b$")
    return fig


def route(start: tuple[int, int], end: tuple[int, int], completes: int) -> np.ndarray:
    """The path of an edge: 2 points of a straight line or 4 of a cubic curve, (2 or 4, 2)."""
    (x, y), (to_x, to_y) = start, end
    width, height = HALF
    side = 1 if completes == 1 else -1
    if start == end:
        top, high = y + side * height, y + side * (height + 0.42)
        return np.array([(x - 0.1, top), (x - 0.28, high), (x + 0.28, high), (x + 0.1, top)])
    if y == to_y:
        ahead = np.sign(to_x - x)
        if abs(to_x - x) == 1:
            at = y + side * APART
            return np.array([(x + ahead * width, at), (to_x - ahead * width, at)])
        edge, far = y + side * height, y + side * (height + 0.45 + 0.12 * abs(to_x - x))
        out, into = x + ahead * 0.24, to_x - ahead * 0.24
        return np.array(
            [(out, edge), (out + ahead * 0.1, far), (into - ahead * 0.1, far), (into, edge)]
        )
    down = np.sign(to_y - y)
    if completes == 1:
        return np.array([(x - 0.22, y + down * height), (to_x + 0.2, to_y - down * height)])
    return np.array([(x + width, y), (to_x - 0.12, to_y - down * height)])


def _draw_state(ax: Axes, state: State, begun: bool) -> None:
    h, a, b = state
    style = {"facecolor": "0.9" if h else "white", "lw": 0.7, "zorder": 3}
    style["linestyle"] = "-" if begun else (0, (2, 1.5))
    draw_box(ax, np.array([a, b]) - HALF, *(2 * HALF), 0.0 if h else 0.09, **style)
    write(ax, a, b, f"[{h},{a},{b}]", zorder=4)


def _draw_edge(ax: Axes, way: np.ndarray, style: Mapping[str, Any]) -> None:
    codes = [Path.MOVETO, *[Path.LINETO if len(way) == 2 else Path.CURVE4] * (len(way) - 1)]
    arrow = {"arrowstyle": "-|>", "lw": 0.8, "mutation_scale": 6, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(path=Path(way, codes), zorder=2, **arrow, **style))
