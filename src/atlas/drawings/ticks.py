"""Labels of ticks that all figures share."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from atlas.drawings.marks import SIZE


def label_1_2_5(axis: Axis) -> None:
    """Label a logarithmic axis at 1, 2 and 5 times the powers of ten, as plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def log2_server_axis(ax: Axes, counts: Collection[float]) -> None:
    """Label a logarithmic axis with these numbers of servers, or with the powers of two among them
    if there are at least three, as far as there is room (`label_servers`)."""
    ax.set_xscale("log", base=2)
    counts = {*counts}  # A table has each once a method.
    doublings = [n for n in counts if np.log2(n).is_integer()]
    label_servers(ax, doublings if len(doublings) >= 3 else counts)
    ax.xaxis.set_minor_locator(NullLocator())


def label_servers(ax: Axes, counts: Iterable[float]) -> None:
    """Label a horizontal axis with numbers of servers: the last, and, from the first on, each that
    is not too close to the previous label or to the last."""
    *others, last = sorted({*map(float, counts)})
    across = ax.get_position().width * ax.figure.get_figwidth() * 72
    place = ax.xaxis.get_transform().transform
    low, high = place(np.array(ax.get_xlim()))
    room = 0.72 * SIZE * (len(f"{last:.0f}") + 1) * (high - low) / across
    ticks: list[float] = []
    for n in others:
        near = [t for t in (*ticks[-1:], last) if abs(place(n) - place(t)) < room]
        ticks += [] if near else [n]
    ax.set_xticks([*ticks, last], [f"{n:.0f}" for n in (*ticks, last)])
