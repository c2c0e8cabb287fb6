"""Tabulate: all columns of the series as CSV, the chosen ones typeset as a LaTeX tabular, and what
to cite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from output.atomic import write_text
from output.cite import references
from output.latex import escape, tabular
from output.tidy import read_table, write_table
from stages.product import Spec, run


def tabulate(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `<id>.csv`, `<id>.tex` and `<id>.bib`.

    Several series are stacked, with a first column that names them; `rows` keeps some of the rows.
    """
    units = read_table(Path(next(iter(spec["series"].values()))["file"]))[1]
    table = pd.concat(series.values(), ignore_index=True)
    if len(series) > 1:
        names = [name for name, part in series.items() for _ in range(len(part))]
        table.insert(0, "series", names)
        units = {"series": "name"} | units
    for column, kept in spec["rows"].items():
        table = table[table[column].isin(kept)]
    csv = folder / f"{spec['id']}.csv"
    write_table(csv, table, units)
    yield csv

    headings = [column["heading"] for column in spec["columns"].values()]
    rows = [
        [show(row[name], column["format"]) for name, column in spec["columns"].items()]
        for row in table.to_dict("records")
    ]
    tex = folder / f"{spec['id']}.tex"
    write_text(tex, tabular(headings, rows))
    yield tex
    bib = folder / f"{spec['id']}.bib"
    write_text(bib, references(spec))
    yield bib


def show(value: object, style: str) -> str:
    """A cell as LaTeX: a number in the given format, in powers of ten where it has an exponent."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return escape(value)
    digits, e, exponent = format(value, style).partition("e")
    if e and value == 0:
        return "0"
    if not e:
        return escape(digits)
    factor = "" if digits == "1" else rf"{digits} \cdot "
    return rf"${factor}10^{{{int(exponent)}}}$"


if __name__ == "__main__":
    run(__doc__, tabulate)
