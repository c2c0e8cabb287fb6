"""The marks that all figures share: one style has one meaning.

Solid and dashed lines are exact. Markers with bars are simulated, with 95 % intervals; hollow
markers are runs too short for an interval, and the legend then says so. A black diamond marks a
point of a curve that is labelled in words. A curve and its points have one entry in the legend.
Points without a curve are not joined; a pale line between them guides the eye. A dotted line is a
limit, labelled where it is drawn. Legend entries are in the order of the series, followed by
additions to the paper's figure. Text is black on white: most data colours are too light to read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from numpy.typing import ArrayLike, NDArray

from atlas.drawings import Spec
from atlas.fields.required_series import SIMULATED

SHORT = "run too short for an interval"
LIMIT = {"linestyle": (0, (1, 1.5)), "lw": 1.1}
BAND = "C3"
REFINED = {"color": BAND, "lw": 0.9, "linestyle": (0, (4, 2))}
REFERENCE = {"color": "0.35", "linestyle": (0, (6, 1.5, 1, 1.5)), "lw": 0.8}
BARS = {"linestyle": "none", "markersize": 3, "elinewidth": 0.8, "capsize": 1.3}
TIME = {"waiting": "W", "response": "T"}
HIGHLIGHT = {"color": "black", "marker": "D", "markersize": 3, "linestyle": "none", "zorder": 4}
GUIDE = {"alpha": 0.35, "lw": 0.8, "zorder": 1}
SIZE = 7
# The distance, in points, of rows of labels above axes.
ROW = 9
# The height in inches that a legend leaves to the axes below it.
ROOM = 1.92
# How far, in points, a label above axes may reach out of them.
BEYOND = 40

# Labels of the horizontal axis for the load.
LOADS = {
    "load": r"load $\rho = \lambda/\lambda^\mathrm{naive}$",
    "arrival-rate": r"arrival rate $\lambda$ (jobs/s)",
    "fraction-of-limit": r"arrival rate $\lambda/\lambda^*$",
}

# Position, label and colour.
Limit = tuple[float, str, str]


def time_name(time: str) -> str:
    """A time, waiting or response, with its symbol."""
    return f"{time} time ${TIME[time]}$"


def point(probability: float) -> str:
    """The label of a quantile: 99.9 %."""
    return f"{100 * probability:g} %"


def percent(share: float, digits: int = 0) -> str:
    """A share as all texts write it: 61.4 %."""
    return f"{100 * share:.{digits}f} %"


def rounded(value: float, digits: int) -> str:
    """A number with some digits after the point, and more if it is small: three of it are shown."""
    if not value > 0:
        return f"{value:g}"
    return f"{value:.{max(digits, 2 - math.floor(math.log10(value)))}f}"


def added(figure: Spec, label: str) -> str:
    """The label of an addition to a figure of the paper; other figures need no such mark."""
    return f"{label} (added)" if figure.get("source", {}).get("figure") else label


def policy_label(figure: Spec, name: str) -> str:
    """The legend entry of a policy: its label, otherwise its name with its options in the series of
    this name or in the simulated one."""
    if name in figure["drawing"]["labels"]:
        return figure["drawing"]["labels"][name]
    blocks = (figure.get("series", {}).get(key, {}) for key in (name, name + SIMULATED))
    policy = next((one["parameters"].get("policy") for one in blocks if one), None)
    if not isinstance(policy, Mapping):
        return name
    return f"{name} ({', '.join(f'{k} {v}' for k, v in policy['options'].items())})"


def place_of(figure: Spec, name: str, i: int) -> int:
    """The index of the colour, dashes and marker of series i: the same throughout a paper."""
    return figure.get("places", {}).get(name, i)


def draw_points(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    half_width: ArrayLike,
    *,
    color: str,
    marker: str,
    label: str | None = None,
    across: bool = False,
) -> None:
    """Simulated points with their intervals, of y or (`across`) x, hollow where these are NaN."""
    x, y, half_width = (np.asarray(values, dtype=float) for values in (x, y, half_width))
    long = np.isfinite(half_width)
    bars = {"xerr" if across else "yerr": half_width[long]}
    ax.errorbar(x[long], y[long], **bars, color=color, marker=marker, **BARS)
    if not long.all():
        labelled = any(label == SHORT for label in ax.get_legend_handles_labels()[1])
        hollow = {"marker": marker, "markerfacecolor": "white", "markeredgewidth": 0.7}
        ax.errorbar(x[~long], y[~long], color=color, **BARS | hollow)
        if not labelled:
            # One grey entry for the hollow markers of all series.
            ax.errorbar([], [], color="0.35", label=SHORT, **BARS | hollow | {"marker": "o"})
    if label:
        ax.plot([], [], color=color, marker=marker, markersize=3, linestyle="none", label=label)


def draw_band(ax: Axes, x: ArrayLike, low: ArrayLike, high: ArrayLike) -> None:
    """The band between bounds."""
    ax.fill_between(x, low, high, color=BAND, alpha=0.3, lw=0)
    ax.plot([], [], color=BAND, alpha=0.3, lw=6, solid_capstyle="butt", label="bounds")


def draw_curve_and_points(
    ax: Axes,
    label: str | None,
    curve: tuple[ArrayLike, ArrayLike] | None,
    points: tuple[ArrayLike, ArrayLike, ArrayLike] | None,
    *,
    color: str,
    marker: str,
    linestyle: Any = "-",
    across: bool = False,
    flat: Callable[[NDArray[np.float64]], ArrayLike] = np.ones_like,
) -> None:
    """An exact curve, simulated points, or both, with one legend entry. Points without a curve get
    a guide, which is straight if their intervals are `across`."""
    if curve is None:
        if across:
            ax.plot(*points[:2], color=color, **GUIDE)
        else:
            draw_guide(ax, *points[:2], color, flat)
        draw_points(ax, *points, color=color, marker=marker, label=label, across=across)
        return
    line = {"color": color, "linestyle": linestyle, "lw": 1.1}
    ax.plot(*curve, **line)
    if points is not None:
        draw_points(ax, *points, color=color, marker=marker, across=across)
    shown = {"marker": marker, "markersize": 3} if points is not None else {}
    if label:
        ax.plot([], [], label=label, **line, **shown)


def draw_guide(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    color: str,
    flat: Callable[[NDArray[np.float64]], ArrayLike] = np.ones_like,
) -> None:
    """A pale line between points, which is not data: the monotone cubic through y flat(x), over
    flat(x)."""
    # Slow to import, and few figures have guides.
    from scipy.interpolate import PchipInterpolator

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) < 3:
        return
    # On a logarithmic axis the cubic is one in log x.
    there, back = (np.log, np.exp) if ax.get_xscale() == "log" else (np.positive, np.positive)
    fine = np.linspace(there(x[0]), there(x[-1]), 200)
    fitted = PchipInterpolator(there(x), y * flat(x))(fine)
    ax.plot(back(fine), fitted / flat(back(fine)), color=color, **GUIDE)


def flatten(limit: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The factor that removes the pole of a response time: 1 − ρ/ρ*, with ρ* = 1 if not known."""
    return lambda load: 1 - load / (limit if np.isfinite(limit) else 1.0)


def draw_limits(ax: Axes, limits: Iterable[Limit]) -> int:
    """Limits on the horizontal axis, whose range must be set before. Each is labelled above its
    upper end, or as near as a long label comes without leaving the figure; limits that coincide
    have one label, those out of the range none. Returns the number of rows of labels."""
    left, right = ax.get_xlim()
    across = ax.get_position().width * ax.figure.get_figwidth() * 72
    ends: list[float] = []
    for at, label, color in _distinct(limits):
        ax.axvline(at, color=color, **LIMIT)
        if not label or not left <= at <= right:
            continue
        place, half = across * (at - left) / (right - left), 2.2 * _length(label)
        centre = max(min(place, across + BEYOND - half), half - BEYOND)
        row = next((i for i, end in enumerate(ends) if end < centre - half), len(ends))
        ends[row : row + 1] = [centre + half]
        shift = (centre - place, 2 + ROW * row)
        note(ax, label, (at, 1), shift, of=("data", "axes fraction"), ha="center")
    return len(ends)


def _distinct(limits: Iterable[Limit]) -> Iterator[Limit]:
    """The limits in increasing order; of those that coincide only the first keeps its label."""
    said = (math.nan, "")
    for at, label, color in sorted(limits):
        again = label == said[1] and math.isclose(at, said[0], rel_tol=1e-9)
        said = (at, label)
        yield at, "" if again else label, color


def _length(label: str) -> int:
    """The visible characters of a label."""
    return len(re.sub(r"[${}^_]", "", re.sub(r"\\[a-z]+", "x", label)))


def draw_levels(ax: Axes, limits: Iterable[Limit]) -> None:
    """Limits on the vertical axis, whose range must be set before, each labelled at its right end;
    labels that would overlap are moved up, and limits that coincide have one label."""
    height = ax.get_position().height * ax.figure.get_figheight() * 72
    highest = -np.inf
    for at, label, color in _distinct(limits):
        ax.axhline(at, color=color, **LIMIT)
        if not label:
            continue
        place = height * ax.transAxes.inverted().transform(ax.transData.transform((1, at)))[1]
        highest = max(place, highest + ROW)
        note(ax, label, (1, at), (3, highest - place), of=("axes fraction", "data"), va="center")


def draw_level(ax: Axes, at: float, label: str, color: str = "black", side: str = "left") -> None:
    """A limit on the vertical axis, its name on the line at one side."""
    ax.axhline(at, color=color, **LIMIT)
    name_level(ax, at, label, side=side)


def name_level(ax: Axes, at: float, label: str, *, side: str = "left", va: str = "bottom") -> None:
    """The name of a horizontal line, on it or under it at one side."""
    shift = (3 if side == "left" else -3, 1.5 if va == "bottom" else -1.5)
    end = (0 if side == "left" else 1, at)
    note(ax, label, end, shift, of=("axes fraction", "data"), ha=side, va=va)


def note(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    shift: tuple[float, float],
    *,
    of: str | tuple[str, str] = "data",
    ha: str = "left",
    va: str = "bottom",
) -> None:
    """A text that is shifted by some points from a place, which is in coordinates `of` the data or
    the axes."""
    apart = {"xytext": shift, "textcoords": "offset points"}
    ax.annotate(text, at, xycoords=of, ha=ha, va=va, fontsize=SIZE, **apart)


def point_out(ax: Axes, text: str, at: tuple[float, float], place: tuple[float, float]) -> None:
    """A text at a place in the axes, joined to the point of the data that it is about."""
    line = {"arrowstyle": "-", "lw": 0.5, "shrinkB": 3}
    ax.annotate(text, at, place, textcoords="axes fraction", arrowprops=line, fontsize=SIZE)


def legend_above(fig: Figure, ncols: int) -> None:
    """One legend for all axes above them, with each label once, in as many columns as fit, at most
    `ncols`. Where not even one fits, long labels without mathematics take several lines."""
    entries: dict[str, Any] = {}
    for ax in fig.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    options: dict[str, Any] = {"columnspacing": 1.2, "loc": "outside upper left"}
    for columns in range(ncols, 0, -1):
        legend = fig.legend(entries.values(), entries, ncols=columns, **options)
        if (excess := legend.get_window_extent().width / fig.bbox.width) <= 1:
            _make_room(fig, legend)
            return
        legend.remove()
    most = int(0.9 * max(map(len, entries)) / excess)
    lines = [label if "$" in label else fill(label, most) for label in entries]
    _make_room(fig, fig.legend(entries.values(), lines, **options))


def _make_room(fig: Figure, legend: Legend) -> None:
    """Make a figure higher if its legend leaves axes too low for their label."""
    height = fig.get_figheight()
    room = height * (1 - legend.get_window_extent().height / fig.bbox.height)
    if room < ROOM:
        fig.set_figheight(height + min(height, ROOM) - room)
