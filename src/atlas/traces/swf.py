"""The Standard Workload Format of the Parallel Workloads Archive.

Lines that begin with a semicolon are comments; every other line has 18 numbers, −1 if not known
(Chapin et al., *Benchmarks and standards for the evaluation of parallel job schedulers*, 1999).
These fields of the format are used: 2 submit time, 3 wait time, 4 run time and 9 requested time in
seconds, 5 processors allocated and 8 requested, 11 status. The need is field 5, or 8 if 5 is not
known. Status 2 to 4 mark the parts of an interrupted job, which also has one line as a whole; 5 is
a job that was cancelled, before it ran (no run time) or while it ran.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from atlas.traces import Chunk, Lines, read_rows, sift
from atlas.traces.numbers import read_number

# What its lines look like.
LINES = "18 numbers a line, -1 if not known"
FIELDS = 18
SUBMIT, WAIT, RUN_TIME, ALLOCATED, REQUESTED, TIME, STATUS, LAST = 1, 2, 3, 4, 7, 8, 10, FIELDS - 1
CANCELLED, PARTS = 5, (2, 3, 4)
USED = [SUBMIT, WAIT, RUN_TIME, ALLOCATED, REQUESTED, TIME, STATUS, LAST]
READERS = [(field, read_number) for field in USED]


def read(file: str, progress: Callable[[Iterable], Iterable] = iter) -> Iterator[Chunk]:
    """The jobs of a log. Raises `ValueError` as `Lines` does."""
    for first, block in progress(Lines(file)):
        clean = _read_at_once(block)
        if clean is None:
            yield _judge(*read_rows(first, block.split(b"\n")[:-1], _split, FIELDS, READERS))
        else:
            yield _judge(first + np.arange(len(clean)), clean, {})


def _judge(lines: NDArray[np.int64], values: NDArray[np.float64], rejected: dict) -> Chunk:
    submit, wait, durations, allocated, requested, time, status = values[:, :-1].T
    needs = np.where(allocated == -1, requested, allocated)
    reasons = {
        "a part of a job that was interrupted": np.isin(status, PARTS),
        "never ran": (status == CANCELLED) & ((durations == -1) | (durations == 0)),
    }
    # −1 means not known, not negative.
    needs, durations, submit, wait, time = (
        np.where(x == -1, math.nan, x) for x in (needs, durations, submit, wait, time)
    )
    times = np.column_stack([submit, submit + wait, time])
    return sift(needs, durations, lines, rejected, reasons, times=times)


def _read_at_once(block: bytes) -> NDArray[np.float64] | None:
    """The columns `USED`, (rows, 8), or None unless every line has 18 numbers."""
    rows = block.count(b"\n")
    # pandas pads a line that is too short and truncates one that is too long. If no line lacks a
    # number at its end and the total count is right, no line is too long either.
    if not rows or b";" in block or len(block.split()) != FIELDS * rows:
        return None
    try:
        values = pd.read_csv(
            io.BytesIO(block),
            sep=r"\s+",
            header=None,
            names=range(FIELDS),
            usecols=USED,
            index_col=False,
            dtype=float,
        ).to_numpy()
    except (ValueError, pd.errors.ParserError):
        return None
    return values if len(values) == rows and np.isfinite(values).all() else None


def _split(text: bytes) -> list[bytes]:
    fields = text.split()
    return fields if fields and not fields[0].startswith(b";") else []
