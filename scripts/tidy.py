"""Tidy tables as CSV, with the unit of each column in the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from atomic import write_text


def write_table(target: Path, table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Write CSV with a header such as `wastage [servers]`. Floats are written exactly.

    Raises `ValueError` if the columns are not those that `units` describes.
    """
    if list(table.columns) != list(units):
        raise ValueError(f"columns {list(table.columns)} differ from units {list(units)}")
    header = [f"{name} [{unit}]" for name, unit in units.items()]
    write_text(target, table.to_csv(index=False, header=header, lineterminator="\n"))


def read_table(source: Path) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read such CSV: the table with bare column names, and the units of the columns."""
    with source.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    split = [re.fullmatch(r"(.*) \[(.*)\]", name).groups() for name in header]
    # Values in JSON may all look like numbers, and must not be read as such.
    texts = [name for name, (_, unit) in zip(header, split, strict=True) if unit == "JSON"]
    table = pd.read_csv(source, dtype=dict.fromkeys(texts, str))
    return table.set_axis([name for name, _ in split], axis=1), dict(split)
