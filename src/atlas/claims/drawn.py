"""Quantities read from the table from which a figure is drawn.

The table is that of the series that the claim is `of`. `column` is the column to read, and `where`
selects the row by the values of other columns.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from atlas.claims import Found, Parameters, takes

ROUTE = "the drawn table"
CONFIRMED = "the route of its study (tests/theory)"


@takes("column", optional=("where",))
def value(parameters: Parameters, table: pd.DataFrame) -> Found:
    """A value from the table of the figure."""
    row, where = table, parameters.get("where", {})
    for name, target in where.items():
        near = row[name] == target if isinstance(target, str) else np.isclose(row[name], target)
        row = row[near]
    if len(row) != 1:
        raise ValueError(f"{len(row)} rows of the drawn table where {where}")
    at = ", ".join(f"{name} = {target}" for name, target in where.items())
    return Found(float(row[parameters["column"]].iloc[0]), at)


@takes("column", "against")
def deepest_fall(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The deepest fall of the drawn curve below an earlier value."""
    x, y = _curve(parameters, table)
    falls = np.maximum.accumulate(y) - y
    worst = falls.argmax()
    return Found(float(falls[worst]), f"{parameters['against']} = {x[worst]:.4g}")


@takes("column", "against")
def deepest_trough(parameters: Parameters, table: pd.DataFrame) -> Found:
    """The least ratio of a value of the drawn curve to the largest earlier one."""
    x, y = _curve(parameters, table)
    # The curve may start at 0, which is not a trough.
    shares = y[1:] / np.maximum.accumulate(y)[1:]
    worst = shares.argmin()
    return Found(float(shares[worst]), f"{parameters['against']} = {x[worst + 1]:.4g}")


def _curve(parameters: Parameters, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    rows = table.sort_values(parameters["against"])
    return rows[parameters["against"]].to_numpy(), rows[parameters["column"]].to_numpy()
