"""Google's Borg trace of 2019, as BigQuery exports the answer to `config/examples/borg.sql`.

One row a collection (a job of one or more instances): `cpus` (all its instances together, as a
share of the largest machine), `priority`, `start_time` and `end_time` in microseconds, of its first
scheduling and its end. CSV or JSON lines, told apart by the first byte; in JSON, BigQuery writes
integers as text and leaves out, or writes as null, what is not known. Time 0 means before the
trace, 2^63 − 1 after it. Free-tier jobs are those of the lowest priorities, 0 to 99.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from atlas.traces import Chunk, Lines, plain, sift

COLUMNS = ("cpus", "priority", "start_time", "end_time")
FIELDS = itemgetter(*COLUMNS)
AFTER = 2.0**63
MICROSECONDS = 1e-6


def read(
    file: str,
    priorities: Sequence[int] | None = None,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Iterator[Chunk]:
    """The jobs of an export, of all priorities or of those from `priorities[0]` to `[1]`.

    Raises `ValueError` as `Lines` does, and if a column of a CSV file is missing.
    """
    start = next((block for _, block in Lines(file) if block), b"")
    if start.lstrip().startswith(b"{"):
        tables = map(_read_json, progress(Lines(file)))
    else:
        tables = plain.read_numbers(file, COLUMNS, progress=progress)
    low, high = priorities or (-np.inf, np.inf)
    for lines, values, rejected in tables:
        needs, priority, begin, end = values.T
        reasons = {
            "another priority": (priority < low) | (priority > high),
            "never ran": np.isnan(begin),
            "not finished": np.isnan(end),
            "ran before the trace or after it": (begin == 0) | (end >= AFTER),
        }
        yield sift(needs, MICROSECONDS * (end - begin), lines, rejected, reasons)


def _read_json(
    block: tuple[int, bytes],
) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[str, list[int]]]:
    first, text = block
    rows = text.split(b"\n")[:-1]
    rejected: dict[str, list[int]] = {}
    try:
        # All at once: a call for each line takes twice as long.
        records = json.loads(b"[" + b",".join(rows) + b"]")
        if len(records) != len(rows):
            raise ValueError("more or fewer records than lines")
        values = np.array([float(field) for fields in map(FIELDS, records) for field in fields])
        return first + np.arange(len(rows)), values.reshape(-1, len(COLUMNS)), rejected
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        pass
    lines, found = [], []
    for line, row in enumerate(rows, start=first):
        if not row.strip():
            continue
        try:
            record = json.loads(row)
            fields = [record.get(column) for column in COLUMNS]
            found.append([np.nan if field is None else float(field) for field in fields])
            lines.append(line)
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            rejected.setdefault("malformed", []).append(line)
    table = np.array(found, dtype=float).reshape(-1, len(COLUMNS))
    return np.array(lines, dtype=np.int64), table, rejected
