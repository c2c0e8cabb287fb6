"""Tidy tables as CSV, with the unit of each column in the header.

A spreadsheet takes a cell that begins with one of = + - @ for a formula and runs it. Such text may
come from anybody. So it gets an apostrophe in front, which is removed again when it is read;
numbers stay numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from atlas.io.atomic import write_text

FORMULA = re.compile("'*[=+\\-@\t\r]")
GUARDED = re.compile("'+[=+\\-@\t\r]")


def write_table(target: Path, table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Write CSV with a header such as `wastage [servers]`. Floats are written exactly.

    Raises `ValueError` if the columns are not those that `units` describes.
    """
    if list(table.columns) != list(units):
        raise ValueError(f"columns {list(table.columns)} differ from units {list(units)}")
    header = [guard(f"{name} [{unit}]") for name, unit in units.items()]
    table = table.assign(**{name: table[name].map(guard) for name in text_columns(table)})
    write_text(target, table.to_csv(index=False, header=header, lineterminator="\n"))


def read_table(source: Path, *, texts: bool = False) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read such CSV: the table with bare column names, and the units of the columns.

    With `texts` every cell is the text that it was written as, and a missing one is empty.
    """
    with source.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    split = [re.fullmatch(r"(.*) \[(.*)\]", unguard(name)).groups() for name in header]
    # JSON values may all look like numbers or missing cells, and must not be read as such.
    json = [name for name, (_, unit) in zip(header, split, strict=True) if unit == "JSON"]
    # `null` must not be taken for a missing cell either, which a converter would not prevent.
    if texts or json:
        written = pd.read_csv(source, dtype=str, keep_default_na=False)
    # Where no reason has several lines, these look like numbers too.
    lines = [name for name, (_, unit) in zip(header, split, strict=True) if unit == "line numbers"]
    table = written if texts else pd.read_csv(source, dtype=dict.fromkeys(lines, str))
    if json and not texts:
        table = table.assign(**{name: written[name] for name in json})
    table = table.assign(**{name: table[name].map(unguard) for name in text_columns(table)})
    return table.set_axis([name for name, _ in split], axis=1), dict(split)


def text_columns(table: pd.DataFrame) -> list[str]:
    """The columns of text."""
    return [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]


def guard(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(cell, str) or not FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def unguard(cell: object) -> object:
    """The cell that was guarded."""
    return cell[1:] if isinstance(cell, str) and GUARDED.match(cell) else cell
