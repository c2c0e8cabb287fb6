"""A plain table: a CSV file whose first line names its columns, two to five of which are used.

Numbers have a decimal point. Fields may be quoted, but a record must be on one line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from atlas.traces import (
    Chunk,
    Lines,
    Rows,
    read_rows,
    require_columns,
    sift,
)
from atlas.traces.numbers import Moments, read_number

Reader = Callable[[str], float]

# What its lines look like.
LINES = (
    "numbers such as 1234.5, and times of submission and start as numbers or dates such as"
    " 2024-05-31T23:59:59"
)
# The columns of `Chunk.times`, as config names them.
TIMES = ("submitted", "started", "requested")
# Of a number with 15 digits and a product; of the seconds since 1970 it is far below a millisecond.
ROUNDING = 1e-14
# Marks that may separate fields in place of commas, and what to do about them.
OTHERS = {
    "\t": ' (between tabs: write commas, or give a plain table `separator: "\\t"`)',
    ";": ' (between semicolons: give a plain table `separator: ";"`, and decimal points)',
    "|": ' (between bars: an export by `sacct` is of `format: slurm`; else give `separator: "|"`)',
}


def read(
    file: str,
    columns: Mapping[str, str],
    seconds: float = 1.0,
    separator: str = ",",
    progress: Callable[[Iterable], Iterable] = iter,
) -> Iterator[Chunk]:
    """The jobs of a table. `columns` names the columns of `need` and `duration`, and optionally
    those of the times at which jobs were `submitted` and `started` and of the time `requested`. The
    unit of times is `seconds`; moments may also be dates and times (`Moments`).

    Raises `ValueError` as `Lines` does, if a column is missing, and if some dates have an offset
    and others none.
    """
    moments = Moments()

    def moment(text: str) -> float:
        try:
            return read_number(text)
        except ValueError:
            return moments.read(text) / seconds

    dated = dict.fromkeys([columns[key] for key in TIMES[:2] if key in columns], moment)
    names = [*columns.values()]
    for lines, values, rejected in read_numbers(file, names, separator, progress, dated):
        moments.require_one_clock(file)
        known = {key: values[:, names.index(name)] for key, name in columns.items()}
        nothing = np.full(len(values), np.nan)
        times = _whole(seconds * np.column_stack([known.get(key, nothing) for key in TIMES]))
        durations = _whole(seconds * known["duration"])
        yield sift(known["need"], durations, lines, rejected, times=times)


def _whole(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Times in seconds. Those that are whole up to rounding error are made whole: jobs that end at
    one time, by sums of such times, then do so in every unit."""
    whole = np.round(times)
    return np.where(np.isclose(times, whole, rtol=ROUNDING, atol=0), whole, times)


def read_numbers(
    file: str,
    columns: Sequence[str],
    separator: str = ",",
    progress: Callable[[Iterable], Iterable] = iter,
    readers: Mapping[str, Reader] | None = None,
) -> Iterator[Rows]:
    """Columns of numbers, block by block; `readers` read columns that may hold other things."""
    names: list[str] = []
    for first, block in progress(Lines(file)):
        if not names and block:
            header, _, block = block.partition(b"\n")
            try:
                names, first = _split(header, separator), first + 1
            except ValueError as error:
                raise ValueError(f"the first line names no columns: {error}") from None
            names = [name.strip() for name in names]
            marks = (mark for mark in OTHERS if any(mark in name for name in names))
            hint = _before_header(header, block) or next(map(OTHERS.get, marks), "")
            require_columns(names, columns, hint)
            used = [names.index(column) for column in columns]
        if block:
            values = _read_at_once(block, len(names), used, separator)
            if values is None:
                each = [(i, (readers or {}).get(names[i], read_number)) for i in used]
                split = partial(_split, separator=separator)
                yield read_rows(first, block.split(b"\n")[:-1], split, len(names), each)
            else:
                yield first + np.arange(len(values)), values, {}


def _before_header(first: bytes, block: bytes) -> str:
    """What to do if the `first` line is blank or a comment, and names stand below it."""
    what = "a comment" if first.lstrip().startswith((b"#", b"%", b"//")) else "blank"
    if what == "blank" and first.strip():
        return ""
    lines = enumerate(block.split(b"\n"), start=2)
    other = ((i, line) for i, line in lines if line.strip() and not line.lstrip().startswith(b"#"))
    number, line = next(other, (0, b""))
    seen = f"; line {number} is {line.decode('utf-8', 'replace'):.100}" if number else ""
    return f" (it is {what}{seen}: remove the lines before the names)"


def _read_at_once(
    block: bytes, width: int, used: list[int], separator: str
) -> NDArray[np.float64] | None:
    """The columns `used`, or None unless all lines are complete and these are numbers or empty."""
    if b'"' in block:
        return None
    # pandas pads a line that is too short and truncates one that is too long.
    rows, mark = block.split(b"\n")[:-1], separator.encode()
    if any(row.count(mark) != width - 1 for row in rows):
        return None
    try:
        table = pd.read_csv(
            io.BytesIO(block),
            sep=separator,
            header=None,
            names=range(width),
            usecols=used,
            index_col=False,
            dtype=float,
            keep_default_na=False,
            na_values=[""],
            encoding_errors="replace",
        )
    except (ValueError, pd.errors.ParserError):
        return None
    return table[used].to_numpy() if len(table) == len(rows) else None


def _split(row: bytes, separator: str) -> list[str]:
    """The fields of a line that is not blank. Raises `ValueError` at quotation marks that do not
    enclose a field."""
    text = row.decode("utf-8", "replace")
    if '"' not in text:
        return text.split(separator) if text.strip() else []
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
