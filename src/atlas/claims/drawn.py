"""Quantities read from the table from which a figure is drawn.

The table is that of the series that the claim is `of`. `column` is the column to read, and `where`
selects the row by the values of other columns. A simulated number comes with its interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from atlas.claims import Found, Parameters, takes

ROUTE = "the drawn table"
CONFIRMED = "the route of its study (tests/theory)"


@takes("column", optional=("where",))
def value(parameters: Parameters, table: pd.DataFrame) -> Found:
    """A value from the table of the figure."""
    column, where = parameters["column"], parameters.get("where", {})
    row, there = table, ""
    for name, target in where.items():
        cells = row[name]
        row = row[_is_at(cells, target)]
        if row.empty:
            there = there or f"; nearest there: {name} = {_nearest(cells, target)}"
    at = ", ".join(f"{name} = {target}" for name, target in where.items())
    if len(row) != 1:
        found = f"{len(row)} rows{at and f' with {at}'}, of {len(table)}{there}"
        raise ValueError(f"found {found}; expected one: `where` selects it by other columns")
    half_widths = find_half_widths(row, column)
    half_width = None if half_widths is None else float(half_widths.iloc[0])
    # Tables of several methods give exact numbers a half-width of 0.
    return Found(float(row[column].iloc[0]), at, None if half_width == 0 else half_width)


@takes("column", "against")
def deepest_fall(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The deepest fall of the drawn curve below an earlier value."""
    x, y = _curve(parameters, table)
    falls = np.maximum.accumulate(y) - y
    worst = falls.argmax()
    at = f"{parameters['against']} = {x[worst]:.4g}"
    return Found(float(falls[worst]), at, _no_interval(parameters, table))


@takes("column", "against")
def deepest_trough(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The least ratio of a value of the drawn curve to the largest earlier one."""
    x, y = _curve(parameters, table)
    # The curve may start at 0, which is not a trough.
    shares = y[1:] / np.maximum.accumulate(y)[1:]
    worst = shares.argmin()
    at = f"{parameters['against']} = {x[worst + 1]:.4g}"
    return Found(float(shares[worst]), at, _no_interval(parameters, table))


def find_half_widths(table: pd.DataFrame, column: str) -> pd.Series | None:
    """The half-widths of the numbers in a column, None if it has none: those in the column
    `<column>_half_width`, or in `half_width` if this is the next column."""
    names = list(table.columns)
    after = names[names.index(column) + 1 :][:1]
    own = f"{column}_half_width"
    name = own if own in names else "half_width" if after == ["half_width"] else None
    return None if name is None else table[name]


def _is_at(cells: pd.Series, target: Any) -> Any:
    """Which cells are the target; numbers may differ by rounding."""
    if isinstance(target, str | bool):
        return cells == target
    return np.isclose(cells, target, rtol=1e-5, atol=0)


def _nearest(cells: pd.Series, target: Any) -> str:
    """The values on both sides of a number that is not there, or some values that are texts."""
    values = cells.dropna().drop_duplicates().sort_values()
    if isinstance(target, str | bool):
        return ", ".join(map(str, values.head(9)))
    sides = (*values[values < target].tail(1), *values[values > target].head(1))
    return ", ".join(f"{value:.7g}" for value in sides)


def _no_interval(parameters: Parameters, table: pd.DataFrame) -> float | None:
    """NaN for a simulated curve, as nobody knows an interval of its extremes."""
    half_widths = find_half_widths(table, parameters["column"])
    return None if half_widths is None or (half_widths == 0).all() else math.nan


def _curve(parameters: Parameters, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    rows = table.sort_values(parameters["against"])
    return rows[parameters["against"]].to_numpy(), rows[parameters["column"]].to_numpy()
