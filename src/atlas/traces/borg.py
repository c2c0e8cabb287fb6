"""Google's Borg trace of 2019, as BigQuery exports the answer to `config/examples/borg.sql`.

There is one row per collection (a job of one or more instances): `cpus` (all its instances
together, as a share of the largest machine), `priority`, `start_time` and `end_time` in
microseconds, of its first scheduling and its end, and optionally `submit_time`. The format is CSV
or JSON lines, distinguished by the first byte; in JSON, BigQuery writes integers as text and leaves
out unknown values or writes them as null. Time 0 means before the trace, 2^63 − 1 after it.
Free-tier jobs have the lowest priorities, 0 to 99.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

import numpy as np

from atlas.traces import Chunk, Lines, Rows, plain, sift
from atlas.traces.numbers import read_number

# What its lines look like.
LINES = "what config/examples/borg.sql exports, as CSV or JSON lines"
COLUMNS = ("cpus", "priority", "start_time", "end_time")
SUBMIT = "submit_time"
AFTER = 2.0**63
MICROSECONDS = 1e-6


def read(
    file: str,
    priorities: Sequence[int] | None = None,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Iterator[Chunk]:
    """The jobs of an export, of all priorities or of those from `priorities[0]` to `[1]`, of which
    a job without a priority is not known to be one.

    Raises `ValueError` as `Lines` does, and if a column of a CSV file is missing.
    """
    start = next((block for _, block in Lines(file) if block), b"").lstrip()
    columns = (*COLUMNS, SUBMIT) if SUBMIT.encode() in start else COLUMNS
    if start.startswith(b"{"):
        tables = (_read_json(block, columns) for block in progress(Lines(file)))
    else:
        tables = plain.read_numbers(file, columns, progress=progress)
    low, high = priorities or (-np.inf, np.inf)
    for lines, values, rejected in tables:
        needs, priority, begin, end = values[:, : len(COLUMNS)].T
        submit = values[:, -1] if columns != COLUMNS else np.full(len(values), np.nan)
        reasons = {
            "another priority": (priority < low) | (priority > high),
            "never ran": np.isnan(begin),
            "not finished": np.isnan(end),
            "ran before the trace or after it": (begin == 0) | (end >= AFTER),
            "missing priority": np.isnan(priority) & (priorities is not None),
        }
        before = np.where((submit > 0) & (submit < AFTER), submit, np.nan)
        nothing = np.full(len(values), np.nan)
        times = MICROSECONDS * np.column_stack([before, begin, nothing])
        durations = MICROSECONDS * (end - begin)
        yield sift(needs, durations, lines, rejected, reasons, times=times)


def _read_json(block: tuple[int, bytes], columns: Sequence[str]) -> Rows:
    first, text = block
    rows = text.split(b"\n")[:-1]
    rejected: dict[str, list[int]] = {}
    try:
        # Parsing all lines at once takes half the time of one call per line.
        records = json.loads(b"[" + b",".join(rows) + b"]")
        if len(records) != len(rows):
            raise ValueError("more or fewer records than lines")
        values = np.array(
            [_number(field) for fields in map(itemgetter(*columns), records) for field in fields]
        )
        return first + np.arange(len(rows)), values.reshape(-1, len(columns)), rejected
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        pass
    lines, found = [], []
    for line, row in enumerate(rows, start=first):
        if not row.strip():
            continue
        try:
            record = json.loads(row)
            fields = [record.get(column) for column in columns]
            found.append([np.nan if field is None else _number(field) for field in fields])
            lines.append(line)
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            rejected.setdefault("malformed", []).append(line)
    table = np.array(found, dtype=float).reshape(-1, len(columns))
    return np.array(lines, dtype=np.int64), table, rejected


def _number(field: str | float) -> float:
    """A number in JSON, which may be text. Raises `ValueError` or `TypeError` for others."""
    if isinstance(field, str):
        return read_number(field)
    if isinstance(field, bool):
        raise ValueError(f"no number: {field}")
    return float(field)
