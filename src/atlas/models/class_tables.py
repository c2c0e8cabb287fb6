"""Tables of classes, one row per class: published instead of the trace for some clusters.

A CSV file with the columns `need` (servers), `share` (of the jobs) and `mean_duration` (seconds),
in any order. With a column `cell` it holds several tables, one of which is read; a column `servers`
is the number of servers in the cell. Lines that begin with # are comments, except that the first
one that begins with `# Source:` says where the table is from.
Published shares are rounded: their sum may differ from 1 by `ROUNDED`, and is then scaled to 1.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from typing import Any

from atlas.fields.vocabulary import COARSEST, FINEST, LARGEST
from atlas.traces.numbers import read_number, read_whole

NEEDED, OPTIONAL = ("need", "share", "mean_duration"), ("cell", "servers")
SOURCE = "# Source:"
ROUNDED = 1e-3
# Marks that may stand in place of the commas.
OTHERS = {"\t": "tabs", ";": "semicolons", "|": "bars"}
POINTS = ", and numbers with decimal points"
MOST = 1000


class TableError(ValueError):
    """A table that cannot be used: `found` says where and what, `expected` what should be there."""

    def __init__(self, line: int, found: str, expected: str) -> None:
        self.found = f"line {line}: {found}" if line else found
        self.expected = expected
        super().__init__(f"{self.found}; expected {expected}")


def read_class_table(text: str, cell: str | None = None) -> dict[str, Any]:
    """`needs`, `shares` and `mean_durations` of the classes of a cell, in the order of the rows,
    and its `servers` and `source` if the table has them.

    Raises `TableError`.
    """
    rows = list(_rows(text))
    cells = list(dict.fromkeys(row["cell"] for _, row in rows if "cell" in row))
    if cells and cell not in cells:
        found = "no cell" if cell is None else f"the cell {cell!r}"
        raise TableError(0, found, f"cell: one of {', '.join(cells)}")
    if cell is not None and not cells:
        raise TableError(0, f"the cell {cell!r}, and no column cell", "no cell, or such a column")
    own = [(line, row) for line, row in rows if row.get("cell") == cell]
    needs: list[int] = []
    servers: set[int] = set()
    for line, row in own:
        need = _number(line, row, "need", 1, LARGEST, whole=True)
        if need in needs:
            raise TableError(line, f"need {need} again", "each need once in a cell")
        needs.append(need)
        if "servers" in row:
            servers.add(_number(line, row, "servers", 1, LARGEST, whole=True))
            if len(servers) > 1:
                raise TableError(line, f"servers {row['servers']}", "one number in all of a cell")
            if need > min(servers):
                found = f"need {need} of {min(servers)} servers"
                raise TableError(line, found, "needs of at most all servers")
    shares = [_number(line, row, "share", FINEST, 1) for line, row in own]
    total = math.fsum(shares)
    if abs(total - 1) > ROUNDED:
        raise TableError(
            own[-1][0],
            f"shares that sum to {total:.6g} up to here",
            "shares of all jobs, which sum to 1",
        )
    durations = [_number(line, row, "mean_duration", FINEST, COARSEST) for line, row in own]
    found = {
        "needs": needs,
        "shares": [share / total for share in shares],
        "mean_durations": durations,
    }
    sources = [line.removeprefix(SOURCE) for line in text.splitlines() if line.startswith(SOURCE)]
    found |= {"source": sources[0].strip()} if sources else {}
    return found | ({"servers": servers.pop()} if servers else {})


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by the names of their columns, each with its line."""
    names: list[str] = []
    count = 0
    for line, raw in enumerate(text.splitlines(), start=1):
        if not raw.strip() or raw.startswith("#"):
            continue
        try:
            fields = [field.strip() for field in next(csv.reader([raw], strict=True))]
        except csv.Error as error:
            raise TableError(line, str(error), "a line of a table of classes") from None
        if not names:
            _check_header(line, fields)
            names = fields
            continue
        if len(fields) != len(names):
            found = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}"
            decimal = POINTS if len(fields) > len(names) else ""
            raise TableError(line, found, f"{len(names)}: {', '.join(names)}{decimal}")
        if (count := count + 1) > MOST:
            raise TableError(line, f"more than {MOST} rows", "a table of classes, not of jobs")
        yield line, dict(zip(names, fields, strict=True))
    if not count:
        found = "a header and no row" if names else "no row"
        raise TableError(0, found, f"a header ({', '.join(NEEDED)}) and a row for each class")


def _check_header(line: int, names: list[str]) -> None:
    expected = f"the columns {', '.join(NEEDED)}, and perhaps {' and '.join(OPTIONAL)}"
    for mark, marks in OTHERS.items():
        if len(names) == 1 and mark in names[0]:
            raise TableError(line, f"columns between {marks}", "columns between commas" + POINTS)
    for name in NEEDED:
        if name not in names:
            raise TableError(line, f"no column {name} among {', '.join(names)}", expected)
    for name in names:
        if name not in (*NEEDED, *OPTIONAL):
            raise TableError(line, f"a column {name!r}", expected)
        if names.count(name) > 1:
            raise TableError(line, f"the column {name} twice", expected)


def _number(
    line: int, row: dict[str, str], name: str, least: float, most: float, *, whole: bool = False
) -> Any:
    text = row[name]
    kind = "a whole number" if whole else "a number"
    expected = f"{kind} of {least:g} to {most:g}"
    if "," in text:
        expected += ", with a decimal point"
    try:
        value = read_whole(text) if whole else read_number(text)
    except ValueError:
        raise TableError(line, f"{name} {text[:80]!r}", expected) from None
    if not least <= value <= most:
        raise TableError(line, f"{name} {text:.80}", expected)
    return value
