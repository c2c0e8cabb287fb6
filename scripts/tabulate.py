"""Tabulate: write all columns of the series as CSV, and the chosen ones as a LaTeX tabular and as a
LaTeX table with caption and credit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from atlas.fields.block import misfit
from atlas.fields.columns import seconds_to
from atlas.io.atomic import write_texts
from atlas.io.cite import caption
from atlas.io.latex import escape
from atlas.io.product import Spec, comment, run
from atlas.io.tabulars import short, table, tabular
from atlas.io.tidy import read_table, write_table

# More columns than this need the width of two columns of a paper.
NARROW = 6
# The most values of a column that a message names.
MOST_NAMED = 10
# A group in braces, with groups in it.
BRACES = r"\{(?:\\.|[^{}]|\{[^{}]*\})*\}"


def tabulate(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `<id>.csv`, `<id>.tex` and `<id>.table.tex`.

    Several series are stacked, with a first column that names them; `rows` keeps some of the rows.
    """
    units = read_table(Path(next(iter(spec["series"].values()))["file"]))[1]
    data = pd.concat(series.values(), ignore_index=True)
    if len(series) > 1:
        names = [name for name, part in series.items() for _ in range(len(part))]
        data.insert(0, "series", names)
        units = {"series": "name"} | units
    data = keep(data, spec["rows"])
    csv = folder / f"{spec['id']}.csv"
    write_table(csv, data, units)
    yield csv

    headings = [stack(column["heading"]) for column in spec["columns"].values()]
    rows = typeset(data, spec["columns"], units)
    label = rf"{caption(spec)}\label{{tab:{spec['paper']}:{spec['id']}}}"
    whole = table(headings, rows, caption=label, wide=len(headings) > NARROW)
    texts = {".tex": comment(spec) + tabular(headings, rows), ".table.tex": comment(spec) + whole}
    yield from write_texts(folder / spec["id"], texts)


def keep(data: pd.DataFrame, rows: Mapping[str, list[Any]]) -> pd.DataFrame:
    """The rows that have one of the given values in each column.

    Numbers may differ by rounding. Raises a misfit about a value that none of them has: a table
    would lack it without a word.
    """
    found = {column: [_is_at(data[column], value) for value in rows[column]] for column in rows}
    kept = data
    for parts in found.values():
        kept = kept[np.logical_or.reduce(parts)[kept.index]]
    for column, parts in found.items():
        for i, part in enumerate(parts):
            if not part[kept.index].any():
                first = data[column].drop_duplicates()[:MOST_NAMED]
                there = ", ".join(f"{v:.7g}" if isinstance(v, float) else str(v) for v in first)
                row = f"no row with {column} = {rows[column][i]}"
                known = f"{row}; the first values of {column} are {there}"
                expected = "a value that is there and fits the other `rows`"
                raise misfit(known, expected, "rows", column, i)
    return kept


def _is_at(cells: pd.Series, value: Any) -> NDArray[np.bool_]:
    """Which cells have a value, (rows,); numbers may differ by rounding."""
    if isinstance(value, str | bool):
        return (cells == value).to_numpy()
    return np.isclose(cells.astype(float), value, rtol=1e-9, atol=0)


def typeset(
    data: pd.DataFrame, columns: Mapping[str, Any], units: Mapping[str, str]
) -> list[list[str]]:
    """The cells of the chosen columns as LaTeX, row by row, each number in its column's unit and
    format."""
    data = data[[*columns]].copy()
    for name, column in columns.items():
        if "unit" in column:
            data[name] *= seconds_to(column["unit"], units[name])
    styles = [column["format"] for column in columns.values()]
    return [
        [show(value, style) for value, style in zip(row.values(), styles, strict=True)]
        for row in data.to_dict("records")
    ]


def stack(heading: str) -> str:
    """The words of a heading one above the other. Mathematics, what is in braces, and a number with
    its percent sign, stay whole."""
    heading = re.sub(r"(?<=\d) (?=\\%)", r"\\,", heading)
    words = re.findall(rf"(?:\\.|\$[^$]*\$|{BRACES}|\S)+", heading)
    stacked = r"\\".join(words)
    return rf"\shortstack[r]{{{stacked}}}" if len(words) > 1 else heading


def show(value: object, style: str) -> str:
    """A cell as LaTeX: a number in the given format, with a power of ten if it has an exponent; a
    dash if the cell is empty."""
    if value is None or value != value:
        return "--"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, int) and style[-1:].isdigit():
        # Python refuses a precision for whole numbers.
        value = float(value)
    digits, e, exponent = format(value, style or short(value)).partition("e")
    if e and value == 0:
        return "0"
    if not e:
        return escape(digits.replace("-", "−")).replace(r"\%", r"\,\%")
    factor = "" if digits == "1" else rf"{digits} \cdot "
    return rf"${factor}10^{{{int(exponent)}}}$"


if __name__ == "__main__":
    run(__doc__, tabulate)
