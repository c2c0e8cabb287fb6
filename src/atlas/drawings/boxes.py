"""Boxes and words of diagrams."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike

from atlas.drawings.marks import SIZE


def draw_box(
    ax: Axes, corner: ArrayLike, width: float, height: float, rounding: float, **style: Any
) -> None:
    """A box with rounded corners and a black edge."""
    shape = f"round,pad=0,rounding_size={rounding}"
    box = FancyBboxPatch(corner, width, height, boxstyle=shape, edgecolor="black", **style)
    ax.add_patch(box)


def write(ax: Axes, x: float, y: float, text: str, va: str = "center", **style: Any) -> None:
    """A text centred at a place, or with its top or bottom there."""
    ax.text(x, y, text, ha="center", va=va, fontsize=SIZE, **style)
