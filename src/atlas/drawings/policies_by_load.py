"""Mean response time of any policies against the load, over all jobs or one panel per class.

Series: any number of systems (policies-by-load), which `settings` may name; `labels` name policies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import (
    NARROW,
    Parameters,
    Spec,
    Tables,
    columns,
    end_at,
    label_grid,
    pair_style,
    panel_grid,
    rows_of,
)
from atlas.drawings.digits import number
from atlas.drawings.marks import (
    LOADS,
    ROW,
    Limit,
    draw_curve_and_points,
    draw_limits,
    flatten,
    legend_above,
    rounded,
)
from atlas.fields.required_series import SettingsBlock, Wanted, require_classes, require_labels
from atlas.fields.vocabulary import Labels, LoadAxis, Panels, Positive, Scale

# The width in inches below which a panel has no room for its axis.
LEAST = 2.4
COLUMNS = (
    "load arrival_rate fraction_of_limit policy class mean_response_time half_width exact limit"
)


class Options(SettingsBlock):
    panels: Panels | None = None
    axis: LoadAxis = "load"
    scale: Scale = "log"
    ceiling: Annotated[
        Positive | None, Field(description="where the vertical axis ends, if not above all")
    ] = None
    labels: Labels = {}

    SERIES = (Wanted("*", COLUMNS, parameters="policies"),)

    def check(self, series: Parameters) -> None:
        super().check(series)
        policies = {policy.label for one in series.values() for policy in one.policies}
        require_labels(self.labels, policies)
        require_classes(series, self.panels or ())


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Curves where a policy is exact, points elsewhere; limits of stability are dotted."""
    drawing = figure["drawing"]
    panels = drawing.get("panels") or {"all": ""}
    across = min(len(panels), 2 if len(panels) % 2 == 0 else 3)
    across = 1 if width < NARROW else across
    height = max((0.8 if across == 1 else 0.84 / across) * width, LEAST)
    fig, axes = panel_grid(width, len(panels), across, height)
    policies = [*_policies(drawing, series)]
    for ax, (kind, title) in zip(axes, panels.items(), strict=True):
        # Set the scale first: a guide between points depends on it.
        ax.set(yscale=drawing["scale"], xlim=(0, _end(drawing["axis"], series)))
        limits = []
        for i, (label, rows) in enumerate(policies):
            limits += _draw_policy(ax, i, label, rows_of(rows, "class", kind), drawing["axis"])
        if "ceiling" in drawing:
            end_at(ax, drawing["ceiling"])
        if drawing["scale"] == "linear":
            ax.set_ylim(bottom=0)
        rows_of_labels = draw_limits(ax, limits)
        if title:
            ax.set_title(title, pad=4 + ROW * rows_of_labels)
    label_grid(axes, across, LOADS[drawing["axis"]], r"mean response time $\mathrm{E}[T]$ (s)")
    longest = max(len(label) for label, _ in policies)
    legend_above(fig, min(4, max(1, int(16 * width / (longest + 6)))))
    return fig


def _policies(drawing: Spec, series: Tables) -> Iterator[tuple[str, pd.DataFrame]]:
    """The policies of all systems in their order: legend entry and rows that can be drawn."""
    for name, table in series.items():
        for policy, rows in table.groupby("policy", sort=False):
            label = drawing["labels"].get(policy, policy)
            if len(series) > 1:
                label = f"{drawing['settings'].get(name, name)}, {label}"
            rows = rows[np.isfinite(rows["mean_response_time"])]
            if rows.empty:
                label += " (unstable)"
            elif _lie_above(rows, drawing):
                label += f" (above {drawing['ceiling']:g} s)"
            elif drawing["axis"] == "fraction-of-limit" and rows["limit"].isna().all():
                label, rows = rf"{label} ($\lambda^*$ not known)", rows.iloc[:0]
            yield label, rows


def _lie_above(rows: pd.DataFrame, drawing: Spec) -> bool:
    """Whether the end of the vertical axis hides all of a policy."""
    shown = rows[rows["class"].isin(drawing.get("panels") or {"all"})]
    return shown["mean_response_time"].min() > drawing.get("ceiling", np.inf)


def _end(axis: str, series: Tables) -> float:
    """The end of the horizontal axis: the largest λ^naive, λ/λ^naive = 1, or λ/λ* = 1."""
    if axis != "arrival-rate":
        return 1.0
    return max((table["arrival_rate"] / table["load"]).max() for table in series.values())


def _draw_policy(ax: Axes, i: int, label: str, rows: pd.DataFrame, axis: str) -> list[Limit]:
    """Draw one policy, curve and points. Return its limit of stability, if the axis shows it."""
    exact = rows["exact"].astype(bool)
    x, y = axis.replace("-", "_"), "mean_response_time"
    line = columns(rows[exact], x, y) if exact.any() else None
    marks = None if line and exact.all() else columns(rows[~exact], x, y, "half_width")
    first = rows.iloc[:1]
    limit, unit = first["limit"].max(), (first[x] / first["load"]).max()
    flat, style = flatten(limit), pair_style(i)
    draw_curve_and_points(ax, label, line, marks, flat=lambda at: flat(at / unit), **style)
    if not limit < 1 or axis == "fraction-of-limit":
        return []
    symbol = r"\rho^*" if axis == "load" else r"\lambda^*"
    at = limit * unit
    return [(at, f"${symbol}$ = {number(at, rounded(at, 3))}", style["color"])]
