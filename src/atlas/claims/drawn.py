"""Quantities read from the table from which a figure is drawn.

The table is that of the series that the claim is `of`. `column` is the column to read, and `where`
selects the row, or the rows of one curve, by the values of other columns. A simulated number comes
with its interval.
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
    column = parameters["column"]
    row, at, found = _select(parameters, table)
    if len(row) != 1:
        raise ValueError(f"found {found}; expected one: `where` selects it by other columns")
    half_widths = find_half_widths(row, column)
    half_width = None if half_widths is None else float(half_widths.iloc[0])
    # Tables of several methods give exact numbers a half-width of 0.
    return Found(float(row[column].iloc[0]), at, None if half_width == 0 else half_width)


@takes("column", "against", optional=("where",))
def deepest_fall(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The deepest fall of the drawn curve below an earlier value."""
    x, y, half_width = _curve(parameters, table)
    falls = np.maximum.accumulate(y) - y
    worst = falls.argmax()
    at = f"{parameters['against']} = {x[worst]:.4g}"
    return Found(float(falls[worst]), at, half_width)


@takes("column", "against", optional=("where",))
def deepest_trough(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The least ratio of a value of the drawn curve to the largest earlier one."""
    x, y, half_width = _curve(parameters, table)
    # The curve may start at 0, which is not a trough.
    largest = np.maximum.accumulate(y)
    shares = np.divide(y, largest, out=np.ones(len(y)), where=largest != 0)
    worst = shares.argmin()
    at = f"{parameters['against']} = {x[worst]:.4g}"
    return Found(float(shares[worst]), at, half_width)


def find_half_widths(table: pd.DataFrame, column: str) -> pd.Series | None:
    """The half-widths of the numbers in a column, None if it has none: those in the column
    `<column>_half_width`, or in `half_width` if this is the next column; 0 of a number for which
    no jobs were simulated, as an exact method among others leaves both out."""
    names = list(table.columns)
    after = names[names.index(column) + 1 :][:1]
    own = f"{column}_half_width"
    name = own if own in names else "half_width" if after == ["half_width"] else None
    if name and "jobs" in names:
        return table[name].where(table["jobs"].notna() | table[column].isna(), 0.0)
    return table[name] if name else None


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


def _curve(
    parameters: Parameters, table: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray, float | None]:
    """The points of one curve from left to right, and NaN if it is simulated, as nobody knows an
    interval of its extremes."""
    column, against = parameters["column"], parameters["against"]
    rows, _, found = _select(parameters, table)
    rows = rows.sort_values(against)
    x, y = (rows[name].to_numpy(dtype=float) for name in (against, column))
    if len(x) < 2:
        raise ValueError(f"found {found}; expected a curve of two points or more")
    if len(again := x[1:][x[1:] == x[:-1]]):
        found = f"found several rows with {against} = {again[0]:.7g}"
        raise ValueError(f"{found}; expected one curve: `where` selects it by other columns")
    if not np.isfinite(y).all():
        at = x[~np.isfinite(y)][0]
        raise ValueError(f"found no finite {column} at {against} = {at:.7g}; expected a curve")
    half_widths = find_half_widths(rows, column)
    return x, y, None if half_widths is None or (half_widths == 0).all() else math.nan


def _select(parameters: Parameters, table: pd.DataFrame) -> tuple[pd.DataFrame, str, str]:
    """The rows that `where` selects, what it says, and how many of how many these are."""
    where = parameters.get("where", {})
    rows, there = table, ""
    for name, target in where.items():
        cells = rows[name]
        rows = rows[_is_at(cells, target)]
        if rows.empty:
            there = there or f"; nearest there: {name} = {_nearest(cells, target)}"
    at = ", ".join(f"{name} = {target}" for name, target in where.items())
    plural = "s" * (len(rows) != 1)
    return rows, at, f"{len(rows)} row{plural}{at and f' with {at}'}, of {len(table)}{there}"
